#!/usr/bin/env bash
# Programs the tests need beside Node: Chromium, which opens the HTML report. Installed by the system's package manager when missing.
set -euo pipefail

browser="${CHROMIUM:-/usr/bin/chromium}"
if [ -x "$browser" ]; then
  echo "browser: $("$browser" --version --no-sandbox 2>/dev/null | head -1)"
  exit 0
fi
if ! command -v apt-get >/dev/null; then
  echo "No browser at $browser and no apt-get here: install Chromium, or name one in CHROMIUM." >&2
  exit 1
fi
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }
export DEBIAN_FRONTEND=noninteractive
as_root apt-get update -q
as_root apt-get install -y -q --no-install-recommends chromium fonts-dejavu-core
echo "browser: $("$browser" --version --no-sandbox 2>/dev/null | head -1)"
