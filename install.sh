#!/bin/sh
# Puts synartesis into a folder on PATH: run in a checkout, the executable built there; else (curl ... | sh) that of a release, verified.
# Takes it out again with --uninstall. Never uses sudo, never edits a profile, and touches no journal and no manifest.
# Everything is in functions that the last line calls: a script that was cut off on its way does nothing.
set -eu
# With it, cd may go elsewhere than it is told.
unset CDPATH

# The one place that names the repository; scripts/release reads it here.
repository=synartesis/synartesis
# A mirror has the same addresses below: latest/download/FILE and download/vVERSION/FILE.
releases=${SYNARTESIS_RELEASES:-https://github.com/$repository/releases}

usage() {
  cat <<TEXT
usage: install.sh [--dir DIR] [--version X]    put synartesis into DIR (default: ~/.local/bin, ~/bin or /usr/local/bin, if on
                                               PATH and writable, else the first such folder on PATH)
       install.sh --where                      only say which folder that is
       install.sh --uninstall [--dir DIR]      remove it again, if no client's entry starts it (--force: all the same); journals
                                               and manifests stay

In a checkout it builds the executable; with --download or --version, and anywhere else, it fetches that of a release
and verifies it. SYNARTESIS_RELEASES is the address of a mirror (default: $releases).
TEXT
}

# Wrong use, or a machine that needs something done first.
stop() {
  echo "install.sh: $1" >&2
  exit 2
}

# It was tried, and failed.
fail() {
  echo "install.sh: $1" >&2
  exit 1
}

has() { command -v "$1" >/dev/null 2>&1; }

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
    # What belongs to the checkout, or depends on where one stands, is no place to install to.
    case "$folder" in "${root:-/nonexistent}"/*) continue ;; /*) ;; *) continue ;; esac
    if is_anothers "$folder"; then continue; fi
    if [ -d "$folder" ] && [ -w "$folder" ]; then echo "$folder"; return; fi
  done
}

say_no_folder() {
  if [ -n "$root" ]; then again="./install.sh"; else again="curl -fsSL $releases/latest/download/install.sh | sh -s --"; fi
  cat >&2 <<TEXT
install.sh: no folder on PATH that isn't another tool's is writable for you. Do this, then open a new terminal:
  mkdir -p "\$HOME/.local/bin" && $again --dir "\$HOME/.local/bin"
  and add this line to your shell's profile (~/.profile, ~/.zprofile):  export PATH="\$HOME/.local/bin:\$PATH"
TEXT
  exit 2
}

# Entries that start it would start nothing any more. The program itself sees into clients' files, and which it wrote.
check_unused() {
  [ "$force" = no ] || return 0
  said=$(COLUMNS=1000 "$file" disconnect --all --dry-run 2>&1 </dev/null) || true
  [ "$said" != "nothing is wrapped there" ] || return 0
  fail "clients start their servers by synartesis, or their files can't be read; nothing was removed:
$(printf '%s\n' "$said" | sed -n '/^[^ ]/s/^/  /p')
take it out there first:  \"$file\" disconnect --all
(with --force it is removed all the same)"
}

uninstall() {
  if [ -n "$dir" ]; then file=$dir/synartesis; else file=$(command -v synartesis || true); fi
  [ -n "$file" ] || stop "there is no synartesis on PATH; where is it? (--dir DIR)"
  [ ! -L "$file" ] || stop "$file is a link to $(readlink "$file"); it was left alone (Homebrew's goes with: brew uninstall synartesis)"
  [ -e "$file" ] || stop "there is no $file"
  is_ours "$file" || stop "$file isn't this program, or doesn't run; it was left alone"
  check_unused
  rm -- "$file" || fail "can't remove $file"
  echo "removed $file; journals and manifests were left where they are"
}

# --- which executable does this machine need?

is_musl() {
  case "$(ldd --version 2>&1 </dev/null || true)" in
    *musl*) return 0 ;;
    *GLIBC* | *GNU* | *"Free Software"*) return 1 ;;
  esac
  for loader in /lib/ld-musl-*; do [ ! -e "$loader" ] || return 0; done
  return 1
}

# Without a word from the system, the executable that runs everywhere.
has_avx2() {
  if [ "$os" = darwin ]; then sysctl -n machdep.cpu.leaf7_features 2>/dev/null | grep -q AVX2; else grep -q '[[:space:]]avx2' /proc/cpuinfo 2>/dev/null; fi
}

detect_target() {
  system=$(uname -s)
  case "$system" in
    Linux) os=linux ;;
    Darwin) os=darwin ;;
    MINGW* | MSYS* | CYGWIN* | Windows*) stop "on Windows it runs inside WSL: set that up (wsl --install, in PowerShell), and run this in its terminal" ;;
    *) stop "there is no executable for $system; there are some for Linux and macOS" ;;
  esac
  machine=$(uname -m)
  case "$machine" in
    x86_64 | amd64) arch=x64 ;;
    aarch64 | arm64) arch=arm64 ;;
    *) stop "there is no executable for $machine; there are some for x86_64 and arm64" ;;
  esac
  libc=
  if [ "$os" = linux ]; then
    [ "$(uname -o 2>/dev/null || true)" != Android ] || stop "there is no executable for Android"
    [ "$(getconf LONG_BIT 2>/dev/null || echo 64)" = 64 ] || stop "this system is one of 32 bits, and the executable needs 64"
    if is_musl; then libc=-musl; fi
  elif [ "$(sysctl -n sysctl.proc_translated 2>/dev/null || true)" = 1 ]; then
    # Rosetta says x86_64 to what it translates.
    arch=arm64
  fi
  simd=
  if [ "$arch" = x64 ] && ! has_avx2; then simd=-baseline; fi
  target=$os-$arch$simd$libc
}

# --- fetched, and verified

# fetch FILE: from the release into $new; says why if it can't.
fetch() {
  code=0
  if has curl; then
    only=
    case "$from" in https:*) only="--proto =https" ;; esac
    # What is asked for is shown as it comes only to a person.
    if [ -t 2 ]; then how=--progress-bar; else how=-sS; fi
    # shellcheck disable=SC2086
    curl $only "$how" -fL --retry 2 --connect-timeout 20 --speed-limit 1 --speed-time 60 -o "$new/$1" "$from/$1" </dev/null || code=$?
    case "$code" in
      0) return 0 ;;
      22) why="it isn't there, or the server refuses it" ;;
      5 | 6 | 7) why="the server can't be reached; is there a network?" ;;
      18 | 52 | 56) why="it ended early" ;;
      23) why="$new can't be written; is the disk full?" ;;
      28) why="the server doesn't answer" ;;
      35 | 60 | 77) why="no safe connection to the server" ;;
      *) why="curl ended with $code" ;;
    esac
  else
    wget -q -T 30 -t 2 -O "$new/$1" "$from/$1" </dev/null || code=$?
    case "$code" in
      0) return 0 ;;
      3) why="$new can't be written; is the disk full?" ;;
      4) why="the server can't be reached, or ended early; is there a network?" ;;
      5) why="no safe connection to the server" ;;
      8) why="it isn't there, or the server refuses it" ;;
      *) why="wget ended with $code" ;;
    esac
  fi
  rm -f "$new/$1"
  return 1
}

digest() {
  if has sha256sum; then sha256sum <"$1"
  elif has shasum; then shasum -a 256 <"$1"
  else openssl dgst -sha256 -r <"$1"; fi | cut -d ' ' -f 1
}

# Sets `release` and `expected` from the release's own list.
read_sums() {
  fetch SHA256SUMS || fail "can't fetch $from/SHA256SUMS: $why"
  line=$(sed -n "s/^\([0-9a-f]\{64\}\)  synartesis-\(.*\)-$target\.tar\.gz\$/\1 \2/p" "$new/SHA256SUMS")
  [ -n "$line" ] || fail "$from/SHA256SUMS names no executable for $target: it isn't whole, or that release has none"
  expected=${line%% *}
  release=${line#* }
  case "$release" in *[!0-9A-Za-z.+-]*) fail "$from/SHA256SUMS isn't as a release has it" ;; esac
  if [ -n "$version" ] && [ "$release" != "$version" ]; then fail "$from has version $release, not $version"; fi
}

verify_signature() {
  if ! has gh || ! gh attestation verify --help >/dev/null 2>&1 </dev/null; then
    echo "its checksum was verified; its signature wasn't: that needs GitHub's own tool (gh)"
    return 0
  fi
  bundle=synartesis-$release.provenance.jsonl
  if ! fetch "$bundle"; then
    [ -n "${SYNARTESIS_RELEASES:-}" ] || fail "can't fetch $from/$bundle, with the signature: $why"
    echo "its checksum was verified; its signature wasn't: $releases has none"
    return 0
  fi
  gh attestation verify "$new/$archive" --bundle "$new/$bundle" --repo "$repository" --signer-workflow "$repository/.github/workflows/release.yml" >"$new/gh.log" 2>&1 </dev/null || {
    cat "$new/gh.log" >&2
    fail "$archive isn't signed as a release of $repository is (by gh's words above); nothing was installed"
  }
  echo "its checksum and its signature were verified"
}

# Leaves the release's executable as $new/synartesis.
download() {
  from=$releases/latest/download
  if [ -n "$version" ]; then from=$releases/download/v$version; fi
  read_sums
  archive=synartesis-$release-$target.tar.gz
  from=$releases/download/v$release
  echo "fetching $from/$archive"
  fetch "$archive" || fail "can't fetch $from/$archive: $why"
  found=$(digest "$new/$archive")
  [ "$found" = "$expected" ] || fail "$archive isn't what the release has: its SHA-256 is $found, and not $expected; nothing was installed"
  verify_signature
  tar -xzf "$new/$archive" -C "$new" synartesis || fail "can't unpack $archive; is the disk full?"
}

build() {
  sh "$root/scripts/ensure.sh" modules
  (cd "$root" && BUN_RUNTIME_TRANSPILER_CACHE_PATH=0 node_modules/.bin/bun scripts/build.ts --outfile "$new/synartesis" >/dev/null)
}

# It has to run before it may replace one that does.
try_out() {
  chmod 755 "$new/synartesis"
  code=0
  said=$("$new/synartesis" --version 2>&1 </dev/null) || code=$?
  case "$code $said" in
    "0 synartesis ${release:+$release }"*) return 0 ;;
    *[Pp]"ermission denied"*) hint="may nothing be run from $dir (noexec)? --dir takes another folder" ;;
    *libstdc++* | *libgcc*) hint="it needs the C++ library; on Alpine: apk add libstdc++" ;;
    *) hint="it was taken for $target" ;;
  esac
  fail "the executable doesn't run here ($code): $(printf '%s\n' "$said" | sed -n 1,3p)
  $hint; nothing was installed"
}

# --- put in place

prepare_folder() {
  mkdir -p -- "$dir" || fail "can't make the folder $dir"
  dir=$(cd -- "$dir" && pwd)
  [ -w "$dir" ] || stop "$dir isn't writable for you; --dir takes another folder"
  file=$dir/synartesis
  [ ! -L "$file" ] || stop "$file is a link to $(readlink "$file"); it was left alone"
  if [ -e "$file" ] && ! is_ours "$file"; then stop "$file is there already and isn't this program, or doesn't run; it was left alone"; fi
  # Beside the place it goes to: what counts is that folder's disk, and a rename within it is atomic.
  new=$dir/.synartesis-install.$$
  trap 'rm -rf "$new"' EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  (umask 077 && mkdir "$new") || fail "can't write to $dir"
}

# The same folder, however it is written (a link, a slash at its end).
is_folder() { [ "$(cd -- "$1" 2>/dev/null && pwd -P)" = "$(cd -- "$2" && pwd -P)" ]; }

say_installed() {
  echo "installed $("$file" --version) as $file"
  first=$(command -v synartesis || true)
  case "$first" in /*) if is_folder "${first%/*}/" "$dir"; then return; fi ;; esac
  if ! on_path "$dir"; then
    echo "$dir isn't on PATH; add this line to your shell's profile:  export PATH=\"$dir:\$PATH\""
  else
    echo "another synartesis comes first on PATH: $first"
  fi
}

install() {
  if [ -z "$root" ]; then
    detect_target
    has curl || has wget || stop "it needs curl or wget to fetch the executable"
    has sha256sum || has shasum || has openssl || stop "nothing here can verify a checksum (sha256sum, shasum or openssl), so nothing was fetched"
    if ! has tar || ! has gzip; then stop "it needs tar and gzip to unpack the executable"; fi
  fi
  prepare_folder
  if [ -n "$root" ]; then build; else download; fi
  try_out
  # Replaced by renaming, so that a proxy that is running from the old one keeps running.
  mv -f "$new/synartesis" "$file" || fail "can't write $file"
  say_installed
}

needs() { [ "$1" -gt 1 ] && [ -n "$2" ] || stop "$3"; }

read_words() {
  while [ "$#" -gt 0 ]; do
    case "$1" in
      --dir) needs "$#" "${2:-}" "--dir needs a folder"; dir=$2; shift ;;
      --dir=?*) dir=${1#--dir=} ;;
      --version) needs "$#" "${2:-}" "--version needs one, like 1.0.0"; version=${2#v}; download=yes; shift ;;
      --version=?*) version=${1#--version=}; version=${version#v}; download=yes ;;
      --download) download=yes ;;
      --uninstall) task=uninstall ;;
      --force) force=yes ;;
      --where) task=where ;;
      -h | --help) task=usage ;;
      *) usage >&2; stop "don't know what to do with $1" ;;
    esac
    shift
  done
  case "$version" in *[!0-9A-Za-z.+-]*) stop "no version looks like $version" ;; esac
}

main() {
  dir=''
  version=''
  root=''
  download=no
  force=no
  task=install
  read_words "$@"
  # Only as a file beside the sources is it a checkout's own: read from a pipe, $0 is the shell.
  case "$0" in
    install.sh | */install.sh) here=$(cd "$(dirname "$0")" && pwd); [ "$download" = yes ] || [ ! -f "$here/scripts/ensure.sh" ] || root=$here ;;
  esac
  # A shell leaves it as it is within quotes, and behind --dir=.
  # shellcheck disable=SC2088
  case "$dir" in "~" | "~/"*) dir=${HOME:?}${dir#"~"} ;; esac
  case "$task" in
    usage) usage; return ;;
    uninstall) uninstall; return ;;
  esac
  if [ -z "$dir" ]; then dir=$(choose_folder); fi
  [ -n "$dir" ] || say_no_folder
  if [ "$task" = where ]; then echo "$dir"; else install; fi
}

{ main "$@"; }
