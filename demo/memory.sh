#!/bin/sh
# Undo that knows what was new, on the real memory server: an agent adds two people of whom one was there before, and deletes
# one together with all that is related to it. Needs only Node and npm.
# Everything it says is checked: it exits non-zero if anything isn't so, and leaves no trace.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/demo/shared/stage.sh"
server=$root/node_modules/@modelcontextprotocol/server-memory/dist/index.js
# Where the server keeps its knowledge graph: one JSON line for each entity.
export MEMORY_FILE_PATH="$work/memory.jsonl"

# The server ends its last line with a newline or without one.
graph() { printf '%s\n' "$(cat memory.jsonl)"; }
knows() { grep -q "\"name\":\"$1\"" memory.jsonl; }

cd "$work"
say "A knowledge graph that knows Ada and Charles, in $work (removed at the end):"
printf '%s\n' '{"type":"entity","name":"Ada","entityType":"person","observations":["wrote the first program"]}' \
  '{"type":"entity","name":"Charles","entityType":"person","observations":["designed the engine"]}' | tee memory.jsonl
cp memory.jsonl before.jsonl

say "Synartesis goes in front of the real memory server:"
run 0 init memory --manifest synartesis.yaml -- node "$server"
run 0 check

say "An agent adds Ada and Grace. Ada is there already: the server passes over her, and says nothing about it."
agent memory <<'CALLS'
create_entities {"entities":[{"name":"Ada","entityType":"person","observations":[]},{"name":"Grace","entityType":"person","observations":["found a moth"]}]}
CALLS
graph
knows Grace || fail "Grace should have been added"

say "Undoing what was asked for would delete both. The way back is built from what the server says that it created: Grace alone."
run 0 show
names=$(synartesis show --json | node -p 'JSON.parse(require("node:fs").readFileSync(0, "utf8")).actions[0].inverse.args.entityNames.join()')
[ "$names" = Grace ] || fail "the way back should delete Grace alone, not $names"
run 0 undo --yes
graph
if knows Grace; then fail "Grace should be gone"; fi
[ "$(graph)" = "$(cat before.jsonl)" ] || fail "the graph should be as it was"
echo "checked: the graph is as it was"

say "Deleting an entity takes its observations and relations along. Two calls bring them back: the entity, then its relations."
agent memory <<'CALLS'
create_relations {"relations":[{"from":"Ada","to":"Charles","relationType":"works with"}]}
CALLS
graph >related.jsonl
agent memory <<'CALLS'
delete_entities {"entityNames":["Ada"]}
CALLS
if knows Ada; then fail "Ada should be gone"; fi
run 0 undo --yes
graph
[ "$(graph | sort)" = "$(sort related.jsonl)" ] || fail "Ada should be back, with what is related to her"
echo "checked: Ada is back"

say "And the record of all this is whole:"
run 0 audit verify
say "All of it was as it says. The folder is removed again."
