# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# _quant_opt_words <tool> <prefix>: what may follow "", --<pass> and --<pass>=<option>
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

# _quant_words <tool> <prefix>: the same of every tool; its own options are those of --help,
# and the values of others those of quant-to-llvm and lower-quant.
_quant_words() {
  local option=${2%%=*} pass=quant-to-llvm found
  if [[ $1 == *quant-opt ]]; then
    _quant_opt_words "$1" "$2"
    return
  fi
  case $option in
  --lower-quant) pass=lower-quant ;&
  --pipeline-options | --policy)
    _quant_opt_words quant-opt "--$pass${2#"$option"}"
    return
    ;;
  esac
  found=$("$1" --help | awk -v wanted="$option" '
    # "  -o OUT  text", "  --emit=<value> - text", and below it "    =obj - text".
    /^  -/ {
      last = ""
      for (i = 1; i <= NF && $i ~ /^-./; i++) {
        last = $i; sub(/,$/, "", last)
        has_value = last ~ /=/ || $(i + 1) ~ /^[A-Z]+$/
        sub(/[=<].*/, "", last)
        if (wanted == "") print last (has_value && last ~ /^--/ ? "=" : "")
      }
    }
    /^    =/ { if (wanted != "" && last == wanted) { sub(/^=/, "", $1); print $1 } }')
  [[ -n $found || -z $option ]] || found=$(_quant_opt_words quant-opt "--$pass=${option#--}")
  echo "$found"
}
