# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Completion of quant-opt in bash:
#   source tools/completion/quant-opt.bash
source "$(dirname "${BASH_SOURCE[0]}")/quant-opt-words.sh"

_quant_opt() {
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
    mapfile -t found < <(_quant_opt_words "$1" "${word%=*}")
    mapfile -t COMPREPLY < <(compgen -P "$before" -W "${found[*]}" -- "${word##*=}")
    ;;
  -*) mapfile -t COMPREPLY < <(compgen -W "$(_quant_opt_words "$1" "")" -- "$word") ;;
  *) ;; # a file, by default
  esac
  [[ ${#COMPREPLY[@]} != 1 || ${COMPREPLY[0]} != *= ]] || compopt -o nospace
}
complete -o default -F _quant_opt quant-opt
