#!/bin/sh
# Does the public conformance suite find through the proxy all that it finds without? Both releases of it, kept in node_modules/.cache.
# Its last line is `N passed, N failed`, check by check; it exits non-zero if a check was lost.
set -eu
cd "$(dirname "$0")/../.."
sh scripts/ensure.sh executable

cache=node_modules/.cache/conformance
for version in 0.1.16 0.2.0-alpha.12; do
  if [ -f "$cache/$version/complete" ]; then continue; fi
  mkdir -p "$cache/$version"
  echo '{ "private": true }' >"$cache/$version/package.json"
  status=0
  # Its own lifecycle scripts aren't needed; it says Node 22, and runs on the Bun that is here.
  npm install --prefix "$cache/$version" --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error \
    "@modelcontextprotocol/conformance@$version" >"$cache/$version/npm.log" 2>&1 || status=$?
  if [ "$status" -ne 0 ]; then
    cat "$cache/$version/npm.log"
    # Only a registry that can't be reached is an excuse.
    if ! grep -Eq 'ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH' "$cache/$version/npm.log"; then
      echo "0 passed, 1 failed"
      exit 1
    fi
    echo "skipped: the registry can't be reached, and so the conformance suite $version isn't there"
    echo "0 passed, 0 failed"
    exit 0
  fi
  touch "$cache/$version/complete"
done

exec node_modules/.bin/bun test/conformance/run.ts "$cache"
