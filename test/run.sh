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

# run NAME PATH...: the test runner, two files at a time; its report and exit code are kept for the count. A test of many processes may
# lose against a busy machine once: it gets a second try, which the runner names.
run() {
  name=$1
  shift
  status=0
  BUN_RUNTIME_TRANSPILER_CACHE_PATH=0 node_modules/.bin/bun test --parallel=2 --retry=1 --timeout 60000 --reporter=junit --reporter-outfile="$work/$name.xml" "$@" || status=$?
  echo "$status" >"$work/$name.status"
}

if [ "$#" -gt 0 ]; then
  run told "$@"
else
  # Apart from the others: where a child of an earlier test is still alive, the runner wakes for a commit only once a second.
  run journal ./test/journal
  others=$(find test -name '*.test.ts' ! -path 'test/journal/*' | sed 's|^|./|')
  # Paths of ours have no blanks.
  # shellcheck disable=SC2086
  run others $others
fi
node_modules/.bin/bun scripts/count-tests.ts "$work"
