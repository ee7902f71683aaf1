#!/bin/sh
# Makes what a script is about to need, unless it is there and current: `ensure.sh modules` or `ensure.sh executable`.
# Needs only Node and npm, and leaves nothing outside of node_modules and dist.
set -eu
cd "$(dirname "$0")/.."

ensure_modules() {
  if [ -f node_modules/.package-lock.json ] && [ ! package-lock.json -nt node_modules/.package-lock.json ]; then return; fi
  command -v npm >/dev/null || { echo "npm is missing: install Node (20 or newer), which brings it" >&2; exit 2; }
  echo "installing the dependencies (npm ci)" >&2
  # npm keeps a cache in the home; where there is none, none is left behind. (Asking npm for its place would make it.)
  cache=
  if [ ! -d "${npm_config_cache:-${HOME:-}/.npm}" ]; then
    cache=$(mktemp -d)
    export npm_config_cache="$cache"
  fi
  status=0
  npm ci --no-audit --no-fund --no-update-notifier --loglevel=error >&2 || status=$?
  if [ -n "$cache" ]; then rm -rf "$cache"; fi
  if [ "$status" -ne 0 ]; then exit "$status"; fi
  touch node_modules/.package-lock.json
}

ensure_executable() {
  ensure_modules
  if [ -x dist/synartesis ] && [ -z "$(find src manifests package-lock.json package.json scripts/build.ts -newer dist/synartesis | head -n 1)" ]; then return; fi
  echo "building dist/synartesis" >&2
  BUN_RUNTIME_TRANSPILER_CACHE_PATH=0 node_modules/.bin/bun scripts/build.ts >&2
}

case "${1:-}" in
  modules) ensure_modules ;;
  executable) ensure_executable ;;
  *) echo "usage: ensure.sh modules | executable" >&2; exit 2 ;;
esac
