// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors in the options of passes and pipelines.

#include "qdq/Numerics/PassOptions.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::qdq;

std::string mlir::qdq::explainOptionError(StringRef error,
                                          ArrayRef<StringRef> names) {
  StringRef known = "<Pass-Options-Parser>: no such option ";
  StringRef text = error.trim();
  if (!text.consume_front(known))
    return text.str();
  SmallVector<StringRef> sorted(names);
  llvm::sort(sorted);
  StringRef nearest = findNearest(text, sorted);
  std::string result = "'" + text.str() + "' is not an option: ";
  if (names.empty())
    return result + "there is none";
  return result + (nearest.empty()
                       ? "expected one of " + llvm::join(sorted, ", ")
                       : "did you mean '" + nearest.str() + "'?");
}

SmallVector<StringRef> mlir::qdq::getOptionNames(StringRef options) {
  SmallVector<StringRef> names;
  for (StringRef option : llvm::split(options, ' '))
    if (StringRef name = option.split('=').first; !name.empty())
      names.push_back(name);
  return names;
}
