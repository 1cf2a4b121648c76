#!/usr/bin/env bash
# Programs the tests need beside Node: Chromium, which opens the HTML report, zsh, which completes commands, and PostgreSQL, whose ledger
# the tests run on servers of their own. Installed by the system's package manager when missing; a program that cannot be had fails here, not later.
set -euo pipefail

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }
install() {
  if ! command -v apt-get >/dev/null; then
    echo "$1 is missing and there is no apt-get here: $2." >&2
    exit 1
  fi
  shift 2
  export DEBIAN_FRONTEND=noninteractive
  as_root apt-get update -q
  as_root apt-get install -y -q --no-install-recommends "$@"
}

browser="${CHROMIUM:-/usr/bin/chromium}"
[ -x "$browser" ] || install "The browser $browser" 'install Chromium, or name one in CHROMIUM' chromium fonts-dejavu-core
echo "browser: $("$browser" --version --no-sandbox 2>/dev/null | head -1)"

command -v zsh >/dev/null || install zsh "install zsh" zsh
echo "zsh: $(zsh --version)"

newest_server() {
  if [ -n "${LIFTGATE_POSTGRES_BIN:-}" ]; then echo "$LIFTGATE_POSTGRES_BIN"; return; fi
  find /usr/lib/postgresql -mindepth 2 -maxdepth 2 -name bin 2>/dev/null | sort -V | tail -1
}
server=$(newest_server)
if [ ! -x "$server/initdb" ]; then
  install PostgreSQL 'install PostgreSQL 14 or newer, or name the folder of initdb in LIFTGATE_POSTGRES_BIN' postgresql
  server=$(newest_server)
fi
[ -x "$server/initdb" ] || { echo 'PostgreSQL was installed, but initdb is not where Debian keeps it: name its folder in LIFTGATE_POSTGRES_BIN.' >&2; exit 1; }
echo "server: $("$server/postgres" --version)"
