#!/bin/sh
# Runs every test, doing all the set-up that is missing; arguments are handed to `bun test`. Node, npm, git and what any Unix has (ps, tar) are enough: what
# needs more is skipped where that isn't, with the reason in its name.
# It ends with what the tests showed: which needed another try, which failed and how, and `N passed, N failed`. It exits non-zero if anything failed.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
sh scripts/ensure.sh executable

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# run NAME PATH...: the test runner, three files at a time, for their tests wait more than they work; its report, exit code and lines are kept for
# the count. A test of many processes may lose against a busy machine once: it gets a second try, which is named.
run() {
  name=$1
  shift
  {
    status=0
    BUN_RUNTIME_TRANSPILER_CACHE_PATH=0 node_modules/.bin/bun test --parallel=3 --max-concurrency=6 --retry=1 --timeout 120000 \
      --reporter=junit --reporter-outfile="$work/$name.xml" "$@" 2>&1 || status=$?
    # The status would be lost in the pipe.
    echo "$status" >"$work/$name.status"
  } | tee "$work/$name.log"
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

# A file with a failure is run once more, alone, now that the machine is quiet: what it shows then counts, and is named.
number=0
for file in $(node_modules/.bin/bun scripts/count-tests.ts "$work" --again); do
  number=$((number + 1))
  echo "--- again, alone: $file"
  run "again-$number" "$file"
done
node_modules/.bin/bun scripts/count-tests.ts "$work"
