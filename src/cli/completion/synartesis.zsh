#compdef synartesis
# What makes zsh complete the commands of synartesis. It asks the program itself, so that it needs no renewal.
_synartesis() {
  local -a lines found
  local head line
  lines=("${(@f)$(@PROGRAM@ completions zsh -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
  head=$lines[1]
  [[ -n ${head#* } ]] && compset -P '*='
  for line in "${(@)lines[2,-1]}"; do
    found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
  done
  (( $#found )) && _describe -V synartesis found
  case ${head%% *} in
    files) _files ;;
    folders) _files -/ ;;
    programs) _command_names -e ;;
  esac
}
if [[ $funcstack[1] == _synartesis ]]; then
  _synartesis "$@"
else
  compdef _synartesis synartesis
fi
