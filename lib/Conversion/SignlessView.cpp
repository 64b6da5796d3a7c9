// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Signless views of signed and unsigned values.

#include "SignlessView.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "qdq/Numerics/Storage.h"

using namespace mlir;

Value mlir::qdq::castSignedness(OpBuilder &b, Location loc, Value value,
                                Type type) {
  if (value.getType() == type)
    return value;
  if (isa<TensorType>(type))
    return tensor::BitcastOp::create(b, loc, type, value);
  return UnrealizedConversionCastOp::create(b, loc, type, value).getResult(0);
}

Value mlir::qdq::asSignless(OpBuilder &b, Location loc, Value value) {
  return castSignedness(b, loc, value, toSignless(value.getType()));
}
