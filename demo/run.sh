#!/bin/sh
# The main job on the real filesystem server: an agent overwrites, moves and makes real files, and one command puts it all back.
# Needs only Node and npm. Everything it says is checked: it exits non-zero if anything isn't so, and leaves no trace.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/demo/shared/stage.sh"
server=$root/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js

# A checksum and the length of every file.
sums() { (cd files && cksum -- *); }

say "A folder of real files, in $work (removed at the end):"
cd "$work"
mkdir files
printf 'Rent        1200\nSalaries    8400\nTravel       310\n' >files/budget.txt
printf 'Dear Ms Holt,\r\n\r\nthank you for your order.\r\n' >files/letter.txt
printf '# To do\n\n- call the bank\n' >files/todo.md
cp -R files before
sums

say "Synartesis goes in front of the real filesystem server. It starts the server, looks at its tools, and writes a policy:"
run 0 init files --manifest synartesis.yaml -- node "$server" files
run 0 check

say "An agent is asked to tidy up. It gets everything wrong, through \`synartesis proxy\`, as any MCP client would use it:"
agent files <<'CALLS'
write_file {"path":"budget.txt","content":"TODO: ask somebody for the numbers"}
edit_file {"path":"letter.txt","edits":[{"oldText":"Ms Holt","newText":"Sir or Madam"}]}
move_file {"source":"todo.md","destination":"done.md"}
write_file {"path":"done.md","content":"nothing to do\n"}
CALLS
sums
if cmp -s files/budget.txt before/budget.txt || [ -e files/todo.md ]; then fail "the agent should have changed the files"; fi

say "Each call was on disk before it was sent, with what it replaced and the exact call that puts that back:"
run 0 show

say "What would undo do? This only looks:"
run 0 undo --dry-run

say "One command puts everything back:"
run 0 undo --yes
sums
diff -r files before || fail "the files should be as they were"
echo "checked: every file is there under its old name, with the same bytes"

say "Somebody else's work is safe. The agent overwrites the budget once more, and files the to-do list away:"
agent files <<'CALLS'
write_file {"path":"budget.txt","content":"all zero\n"}
write_file {"path":"todo.md","content":"- nothing\n"}
CALLS
say "Before anyone undoes that, a person writes the right figures into the budget:"
printf 'Rent        1250\nSalaries    8400\n' | tee files/budget.txt
cp files/budget.txt before/person.txt
say "Undo puts the list back, halts at the budget, and shows why (exit 1):"
run 1 undo --yes
cmp files/budget.txt before/person.txt || fail "undo should have left what the person wrote"
cmp files/todo.md before/todo.md || fail "undo should have put the list back"
echo "checked: the person's text is still there, byte for byte"

say "What the agent makes goes again, too. This server can't delete; a small one of ours, which the policy brings along, can:"
agent files <<'CALLS'
create_directory {"path":"archive/old"}
write_file {"path":"archive/old/new.txt","content":"hello\n"}
CALLS
[ -f files/archive/old/new.txt ] || fail "the agent should have made a file"
run 0 undo --yes
[ ! -e files/archive ] || fail "what the agent made should be gone"
echo "checked: neither the file nor the folders are there"

say "What you want to be asked about is held for you, as is every tool that the policy doesn't mention. Two rules get one more line each:"
awk '{ print } /match: "files.(create_directory|move_file)"/ { print "    gate: always" }' synartesis.yaml >gated.yaml
mv gated.yaml synartesis.yaml
grep -B 1 'gate: always' synartesis.yaml
agent files <<'CALLS'
create_directory {"path":"archive"}
move_file {"source":"todo.md","destination":"later.md"}
CALLS
if [ -e files/archive ] || [ -e files/later.md ]; then fail "a held call should not have happened"; fi
run 0 gates
say "You approve one of them and deny the other, from outside of the agent:"
run 0 approve "$(waiting create_directory)"
run 0 deny "$(waiting move_file)" --reason "leave the list where it is"
say "The agent makes the same calls again; the approved one passes, once:"
agent files <<'CALLS'
create_directory {"path":"archive"}
move_file {"source":"todo.md","destination":"later.md"}
CALLS
[ -d files/archive ] || fail "the approved call should have happened"
[ ! -e files/later.md ] || fail "the denied call should not have happened"

say "And the record of all this is whole:"
run 0 audit verify
say "All of it was as it says. The folder is removed again."
