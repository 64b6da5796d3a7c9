// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tfl.mean and tfl.sum.

#include "../ForeignOps/TensorOps.h"
#include "../ONNXToLinalg/NodeParts.h"
#include "Rescaling.h"
#include "Translations.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/Conversion/IntegerProducts.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::qdq;

//===----------------------------------------------------------------------===//
// Sums along axes
//===----------------------------------------------------------------------===//

namespace {
struct Reduction {
  CodeTensor input;
  CodeType result;
  /// One for each dimension of the input.
  SmallVector<utils::IteratorType> loops;
  /// The number of elements of a sum.
  int64_t count = 1;

  bool isKept(int64_t dim) const {
    return loops[dim] == utils::IteratorType::parallel;
  }
};
} // namespace

static FailureOr<Reduction> readReduction(const ForeignOp &op) {
  Reader read;
  Reduction n;
  n.input = read(readCodes(op, 0, "input"));
  auto axes = read(readConstantIntegers(op, 1, "axis"));
  n.result = read(readResultCodes(op));
  if (failed(read))
    return failure();
  RankedTensorType input = n.input.type, result = n.result.type;
  int64_t rank = input.getRank();
  n.loops.assign(rank, utils::IteratorType::parallel);
  for (int64_t axis : axes) {
    FailureOr<int64_t> dim = normalizeAxis(op, axis, rank);
    if (failed(dim))
      return failure();
    if (!n.isKept(*dim))
      continue;
    n.loops[*dim] = utils::IteratorType::reduction;
    int64_t size = input.getDimSize(*dim);
    if (ShapedType::isDynamic(size) || size == 0 ||
        llvm::MulOverflow(n.count, size, n.count) || n.count > (1 << 22))
      return op.refuse("input has type ", input,
                       ": expected static sizes in its axes, and not more than "
                       "2^22 elements");
  }
  SmallVector<int64_t> shape, whole(input.getShape());
  for (int64_t dim = 0; dim < rank; ++dim)
    if (n.isKept(dim))
      shape.push_back(whole[dim]);
    else
      whole[dim] = 1;
  bool keepsDims = result.getRank() == rank;
  if (failed(
          verifyCompatibleShape(keepsDims ? whole : shape, result.getShape())))
    return op.refuse("result has type ", result, ": expected the shape of ",
                     RankedTensorType::get(shape, n.result.getStorage()),
                     ", or with sizes of 1 in its axes");
  return n;
}

/// The sums of `code - zero point`, as integers of 32 bits, or of 64 where
/// they may have more.
static Value createSums(const ForeignOp &op, const Reduction &n) {
  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  auto [lo, hi] = getIntegerBounds(n.input.getStorage());
  int64_t zero = n.input.getZeroPoint();
  int64_t largest = std::max(std::abs(lo - zero), std::abs(hi - zero));
  Type type = n.count * largest > INT32_MAX ? b.getI64Type() : b.getI32Type();
  Value differences = subtractZeroPoint(op, n.input);
  SmallVector<OpFoldResult> sizes;
  SmallVector<AffineExpr> kept;
  int64_t rank = n.loops.size();
  for (int64_t dim = 0; dim < rank; ++dim)
    if (n.isKept(dim)) {
      sizes.push_back(tensor::getMixedSize(b, b.getLoc(), differences, dim));
      kept.push_back(b.getAffineDimExpr(dim));
    }
  Value init = createZeros(b, sizes, type);
  AffineMap maps[] = {b.getMultiDimIdentityMap(rank),
                      AffineMap::get(rank, 0, kept, b.getContext())};
  return createGeneric(b, differences, init, maps,
                       [&](Scalar x, Scalar sum) { return sum + x.to(type); });
}

/// Replaces the op by codes of its sums, with sizes of 1 where it keeps them.
static LogicalResult replaceByCodes(const ForeignOp &op, const Reduction &n,
                                    Value codes) {
  int64_t rank = n.loops.size();
  SmallVector<int64_t> axes;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!n.isKept(dim))
      axes.push_back(dim);
  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  if (n.result.type.getRank() == rank)
    codes = insertUnitDims(b, codes, axes);
  return replaceWithStorage(op, codes);
}

//===----------------------------------------------------------------------===//
// tfl.mean
//===----------------------------------------------------------------------===//

/// The kernel's integer multiplier, with the number of elements in it.
static FailureOr<SumRescaling> getMean(const ForeignOp &op, const Stamp &stamp,
                                       const CodeType &input,
                                       const CodeType &result, int64_t count) {
  double multiplier =
      getRealMultiplier(input.getScale(), APFloat(1.0f), result.getScale());
  // XNNPACK has no 16 bits.
  Rescale rescale = input.getStorage().isInteger(8)
                        ? getSumRescale(stamp, Rescale::Fixed31Double)
                        : getOwnRescale(stamp, Rescale::Fixed31Double);
  if (rescale != Rescale::Fixed31Double) {
    float number = static_cast<float>(count) * result.getFloatScale();
    return SumRescaling{rescale, {input.getFloatScale() / number}};
  }
  auto fixed = getFixedMultiplier(rescale, multiplier);
  if (!fixed)
    return op.refuse("has scales whose multiplier is ", multiplier,
                     ", which the integer arithmetic of its kernel does not "
                     "hold");
  // t >= 0 is how many places the quotient may have.
  int64_t places =
      std::min<int64_t>({llvm::Log2_64(count), 32, 62 - fixed->shift});
  if (places < 0)
    return op.refuse("has scales whose multiplier is ", multiplier,
                     ", too small for the integer arithmetic of its kernel");
  FixedMultiplier mean{(fixed->multiplier << places) / count,
                       fixed->shift + places};
  return SumRescaling{rescale, {}, {}, {mean}};
}

LogicalResult mlir::qdq::translateMean(const ForeignOp &op,
                                       const Stamp &stamp) {
  FailureOr<Reduction> n = readReduction(op);
  if (failed(n))
    return failure();
  FailureOr<SumRescaling> rescaling =
      getMean(op, stamp, n->input, n->result, n->count);
  if (failed(rescaling))
    return failure();
  return replaceByCodes(op, *n,
                        createRequantize(op, stamp, createSums(op, *n),
                                         n->result, *rescaling,
                                         {n->result.lo, n->result.hi}));
}

//===----------------------------------------------------------------------===//
// tfl.sum
//===----------------------------------------------------------------------===//

LogicalResult mlir::qdq::translateSum(const ForeignOp &op, const Stamp &stamp) {
  FailureOr<Reduction> n = readReduction(op);
  if (failed(n))
    return failure();
  float multiplier = n->input.getFloatScale() / n->result.getFloatScale();
  if (stamp.getProfile() != Profile::XNNPACK) {
    SumRescaling rescaling{
        getSumRescale(stamp, Rescale::Fixed31Double),
        {getRealMultiplier(n->input.getScale(), APFloat(1.0f),
                           n->result.getScale())}};
    if (failed(checkRescaling(op, rescaling)))
      return failure();
    return replaceByCodes(op, *n,
                          createRequantize(op, stamp, createSums(op, *n),
                                           n->result, rescaling,
                                           {n->result.lo, n->result.hi}));
  }
  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  FloatType f32 = b.getF32Type();
  Value reals = mapElements(b, {createSums(op, *n)}, f32, [&](Scalar sum) {
    return sum.to(f32) * multiplier;
  });
  // XNNPACK has no 16 bits.
  bool is8Bits = n->input.getStorage().isInteger(8);
  SemanticsFields fields;
  fields.rounding = is8Bits ? Rounding::NearestEven : Rounding::NearestAway;
  fields.order = is8Bits ? Order::AddThenRound : Order::RoundThenAdd;
  QuantizationParameters result = n->result.parameters;
  result.scale = getSingle(f32, 1);
  return replaceByCodes(op, *n,
                        quantizeF32(op, stamp, toForeign(reals),
                                    n->result.getStorage(), result, fields,
                                    getClamp(b, n->result)));
}
