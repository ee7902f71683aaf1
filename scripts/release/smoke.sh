#!/bin/sh
# Does what a release's archive holds run on this machine? `smoke.sh ARCHIVE VERSION TARGET`: unpacks it, asks its version, and takes its guided tour, which
# starts a server, records its calls and undoes them. Needs nothing but a shell and tar, and leaves nothing.
set -eu
[ "$#" -eq 3 ] || { echo "usage: smoke.sh ARCHIVE VERSION TARGET" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/home"
tar -xzf "$1" -C "$work"
cd "$work"
export HOME="$work/home"
failed() { echo "smoke.sh: $1" >&2; exit 1; }

said=$(./synartesis --version)
case "$said" in "synartesis $2 (commit "*", bun-$3)") ;; *) failed "it says that it is $said" ;; esac
./synartesis --help >help.txt
./synartesis policies >policies.txt
grep -q filesystem policies.txt || failed "it doesn't know its policies"
./synartesis demo >demo.txt </dev/null || { cat demo.txt; failed "its tour failed"; }
[ -z "$(ls -A home)" ] || failed "its tour left something in the home: $(ls -A home)"
echo "ok: $said"
