#!/bin/sh
# Builds the executable from this checkout and puts it into a folder on PATH; takes it out again with --uninstall.
# Never uses sudo, never edits a profile, and touches no journal and no manifest.
set -eu
root=$(cd "$(dirname "$0")" && pwd)

usage() {
  cat <<'TEXT'
usage: ./install.sh [--dir DIR]              build, and put synartesis into DIR (default: ~/.local/bin, ~/bin or
                                             /usr/local/bin, if on PATH and writable, else the first such folder on PATH)
       ./install.sh --where                  only say which folder that is
       ./install.sh --uninstall [--dir DIR]  remove it again; journals and manifests stay
TEXT
}

stop() {
  echo "install.sh: $1" >&2
  exit 2
}

dir=
uninstall=no
where=no
while [ "$#" -gt 0 ]; do
  case "$1" in
    --dir) [ "$#" -gt 1 ] && [ -n "$2" ] || stop "--dir needs a folder"; dir=$2; shift ;;
    --dir=?*) dir=${1#--dir=} ;;
    --uninstall) uninstall=yes ;;
    --where) where=yes ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; stop "don't know what to do with $1" ;;
  esac
  shift
done

on_path() { case ":$PATH:" in *":$1:"*) return 0 ;; *) return 1 ;; esac; }

is_ours() { [ -f "$1" ] && [ -x "$1" ] && case "$("$1" --version 2>/dev/null </dev/null)" in "synartesis "*) true ;; *) false ;; esac; }

# What another tool fills is emptied by it too: its folders are no place for a program of its own.
is_anothers() {
  case "$1/" in
    */shims/* | */.cargo/* | */go/* | */node_modules/* | *pyenv* | *rbenv* | *nvm/* | *asdf* | */.volta/* | */.bun/* | */.deno/* | */venv/* | */.venv/* | *conda*) return 0 ;;
    *) return 1 ;;
  esac
}

choose_folder() {
  for folder in "${HOME:-/nonexistent}/.local/bin" "${HOME:-/nonexistent}/bin" /usr/local/bin; do
    if on_path "$folder" && [ -d "$folder" ] && [ -w "$folder" ]; then echo "$folder"; return; fi
  done
  rest=$PATH:
  while [ -n "$rest" ]; do
    folder=${rest%%:*}
    rest=${rest#*:}
    # What belongs to a checkout, or depends on where one stands, is no place to install to.
    case "$folder" in "$root"/*) continue ;; /*) ;; *) continue ;; esac
    if is_anothers "$folder"; then continue; fi
    if [ -d "$folder" ] && [ -w "$folder" ]; then echo "$folder"; return; fi
  done
}

if [ "$uninstall" = yes ]; then
  if [ -n "$dir" ]; then file=$dir/synartesis; else file=$(command -v synartesis || true); fi
  [ -n "$file" ] || stop "there is no synartesis on PATH; where is it? (--dir DIR)"
  [ -e "$file" ] || stop "there is no $file"
  is_ours "$file" || stop "$file isn't this program; it was left alone"
  rm -- "$file" || stop "can't remove $file"
  echo "removed $file; journals and manifests were left where they are"
  exit 0
fi

if [ -z "$dir" ]; then dir=$(choose_folder); fi
if [ -z "$dir" ]; then
  cat >&2 <<TEXT
install.sh: no folder on PATH that isn't another tool's is writable for you. Do this, then open a new terminal:
  mkdir -p "\$HOME/.local/bin" && ./install.sh --dir "\$HOME/.local/bin"
  and add this line to your shell's profile (~/.profile, ~/.zprofile):  export PATH="\$HOME/.local/bin:\$PATH"
TEXT
  exit 2
fi
if [ "$where" = yes ]; then echo "$dir"; exit 0; fi
mkdir -p -- "$dir" || stop "can't make the folder $dir"
dir=$(cd "$dir" && pwd)
[ -w "$dir" ] || stop "$dir isn't writable for you"
file=$dir/synartesis
if [ -e "$file" ] && ! is_ours "$file"; then stop "$file is there already and isn't this program; it was left alone"; fi

sh "$root/scripts/ensure.sh" modules
(cd "$root" && BUN_RUNTIME_TRANSPILER_CACHE_PATH=0 node_modules/.bin/bun scripts/build.ts >/dev/null)
# Replaced by renaming, so that a proxy that is running from the old one keeps running.
half=$dir/.synartesis.$$
trap 'rm -f "$half"' EXIT
cp "$root/dist/synartesis" "$half"
chmod 755 "$half"
mv -f "$half" "$file"
echo "installed $("$file" --version) as $file"
if ! on_path "$dir"; then
  echo "$dir isn't on PATH; add this line to your shell's profile:  export PATH=\"$dir:\$PATH\""
elif [ "$(command -v synartesis)" != "$file" ]; then
  echo "another synartesis comes first on PATH: $(command -v synartesis)"
fi
