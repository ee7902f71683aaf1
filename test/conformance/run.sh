#!/bin/sh
# Does the public conformance suite find through the proxy all that it finds without? Both releases of it, kept in node_modules/.cache.
# Its last line is `N passed, N failed`, check by check; it exits non-zero if a check was lost.
set -eu
cd "$(dirname "$0")/../.."
sh scripts/ensure.sh executable

cache=node_modules/.cache/conformance
# Where npm has no cache of its own in the home, none is left behind.
if [ ! -d "${npm_config_cache:-${HOME:-}/.npm}" ]; then export npm_config_cache="$PWD/node_modules/.cache/npm"; fi

for version in 0.1.16 0.2.0-alpha.12; do
  if [ -d "$cache/$version" ]; then continue; fi
  new="$cache/new-$$"
  mkdir -p "$new"
  echo '{ "private": true }' >"$new/package.json"
  status=0
  # It says that it needs Node 22, and runs on the Bun that is here.
  npm install --prefix "$new" --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error \
    "@modelcontextprotocol/conformance@$version" >"$new/npm.log" 2>&1 || status=$?
  if [ "$status" -eq 0 ]; then
    # Somebody else may have been as quick.
    if [ ! -d "$cache/$version" ]; then mv "$new" "$cache/$version"; else rm -rf "$new"; fi
    continue
  fi
  cat "$new/npm.log"
  # Only a registry that can't be reached is an excuse.
  unreachable=$(grep -Ec 'ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH' "$new/npm.log" || true)
  rm -rf "$new"
  if [ "$unreachable" -eq 0 ]; then
    echo "0 passed, 1 failed"
    exit 1
  fi
  echo "skipped: the registry can't be reached, and the conformance suite $version isn't here"
  echo "0 passed, 0 failed"
  exit 0
done

BUN_RUNTIME_TRANSPILER_CACHE_PATH=0 exec node_modules/.bin/bun test/conformance/run.ts "$cache"
