#!/bin/sh
# Runs every test that needs only Node and npm, doing all the set-up that is missing. Arguments are handed to `bun test`.
# Its last line is `N passed, N failed`, from the real counts; it exits non-zero if anything failed.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
sh scripts/ensure.sh executable

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

if [ "$#" -eq 0 ]; then set -- ./test; fi
status=0
BUN_RUNTIME_TRANSPILER_CACHE_PATH=0 node_modules/.bin/bun test --parallel=2 --timeout 60000 --reporter=junit --reporter-outfile="$work/report.xml" "$@" || status=$?
node_modules/.bin/bun scripts/count-tests.ts "$work/report.xml" "$status"
