#!/usr/bin/env node
require('../dist/cli/main.cjs').main(process.argv.slice(2));
