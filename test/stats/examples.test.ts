import { readdirSync } from 'node:fs';
import * as stats from '../../src/stats/index.ts';
import { exampleTests } from '../support/examples.ts';

const folder = new URL('../../src/stats/', import.meta.url);
const files = readdirSync(folder).filter((file) => file !== 'index.ts');
const modules = await Promise.all(
  files.map((file): Promise<Record<string, unknown>> => import(new URL(file, folder).href)),
);
const names = Object.keys(stats);
const scope: Readonly<Record<string, unknown>> = Object.assign({}, ...modules);

for (const file of files) exampleTests(`src/stats/${file}`, { names, scope });
