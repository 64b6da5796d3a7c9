// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A scale or zero point in the body of a generic.

#include "ElementGeneric.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/IR/TypeRewrite.h"

using namespace mlir;
using namespace mlir::qdq;

static TypedAttr toSignlessScalar(DenseElementsAttr elements) {
  Type type = toSignless(elements.getElementType());
  if (isa<FloatType>(type))
    return FloatAttr::get(type, elements.getSplatValue<APFloat>());
  return IntegerAttr::get(type, elements.getSplatValue<APInt>());
}

/// The constant that all elements of `value` are, or null.
static TypedAttr getUniformConstant(Value value) {
  // A cast from and to integers changes the signedness alone.
  if (auto cast = value.getDefiningOp<tensor::BitcastOp>())
    if (isa<IntegerType>(getElementTypeOrSelf(value)) &&
        isa<IntegerType>(getElementTypeOrSelf(cast.getSource())))
      value = cast.getSource();
  DenseElementsAttr elements;
  if (matchPattern(value, m_Constant(&elements)) && elements.isSplat())
    return toSignlessScalar(elements);
  TypedAttr attr;
  if (matchPattern(value, m_Constant(&attr)) &&
      isa<IntegerAttr, FloatAttr>(attr))
    return attr;
  return {};
}

BodyParameter::BodyParameter(ImplicitLocOpBuilder &b,
                             const IterationSpace &space, Value value,
                             ArrayRef<ParameterDim> dims,
                             SmallVectorImpl<MappedParameter> &operands) {
  if (!value)
    return;
  if ((constant = getUniformConstant(value)))
    return;
  value = asSignless(b, b.getLoc(), value);
  if (!isa<TensorType>(value.getType())) {
    scalar = value;
    return;
  }
  if (cast<RankedTensorType>(value.getType()).getRank() == 0)
    dims = {};
  MappedParameter mapped = space.mapParameter(b, value, dims);
  if (!space.isProjected(dims)) {
    loaded = mapped;
    return;
  }
  position = operands.size();
  operands.push_back(mapped);
}

/// Emits the index that a parameter's map computes from loops, all unsigned.
static Value emitIndex(ImplicitLocOpBuilder &b, AffineExpr expr) {
  if (auto loop = dyn_cast<AffineDimExpr>(expr))
    return linalg::IndexOp::create(b, loop.getPosition());
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return arith::ConstantIndexOp::create(b, constant.getValue());
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Value lhs = emitIndex(b, binary.getLHS()),
        rhs = emitIndex(b, binary.getRHS());
  if (expr.getKind() == AffineExprKind::Add)
    return arith::AddIOp::create(b, lhs, rhs);
  if (expr.getKind() == AffineExprKind::Mul)
    return arith::MulIOp::create(b, lhs, rhs);
  assert(expr.getKind() == AffineExprKind::FloorDiv);
  return arith::DivUIOp::create(b, lhs, rhs);
}

Value BodyParameter::get(ImplicitLocOpBuilder &b, ValueRange arguments) const {
  if (constant)
    return arith::ConstantOp::create(b, constant);
  if (loaded)
    return load(b);
  return scalar || !position ? scalar : arguments[*position];
}

/// Not an operand with a `floordiv` map: tiling would slice it as if each tile
/// began at the start of a block.
Value BodyParameter::load(ImplicitLocOpBuilder &b) const {
  SmallVector<Value> indices;
  for (AffineExpr index : loaded->map.getResults())
    indices.push_back(emitIndex(b, index));
  return tensor::ExtractOp::create(b, loaded->tensor, indices);
}
