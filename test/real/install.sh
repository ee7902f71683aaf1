#!/bin/sh
# Installs the clients and servers that test/real tries and that `npm ci` can't bring, at exact versions: `install.sh FOLDER`. What is there stays.
# Where a registry can't be reached, or there is no Python, that is said, and their tests are skipped; anything else that goes wrong is a failure.
set -eu
[ "$#" -eq 1 ] || { echo "usage: install.sh FOLDER" >&2; exit 2; }
inspector=@modelcontextprotocol/inspector@2.12.0
playwright=@playwright/mcp@0.0.83
python_client=mcp==2.3.0
mkdir -p "$1"
folder=$(cd "$1" && pwd)
new="$folder/new.$$"
trap 'rm -rf "$new"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# finish PART: whole or not at all. Another one may have made it meanwhile.
finish() { [ -d "$folder/$1" ] || mv "$new" "$folder/$1"; }

if [ -d "$folder/node" ]; then :
elif ! npm view "$inspector" version >/dev/null 2>&1; then echo "npm's registry can't be reached: without the Inspector and Playwright's server"
else
  mkdir "$new"
  # An optional dependency of the Inspector builds native code; neither of them needs a script, and no browser is fetched.
  npm install --prefix "$new" --omit=optional --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error "$inspector" "$playwright"
  finish node
fi

if [ -d "$folder/python" ]; then :
elif ! python3 -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then echo "no Python 3.10 with venv: without the Python client"
else
  rm -rf "$new"
  python3 -m venv "$new"
  pip() { "$new/bin/python" -m pip --no-cache-dir --disable-pip-version-check --retries 1 "$@"; }
  if pip index versions "${python_client%%=*}" >/dev/null 2>&1; then
    pip install --quiet "$python_client"
    finish python
  else echo "Python's registry can't be reached: without the Python client"; fi
fi
