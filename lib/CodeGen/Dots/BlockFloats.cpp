// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors in block floating point.

#include "BlockFloats.h"
#include "../Plan/Tiles.h"
#include "Transposition.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qdq/IR/BuildGeneric.h"
#include "qdq/IR/TensorSlice.h"
#include "qdq/Numerics/Scalar.h"

using namespace mlir;
using namespace mlir::qdq;

static constexpr unsigned kMantissa = 23;
static constexpr uint32_t kBias = 127, kMagnitude = 0x7FFFFFFF;

/// The bits of 2^exponent in f32.
static constexpr uint32_t powerOfTwo(int exponent) {
  return (kBias + exponent) << kMantissa;
}

/// A magnitude below 2^(n + 1) is an integer of n bits, and one more, in units
/// of 2^-kIntegerBits of 2^n. Three digits reach to 0.996 of that: above 0.992,
/// units are twice as large.
static constexpr int kIntegerBits = 22;
static constexpr uint32_t kHeadroom = uint32_t(1) << (kMantissa - 6);
static constexpr uint32_t kSmallest = powerOfTwo(-100),
                          kBound = powerOfTwo(120);

/// The bits of a real in f32.
static Scalar toBits(const Scalar &real) {
  ImplicitLocOpBuilder &b = real.getBuilder();
  return real.to(b.getF32Type()).bitcast(b.getI32Type());
}

/// The power of two that says how large a unit is.
static Scalar getPower(const Scalar &largest) {
  return maxUnsigned((largest + kHeadroom) & (~uint32_t(0) << kMantissa),
                     kSmallest);
}

/// The unit times 2^-exponent.
static Scalar getUnit(const Scalar &largest, int exponent) {
  uint32_t places = uint32_t(kIntegerBits + exponent) << kMantissa;
  return (getPower(largest) - places)
      .bitcast(largest.getBuilder().getF32Type());
}

/// A generic with these inputs and as many results of `sizes` as `elements`,
/// which `body` makes. `maps` are those of the inputs, and of all results; what
/// the latter lacks is reduced, from 0 on.
template <typename Body>
static SmallVector<Value>
createGeneric(ImplicitLocOpBuilder &b, ValueRange inputs,
              SmallVector<AffineMap> maps, ArrayRef<OpFoldResult> sizes,
              ArrayRef<Type> elements, const Body &body) {
  AffineMap result = maps.back();
  SmallVector<Value> inits;
  for (Type element : elements) {
    Value init = tensor::EmptyOp::create(b, sizes, element);
    if (result.getNumResults() < result.getNumDims()) {
      Value zero = arith::ConstantOp::create(b, b.getZeroAttr(element));
      init = linalg::FillOp::create(b, zero, init).getResult(0);
    }
    inits.push_back(init);
  }
  maps.append(elements.size() - 1, result);
  return buildGeneric(b, inputs, inits, maps,
                      [&](ImplicitLocOpBuilder &inner, ValueRange x) {
                        return body(llvm::map_to_vector(
                            x, [&](Value v) { return Scalar(inner, v); }));
                      })
      ->getResults();
}

static ArrayRef<int64_t> getShape(Value v) {
  return cast<RankedTensorType>(v.getType()).getShape();
}

static SmallVector<OpFoldResult> getSizes(ImplicitLocOpBuilder &b, Value v) {
  return tensor::getMixedSizes(b, b.getLoc(), v);
}

/// The `numDims` dimensions from `first` on with other sizes.
static Value reshape(ImplicitLocOpBuilder &b, Value source, unsigned first,
                     unsigned numDims, ArrayRef<int64_t> sizes) {
  auto type = cast<RankedTensorType>(source.getType());
  unsigned numRest = type.getRank() - first - numDims;
  SmallVector<int64_t> shape(type.getShape().take_front(first));
  llvm::append_range(shape, sizes);
  llvm::append_range(shape, type.getShape().take_back(numRest));
  auto group = [&](unsigned count) {
    return groupDims(first + count + numRest, first, count);
  };
  if (numDims > 1)
    source = tensor::CollapseShapeOp::create(b, source, group(numDims));
  if (sizes.size() > 1)
    source = tensor::ExpandShapeOp::create(b, type.clone(shape), source,
                                           group(sizes.size()));
  return source;
}

BlockFloats::BlockFloats(ImplicitLocOpBuilder &b, Value reals,
                         unsigned numContainerDims, bool hasFields,
                         BlockCut cut)
    : b(b), cut(cut) {
  unsigned first = getShape(reals).size() - hasFields - numContainerDims;
  int64_t count = ShapedType::getNumElements(
      getShape(reals).slice(first, numContainerDims));
  SmallVector<int64_t> split{count / cut.getSize(), cut.parts, cut.containers};
  if (!hasFields)
    split.push_back(1);
  Value vectors = reshape(b, reals, first, numContainerDims, split);
  numOuter = first + 1;
  // The fields before the parts.
  auto order = llvm::to_vector(llvm::seq<int64_t>(numOuter + 3));
  std::rotate(order.begin() + numOuter, order.end() - 1, order.end());
  source = createTransposition(b, vectors, order);

  if (isCode())
    return;
  SmallVector<OpFoldResult> sizes = getSizes(b, vectors);
  sizes.truncate(sizes.size() - 2);
  auto getLargest = [](ArrayRef<Scalar> x) -> Value {
    return maxUnsigned(x[1], toBits(x[0]) & kMagnitude);
  };
  largest = createGeneric(b, source, {getMap(3, {0, 1, 2}), getMap(3, {1})},
                          sizes, b.getI32Type(), getLargest)
                .front();
}

/// The outer dimensions and some of the `numDims` behind them.
AffineMap BlockFloats::getMap(unsigned numDims,
                              ArrayRef<unsigned> inner) const {
  auto dims = llvm::to_vector(llvm::seq(numOuter));
  for (unsigned dim : inner)
    dims.push_back(numOuter + dim);
  return AffineMap::getMultiDimMapWithTargets(numOuter + numDims, dims,
                                              b.getContext());
}

Value BlockFloats::createCheck() {
  auto isOutside = [](ArrayRef<Scalar> x) -> Value {
    Scalar isZero = equal(x[0], 0);
    // Smaller numbers wrap around.
    Scalar isInside = isBelow(x[0] - kSmallest, kBound - kSmallest);
    return select(isZero, x[1], select(isInside, x[1], 1));
  };
  auto scalar = AffineMap::get(numOuter + 1, 0, b.getContext());
  Value outside = createGeneric(b, largest, {getMap(1, {0}), scalar}, {},
                                b.getI32Type(), isOutside)
                      .front();
  return equal(Scalar(b, tensor::ExtractOp::create(b, outside, ValueRange())),
               0);
}

Value BlockFloats::getIntegers() {
  if (integers)
    return integers;
  AffineMap all = getMap(3, {0, 1, 2});
  auto extend = [](ArrayRef<Scalar> x) -> Value {
    return x[0].to(x[0].getBuilder().getI32Type());
  };
  if (isCode())
    return integers = createGeneric(b, source, {all, all}, getSizes(b, source),
                                    b.getI32Type(), extend)
                          .front();
  auto round = [](ArrayRef<Scalar> x) -> Value {
    Builder types(x[0].getBuilder());
    // 2^kIntegerBits over the power: exponents add up to that and two biases.
    uint32_t exponents = (2 * kBias + kIntegerBits) << kMantissa;
    Scalar power = getPower(x[1]);
    Scalar factor = power.constant(int64_t(exponents)) - power;
    Scalar scaled =
        x[0].to(types.getF32Type()) * factor.bitcast(types.getF32Type());
    return scaled.apply<math::RoundEvenOp>().to(types.getI32Type());
  };
  integers = createGeneric(b, {source, largest}, {all, getMap(3, {1}), all},
                           getSizes(b, source), b.getI32Type(), round)
                 .front();
  return integers;
}

SmallVector<Value> BlockFloats::createDigits() {
  AffineMap all = getMap(3, {0, 1, 2});
  SmallVector<Type> bytes(kNumDigits, b.getI8Type());
  auto split = [](ArrayRef<Scalar> x) {
    SmallVector<Value> digits(kNumDigits);
    Scalar rest = x[0];
    for (Value &digit : llvm::reverse(digits)) {
      digit = rest.to(rest.getBuilder().getI8Type());
      // A digit of 128 and more stands for one less in the next.
      rest = (rest + (1 << (kDigitBits - 1))) >> kDigitBits;
    }
    return digits;
  };
  SmallVector<Value> digits{source};
  if (!isCode())
    digits = createGeneric(b, getIntegers(), {all, all}, getSizes(b, source),
                           bytes, split);
  for (Value &digit : digits)
    digit = reshape(b, digit, numOuter + 1, 2, {cut.getSize()});
  return digits;
}

/// The integers, added up but for the `kept` dimensions behind the outer ones,
/// times `factor`.
Value BlockFloats::sumIntegers(Value integers, ArrayRef<unsigned> kept,
                               int64_t factor) {
  SmallVector<OpFoldResult> all = getSizes(b, integers), sizes = all;
  sizes.truncate(numOuter);
  for (unsigned dim : kept)
    sizes.push_back(all[numOuter + dim]);
  unsigned numDims = all.size() - numOuter;
  auto add = [&](ArrayRef<Scalar> x) -> Value {
    return x[1] + (factor == 1 ? x[0] : x[0] * factor);
  };
  return createGeneric(
             b, integers,
             {b.getMultiDimIdentityMap(all.size()), getMap(numDims, kept)},
             sizes, b.getI32Type(), add)
      .front();
}

Value BlockFloats::createLaneSums(int64_t factor) {
  int64_t lanes = cut.containers / kLaneBytes;
  Value split = reshape(b, getIntegers(), numOuter + 2, 1, {lanes, kLaneBytes});
  return reshape(b, sumIntegers(split, {1, 2}, factor), numOuter, 2,
                 {cut.getSize() / kLaneBytes});
}

Value BlockFloats::createPartReals(int64_t groupSize) {
  SmallVector<Value> inputs{sumIntegers(getIntegers(), {1}, 1)};
  AffineMap all = getMap(1, {0});
  if (!isCode())
    inputs.push_back(largest);
  auto scale = [&](ArrayRef<Scalar> x) -> Value {
    Scalar sum = x[0].to(x[0].getBuilder().getF32Type());
    return isCode() ? sum : sum * getUnit(x[1], 0);
  };
  Value parts =
      createGeneric(b, inputs, SmallVector<AffineMap>(inputs.size() + 1, all),
                    getSizes(b, inputs.front()), b.getF32Type(), scale)
          .front();
  int64_t numVectors = getShape(parts)[numOuter - 1];
  return reshape(b, parts, numOuter - 1, 2,
                 {numVectors / groupSize, groupSize * cut.parts});
}

Value BlockFloats::createLaneUnits(int exponent) {
  SmallVector<OpFoldResult> sizes = getSizes(b, largest);
  sizes.push_back(b.getIndexAttr(cut.containers / kLaneBytes));
  auto createUnit = [&](ArrayRef<Scalar> x) -> Value {
    return getUnit(x[0], exponent);
  };
  Value units = createGeneric(b, largest, {getMap(2, {0}), getMap(2, {0, 1})},
                              sizes, b.getF32Type(), createUnit)
                    .front();
  return reshape(b, units, numOuter, 2, {cut.getSize() / kLaneBytes});
}
