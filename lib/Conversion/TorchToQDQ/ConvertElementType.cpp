// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// quantized_decomposed.convert_element_type.no_fuse between floats.

#include "../ForeignOps/TensorOps.h"
#include "AffineNode.h"
#include "TorchScalars.h"
#include "Translations.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::qdq;

LogicalResult mlir::qdq::translateConvertElementType(const ForeignOp &node,
                                                     const Stamp &) {
  Reader read;
  ForeignTensor input = read(node.getTensor(0, "input"));
  TensorType result = read(node.getResultType(0));
  Type dtype = read(getDtype(node, 1, "dtype"));
  if (failed(read))
    return failure();
  Type from = input.type.getElementType(), to = result.getElementType();
  if (!input.type.hasRank() || !isRealOrF64(from) || !isRealOrF64(to) ||
      dtype != to || failed(verifyCompatibleShape(input.type, result)))
    return node.refuse("makes ", result, " of ", input.type, " (dtype ", dtype,
                       "): expected one ranked shape, and f16, bf16, "
                       "f32 or f64 as the dtype says");
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  Value values = node.materialize(input);
  if (from == to)
    return node.replace(values);
  return node.replace(
      mapElements(b, {values}, to, [&](Scalar x) { return x.to(to); }));
}
