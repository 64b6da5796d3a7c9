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
