# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Completion of the commands in zsh, after compinit:
#   source tools/completion/quant.zsh
source ${0:A:h}/quant-words.sh

_quant() {
  local word=$PREFIX pass rest
  if [[ $word != -* ]]; then
    _files
    return
  fi
  if [[ $word != *=* ]]; then
    _quant_add "$(_quant_words $words[1] '')"
    return
  fi
  # --<pass>=<option>=<value>, or several options in quotes.
  pass=${word%%=*} rest=${word#*=}
  rest=${rest##*[ \"\']}
  compset -P '*[= "'\'']'
  if [[ $rest == *=* ]]; then
    pass+="=${rest%%=*}"
  fi
  _quant_add "$(_quant_words $words[1] $pass)"
}

# What ends in "=" goes on.
_quant_add() {
  local -a found=(${(f)1})
  compadd -S '' -- ${(M)found:#*=}
  compadd -- ${found:#*=}
}
compdef _quant quant-opt quant-compile quant-import quant-run quant-report quant-lsp-server
