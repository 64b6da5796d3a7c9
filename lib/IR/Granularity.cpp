// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks and index maps of parameter granularity.

#include "qdq/IR/Granularity.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::qdq;

bool mlir::qdq::isValueType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return !isa<ShapedType>(type) || isa<VectorType, UnrankedTensorType>(type) ||
         (tensor && !tensor.getEncoding());
}

bool mlir::qdq::isSingleElement(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  return !shaped || (shaped.hasRank() && shaped.getRank() == 0);
}

FailureOr<Granularity>
Granularity::get(std::optional<int64_t> rank, std::optional<int64_t> axis,
                 std::optional<ArrayRef<int64_t>> blockShape,
                 function_ref<InFlightDiagnostic()> emitError) {
  Granularity result;
  if (axis && blockShape)
    return emitError() << "has both 'axis' and 'block_shape'; give one";
  if (axis) {
    result.kind = Kind::Axis;
    result.axis = *axis;
    if (!rank)
      return result;
    if (*axis < -*rank || *axis >= *rank)
      return emitError() << "axis " << *axis << " is out of range for rank "
                         << *rank << ": expected " << -*rank << " to "
                         << *rank - 1;
    if (*axis < 0)
      result.axis += *rank;
    return result;
  }
  if (!blockShape)
    return result;

  result.kind = Kind::Block;
  if (!rank)
    return emitError() << "'block_shape' needs a ranked input";
  if (static_cast<int64_t>(blockShape->size()) != *rank)
    return emitError() << "block_shape has " << blockShape->size()
                       << " entries for rank " << *rank
                       << ": expected one for each dimension";
  for (auto [dim, length] : llvm::enumerate(*blockShape))
    if (length < 0)
      return emitError() << "block_shape[" << dim << "] is " << length
                         << ": expected a block length, or 0 for the whole "
                            "dimension";
  result.blockShape.assign(blockShape->begin(), blockShape->end());
  return result;
}

SmallVector<int64_t>
Granularity::getParameterShape(ArrayRef<int64_t> shape) const {
  SmallVector<int64_t> result;
  if (isAxis())
    result.push_back(shape[axis]);
  for (auto [size, length] : llvm::zip(shape, blockShape)) {
    if (length == 0)
      result.push_back(1);
    else if (ShapedType::isDynamic(size))
      result.push_back(size);
    else
      result.push_back(llvm::divideCeil(static_cast<uint64_t>(size),
                                        static_cast<uint64_t>(length)));
  }
  return result;
}

AffineMap Granularity::getParameterShapeMap(int64_t rank,
                                            MLIRContext *ctx) const {
  SmallVector<AffineExpr> results;
  if (isAxis())
    results.push_back(getAffineDimExpr(axis, ctx));
  for (auto [dim, length] : llvm::enumerate(blockShape))
    results.push_back(length == 0 ? getAffineConstantExpr(1, ctx)
                                  : getAffineDimExpr(dim, ctx).ceilDiv(length));
  return AffineMap::get(rank, 0, results, ctx);
}

AffineMap Granularity::getParameterMap(int64_t rank, MLIRContext *ctx) const {
  SmallVector<AffineExpr> results;
  if (isAxis())
    results.push_back(getAffineDimExpr(axis, ctx));
  for (auto [dim, length] : llvm::enumerate(blockShape)) {
    AffineExpr index = getAffineDimExpr(dim, ctx);
    results.push_back(length == 0 ? getAffineConstantExpr(0, ctx)
                                  : index.floorDiv(length));
  }
  return AffineMap::get(rank, 0, results, ctx);
}

LogicalResult Granularity::verifyParameter(
    StringRef name, Type value, Type parameter, bool allowsTensor,
    function_ref<InFlightDiagnostic()> emitError) const {
  auto shaped = dyn_cast<ShapedType>(parameter);
  bool isTensorType = isa<TensorType>(parameter);
  if (shaped && !shaped.hasRank())
    return emitError() << name << " has type " << parameter
                       << ": expected a ranked type";
  if (isTensorType ? !isa<TensorType>(value)
                   : shaped && !isa<VectorType>(value))
    return emitError() << name << " has type " << parameter
                       << ", which does not go with an input of type " << value
                       << ": parameters of tensors are tensors or scalars, of "
                          "vectors vectors or scalars, of scalars scalars";
  auto isScalable = [](Type type) {
    auto vector = dyn_cast<VectorType>(type);
    return vector && vector.isScalable();
  };
  if (isScalable(parameter) && !isScalable(value))
    return emitError() << name << " has type " << parameter
                       << ", but the input has the fixed length of " << value;
  if (isSingleElement(parameter)) {
    if (isTensor() || allowsTensor)
      return success();
    return emitError() << name << " has one element, but "
                       << (isAxis() ? "'axis'" : "'block_shape'")
                       << " is given: expected rank " << getParameterRank();
  }
  if (isTensor())
    return emitError() << name << " has rank " << shaped.getRank()
                       << ": expected one element (rank 0), or 'axis' or "
                          "'block_shape' to place it";
  if (shaped.getRank() != getParameterRank())
    return emitError() << name << " has rank " << shaped.getRank()
                       << ": expected rank " << getParameterRank() << " with "
                       << (isAxis() ? "'axis'" : "'block_shape'");

  auto valueType = dyn_cast<ShapedType>(value);
  if (!valueType || !valueType.hasRank())
    return success();
  for (auto [dim, actual, expected] : llvm::enumerate(
           shaped.getShape(), getParameterShape(valueType.getShape()))) {
    if (ShapedType::isDynamic(actual) || ShapedType::isDynamic(expected) ||
        actual == expected)
      continue;
    InFlightDiagnostic error = emitError();
    error << name << " has size " << actual << " in dimension " << dim
          << ": expected " << expected;
    if (isAxis())
      return error << ", the size of dimension " << axis << " of " << value;
    if (blockShape[dim] == 0)
      return error << ", one for the whole of dimension " << dim << " of "
                   << value;
    return error << ", ceil(" << valueType.getDimSize(dim) << " / "
                 << blockShape[dim] << ") blocks of " << value;
  }
  return success();
}
