// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Changes of MLIR text by tokens, so that more of it parses.

#ifndef QDQ_TOOLS_FUZZIR_MUTATE_H
#define QDQ_TOOLS_FUZZIR_MUTATE_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace mlir::qdq::fuzz {

/// `text` with one to four changes that `seed` draws: a token becomes another
/// one of its kind, from `donor`, from `text` or from a list; or a line is
/// removed, repeated or moved.
std::string mutate(llvm::StringRef text, llvm::StringRef donor, unsigned seed);

} // namespace mlir::qdq::fuzz

#endif // QDQ_TOOLS_FUZZIR_MUTATE_H
