# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Completion of the commands in bash:
#   source tools/completion/quant.bash
source "$(dirname "${BASH_SOURCE[0]}")/quant-words.sh"

_quant() {
  # bash parts words at "=" outside of quotes, so the word comes from the line. In
  # quotes stand several options: --lower-quant="profile=ort rounding=f
  local line=${COMP_LINE:0:COMP_POINT} word before="" found
  word=${line##*[[:space:]]}
  if [[ $line =~ (--?[[:alnum:]_-]+)=[\"\']([^\"\']*)$ ]]; then
    word=${BASH_REMATCH[2]##*[[:space:]]}
    before=${BASH_REMATCH[2]%"$word"}
    [[ $word != *=* ]] || before+=${word%%=*}=
    word=${BASH_REMATCH[1]}=$word
  fi
  case $word in
  -*=*)
    mapfile -t found < <(_quant_words "$1" "${word%=*}")
    mapfile -t COMPREPLY < <(compgen -P "$before" -W "${found[*]}" -- "${word##*=}")
    ;;
  -*) mapfile -t COMPREPLY < <(compgen -W "$(_quant_words "$1" "")" -- "$word") ;;
  *)
    # The value of the option before it, or a file by default.
    local option=${COMP_WORDS[COMP_CWORD - 1]}
    [[ $option != --*[[:alpha:]] ]] ||
      mapfile -t COMPREPLY < <(compgen -W "$(_quant_words "$1" "$option")" -- "$word")
    ;;
  esac
  [[ ${#COMPREPLY[@]} != 1 || ${COMPREPLY[0]} != *= ]] || compopt -o nospace
}
complete -o default -F _quant quant-opt quant-compile quant-import quant-run quant-report \
  quant-lsp-server
