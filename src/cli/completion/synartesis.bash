# What makes bash complete the commands of synartesis. It asks the program itself, so that it needs no renewal.
_synartesis() {
  local head word about
  COMPREPLY=()
  {
    IFS= read -r head || return 0
    # bash keeps what stands before a `=` by itself, where it breaks words there.
    local before=${head#* } typed=${COMP_WORDS[COMP_CWORD]}
    case $COMP_WORDBREAKS in *=*) before= ;; esac
    while IFS=$'\t' read -r word about; do COMPREPLY+=("$before$word"); done
  } < <(@PROGRAM@ completions bash -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  # Where bash can find them itself it does so better, quotes and all; the bash that macOS has can't be told to.
  case ${head%% *} in
    files) compopt -o default 2>/dev/null || _synartesis_found -f ;;
    folders) compopt -o dirnames 2>/dev/null || _synartesis_found -d ;;
    programs) _synartesis_found -c ;;
  esac
}
_synartesis_found() {
  local word
  [ "$typed" != = ] || typed=
  while IFS= read -r word; do COMPREPLY+=("$before$word"); done < <(compgen "$1" -- "${typed#"$before"}")
}
complete -F _synartesis synartesis
