# What do the demos share? Sourced by each, with `root` set: a folder and a home of its own, and words for what a reader sees.
# Never touches a journal, a manifest or a home outside of that folder.
# shellcheck shell=sh disable=SC2154
sh "$root/scripts/ensure.sh" executable
work=$(cd "$(mktemp -d "${TMPDIR:-/tmp}/synartesis-demo.XXXXXX")" && pwd -P)
trap 'cd / && rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
export SYNARTESIS_HOME="$work/home" PATH="$root/dist:$PATH" BUN_RUNTIME_TRANSPILER_CACHE_PATH=0
unset CLAUDE_CODE_SESSION_ID || true

say() {
  printf '\n%s\n\n' "$1" | fold -s -w 80
}

fail() {
  echo "the demo failed: $1" >&2
  exit 1
}

# run EXIT WORDS...: shows a synartesis command and what it prints; it has to end with that code.
run() {
  wanted=$1
  shift
  shown=
  for word; do
    case $word in *[!A-Za-z0-9_./@:=-]*) shown="$shown \"$word\"" ;; *) shown="$shown $word" ;; esac
  done
  echo "\$ synartesis$shown"
  ended=0
  # A server's own chatter comes on stderr: shown only where something is wrong.
  synartesis "$@" </dev/null 2>"$work/stderr" || ended=$?
  [ "$ended" -eq "$wanted" ] || { cat "$work/stderr" >&2; fail "that should have ended with $wanted, not with $ended"; }
  if [ "$wanted" -ne 0 ]; then echo "(exit $ended)"; fi
}

# agent SERVER <CALLS: an MCP client in its own process makes the calls, one a line.
agent() {
  "$root/node_modules/.bin/bun" "$root/demo/agent.ts" synartesis proxy --server "$1" 2>"$work/stderr" || { cat "$work/stderr" >&2; fail "the agent couldn't work"; }
}

# waiting TOOL: the id of the call of this tool that waits for a person.
waiting() {
  synartesis gates --json | node -e '
    const { waiting } = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
    const found = waiting.filter(({ tool }) => tool === process.argv[1]);
    if (found.length !== 1) process.exit(1);
    console.log(found[0].id)' "$1" || fail "one $1 should wait for a person"
}
