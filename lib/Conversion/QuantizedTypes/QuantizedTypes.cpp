// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finding the types of the quant dialect in what ops mention.

#include "qdq/Conversion/QuantizedTypes/QuantizedTypes.h"
#include "mlir/IR/Operation.h"

using namespace mlir;
using namespace mlir::qdq;
using quant::QuantizedType;

QuantizedTypeFinder::QuantizedTypeFinder() {
  walker.addWalk([](Type type) {
    return isa<QuantizedType>(type) ? WalkResult::interrupt()
                                    : WalkResult::advance();
  });
}

template <typename T>
QuantizedType QuantizedTypeFinder::findIn(T element, TypeRewriter *rewriter) {
  if (!walker.walk(element).wasInterrupted())
    return nullptr;
  // The cache does not say which type it was.
  QuantizedType found;
  AttrTypeWalker finder;
  finder.addWalk([&](QuantizedType type) {
    found = type;
    return WalkResult::interrupt();
  });
  finder.walk(rewriter ? rewriter->rewrite(element) : element);
  return found;
}

QuantizedType QuantizedTypeFinder::find(Operation *op, TypeRewriter *rewriter) {
  for (Type type : op->getOperandTypes())
    if (QuantizedType found = findIn(type, rewriter))
      return found;
  for (Type type : op->getResultTypes())
    if (QuantizedType found = findIn(type, rewriter))
      return found;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Type type : block.getArgumentTypes())
        if (QuantizedType found = findIn(type, rewriter))
          return found;
  QuantizedType found;
  allAttributes(op, AttributeScope::All, [&](Attribute attr) {
    found = findIn(attr, rewriter);
    return !found;
  });
  return found;
}

std::string mlir::qdq::describe(Type type) {
  constexpr size_t kLongest = 160;
  std::string text;
  llvm::raw_string_ostream(text) << type;
  if (text.size() > kLongest)
    text = text.substr(0, kLongest) + "...";
  return "'" + text + "'";
}
