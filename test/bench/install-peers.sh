#!/bin/sh
# Installs what `npm run bench:stats` compares with: scipy and R's boot, from Debian's own packages. Needs root.
set -eu
apt-get update
apt-get install --yes --no-install-recommends python3-scipy r-cran-boot
