#!/bin/sh
# Makes what a script is about to need, unless it is there and current: `ensure.sh modules` or `ensure.sh executable`.
# Needs only Node and npm, and leaves nothing outside of node_modules and dist.
set -eu
cd "$(dirname "$0")/.."

# What node_modules was made from; a copied or touched tree isn't taken for another one.
is_current() { [ -f node_modules/.made-from ] && [ "$(cat node_modules/.made-from)" = "$(cksum <package-lock.json)" ]; }

ensure_modules() {
  if is_current; then return; fi
  command -v npm >/dev/null || { echo "npm is missing: install Node (20 or newer), which brings it" >&2; exit 2; }
  lock
  # Another one may have installed them meanwhile; two at once would break each other's tree.
  if ! is_current; then install; fi
  unlock
}

lock() {
  while ! mkdir .installing 2>/dev/null; do
    sleep 1
    # The one who made the lock may have been killed, perhaps before it wrote its number.
    if ! kill -0 "$(cat .installing/pid 2>/dev/null)" 2>/dev/null; then unlock; fi
  done
  echo $$ >.installing/pid
  trap unlock EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
}

unlock() { rm -rf .installing; }

install() {
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
  cksum <package-lock.json >node_modules/.made-from
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
