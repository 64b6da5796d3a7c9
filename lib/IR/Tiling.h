// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared parts of the TilingInterface of all ops on ranked tensors.

#ifndef QDQ_LIB_IR_TILING_H
#define QDQ_LIB_IR_TILING_H

#include "mlir/Interfaces/TilingInterface.h"
#include "qdq/IR/QDQ.h"
#include "qdq/Support/MLIRVersion.h"

namespace mlir::qdq {

/// A part of a tensor.
struct Slice {
  SmallVector<OpFoldResult> offsets, sizes;

  Slice() = default;
  Slice(ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes)
      : offsets(offsets), sizes(sizes) {}

  void add(OpFoldResult offset, OpFoldResult size) {
    offsets.push_back(offset);
    sizes.push_back(size);
  }
};

/// The part of the parameters that a tile needs, and the granularity within the
/// tile.
struct ParameterTile : Slice {
  /// As `block_shape`; empty for other granularities.
  SmallVector<int64_t> blockShape;
};

/// Says why a tile is refused, to whoever asked for it.
using EmitError = function_ref<InFlightDiagnostic()>;

/// To drivers that have something else to do: they only want to know.
inline InFlightDiagnostic emitNothing() { return {}; }

/// Fails where a tile may begin or end within a block without lying in it: no
/// block shape describes such a tile.
FailureOr<ParameterTile> getParameterTile(OpBuilder &b, Location loc,
                                          const Granularity &granularity,
                                          const Slice &loops);

/// Scales a tile by `count`, a number of elements, but not beyond the end of
/// the dimension. `divides` if the last tile is known to be full.
void scaleUp(OpBuilder &b, Location loc, AffineExpr count, OpFoldResult whole,
             bool divides, OpFoldResult &offset, OpFoldResult &size);

/// The slice of a tensor, which is added to `slices`.
Value takeSlice(OpBuilder &b, Location loc, Value value, const Slice &slice,
                SmallVectorImpl<Operation *> &slices);

/// A tensor type of these sizes, with the elements of `like`.
RankedTensorType getTileType(ArrayRef<OpFoldResult> sizes, Type like);

TilingResult toTilingResult(Operation *tiled, ArrayRef<Operation *> slices);

/// The ranges [0, size).
SmallVector<Range> toRanges(OpBuilder &b, ArrayRef<OpFoldResult> sizes);

/// The part of the operands that a driver of consumers asks about. Only tiles
/// of operand 0 say where the loops are.
FailureOr<Slice>
getFirstOperandTile(ArrayRef<unsigned> operands,
                    ArrayRef<SmallVector<OpFoldResult>> offsets,
                    ArrayRef<SmallVector<OpFoldResult>> sizes);

LogicalResult assignSlice(FailureOr<Slice> slice,
                          SmallVectorImpl<OpFoldResult> &offsets,
                          SmallVectorImpl<OpFoldResult> &sizes);

//===----------------------------------------------------------------------===//
// Ops whose loops are the dimensions of the result
//===----------------------------------------------------------------------===//

template <typename OpTy>
Value getLoopValue(OpTy op) {
  return op->getResult(0);
}

template <typename OpTy>
SmallVector<OpFoldResult> getLoopSizes(OpTy op, OpBuilder &b) {
  ReifiedRankedShapedTypeDims shapes;
  (void)op.reifyResultShapes(b, shapes);
  return shapes.front();
}

/// True for the loops whose elements share a result.
template <typename OpTy>
bool isReduced(OpTy, int64_t) {
  return false;
}
inline bool isReduced(ChooseParamsOp op, int64_t dim) {
  return op.getGranularity().getGroupLength(dim) == 0;
}

template <typename OpTy>
FailureOr<Slice> toResultTile(OpTy, OpBuilder &, const Slice &loops) {
  return loops;
}

template <typename OpTy>
FailureOr<Slice> fromResultTile(OpTy, OpBuilder &, const Slice &result) {
  return result;
}

} // namespace mlir::qdq

/// Defines the methods of TilingInterface by these functions of the op, those
/// above among them:
///
/// - `getLoopValue(op)`: the tensor whose dimensions are the loops;
/// - `getLoopSizes(op, b)`: the sizes of the loops;
/// - `isReduced(op, dim)`: true for a loop that is a reduction;
/// - `getTile(op, b, loops, emitError)`: a tile of the op;
/// - `toResultTile(op, b, loops)`: the part of the results that it gives;
/// - `fromResultTile(op, b, result)`, `fromOperandTile(op, b, operand)`: the
///   tile of the loops that gives a part of the results, or uses one of operand
///   0.
///
/// Who asks for a tile by its loops is told why there is none; the others may
/// go on without it.
#define QDQ_DEFINE_TILING(OpTy)                                                \
  SmallVector<utils::IteratorType> OpTy::getLoopIteratorTypes() {              \
    auto type = dyn_cast<RankedTensorType>(getLoopValue(*this).getType());     \
    SmallVector<utils::IteratorType> iterators;                                \
    for (int64_t dim = 0, e = type ? type.getRank() : 0; dim < e; ++dim)       \
      iterators.push_back(isReduced(*this, dim)                                \
                              ? utils::IteratorType::reduction                 \
                              : utils::IteratorType::parallel);                \
    return iterators;                                                          \
  }                                                                            \
  SmallVector<Range> OpTy::getIterationDomain(OpBuilder &b) {                  \
    if (isa<RankedTensorType>(getLoopValue(*this).getType()))                  \
      return toRanges(b, getLoopSizes(*this, b));                              \
    emitOpError("can only be tiled on a ranked tensor");                       \
    return {};                                                                 \
  }                                                                            \
  FailureOr<TilingResult> OpTy::getTiledImplementation(                        \
      OpBuilder &b, ArrayRef<OpFoldResult> offsets,                            \
      ArrayRef<OpFoldResult> sizes) {                                          \
    return getTile(*this, b, {offsets, sizes}, [&] { return emitOpError(); }); \
  }                                                                            \
  FailureOr<TilingResult> OpTy::generateResultTileValue(                       \
      OpBuilder &b, unsigned, ArrayRef<OpFoldResult> offsets,                  \
      ArrayRef<OpFoldResult> sizes) {                                          \
    FailureOr<Slice> loops = fromResultTile(*this, b, {offsets, sizes});       \
    if (failed(loops))                                                         \
      return failure();                                                        \
    return getTile(*this, b, *loops, emitNothing);                             \
  }                                                                            \
  FailureOr<TilingResult> OpTy::getTiledImplementationFromOperandTiles(        \
      OpBuilder &b, ArrayRef<unsigned> operands,                               \
      ArrayRef<SmallVector<OpFoldResult>> offsets,                             \
      ArrayRef<SmallVector<OpFoldResult>> sizes) {                             \
    Slice loops;                                                               \
    if (failed(getIterationDomainTileFromOperandTiles(                         \
            b, operands, offsets, sizes, loops.offsets, loops.sizes)))         \
      return failure();                                                        \
    return getTile(*this, b, loops, emitNothing);                              \
  }                                                                            \
  LogicalResult OpTy::getResultTilePosition(                                   \
      OpBuilder &b, unsigned, ArrayRef<OpFoldResult> offsets,                  \
      ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,  \
      SmallVector<OpFoldResult> &resultSizes) {                                \
    return assignSlice(toResultTile(*this, b, {offsets, sizes}),               \
                       resultOffsets, resultSizes);                            \
  }                                                                            \
  LogicalResult OpTy::getIterationDomainTileFromResultTile(                    \
      OpBuilder &b, unsigned, ArrayRef<OpFoldResult> offsets,                  \
      ArrayRef<OpFoldResult> sizes,                                            \
      SmallVectorImpl<OpFoldResult> &loopOffsets,                              \
      SmallVectorImpl<OpFoldResult> &loopSizes) {                              \
    return assignSlice(fromResultTile(*this, b, {offsets, sizes}),             \
                       loopOffsets, loopSizes);                                \
  }                                                                            \
  LogicalResult OpTy::getIterationDomainTileFromOperandTiles(                  \
      OpBuilder &b, ArrayRef<unsigned> operands,                               \
      ArrayRef<SmallVector<OpFoldResult>> offsets,                             \
      ArrayRef<SmallVector<OpFoldResult>> sizes,                               \
      SmallVectorImpl<OpFoldResult> &loopOffsets,                              \
      SmallVectorImpl<OpFoldResult> &loopSizes) {                              \
    FailureOr<Slice> operand = getFirstOperandTile(operands, offsets, sizes);  \
    if (failed(operand))                                                       \
      return failure();                                                        \
    return assignSlice(fromOperandTile(*this, b, *operand), loopOffsets,       \
                       loopSizes);                                             \
  }                                                                            \
  QDQ_DEFINE_HINTED_TILING(OpTy)

#endif // QDQ_LIB_IR_TILING_H
