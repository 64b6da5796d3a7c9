# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Completion of quant-opt's options, of the options of passes, and of their values:
#   source tools/completion/quant-opt.bash
# In zsh, before it: autoload -Uz bashcompinit compinit; compinit; bashcompinit

# _quant_opt_words <tool> <prefix>: what may follow --, --<pass>= and --<pass>=<option>=
_quant_opt_words() {
  "$1" --help-list-hidden | awk -v prefix="$2" '
    # A pass stands six columns in, its options eight, the values of an option four.
    function name(field) { sub(/^-+/, "", field); sub(/[=<].*/, "", field); return field }
    BEGIN {
      parts = split(prefix, wanted, "=")
      sub(/^-+/, "", wanted[1])
    }
    /^  (    )?-/ {
      pass = name($1)
      if (parts == 0) print "--" pass ($1 ~ /=/ ? "=" : "")
    }
    /^        -/ {
      option = name($1)
      if (parts == 1 && pass == wanted[1]) print option "="
      # "what it is: one, two, three", or no more than the list.
      if (parts == 2 && pass == wanted[1] && option == wanted[2]) {
        count = split($0, said, " - ")
        list = said[count]
        if (list ~ /^[a-z0-9_-]+(, [a-z0-9_-]+)+$/) { gsub(/, /, "\n", list); print list }
      }
    }
    /^ +=/ && !/^        / {
      value = $1; sub(/^=/, "", value)
      if (parts == 2 && pass == wanted[1] && option == wanted[2]) print value
    }'
}

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
