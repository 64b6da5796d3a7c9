// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quantized results whose sums are no integers of one scale: blocks, and biases
// of reals.

#include "LoopOperands.h"
#include "Requantization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "qdq/Numerics/Emitter.h"
#include "qdq/Numerics/Scalar.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::qdq;

/// More elements are not evaluated at compile time.
static constexpr int64_t kMaxMultipliers = 1 << 22;

/// `exact` stays in integers.
bool Requantization::hasFloatReductions() {
  return epilogue.realBias ||
         (integers.blocks.loop && rescale != Rescale::Exact);
}

//===----------------------------------------------------------------------===//
// Analysis
//===----------------------------------------------------------------------===//

LogicalResult Requantization::findFloatReductions(std::string &reason) {
  if (rescale == Rescale::QDQ)
    return refuse(reason, "its sums are reals: blocks along a dimension that "
                          "is summed have scales of their own");
  if (isFixedPoint(rescale))
    return refuse(reason, "an integer multiplier rescales a whole sum, and "
                          "its blocks have scales of their own");
  if (rescale == Rescale::Separate) {
    if (epilogue.realBias && getElementTypeOrSelf(epilogue.realBias).isF64())
      return refuse(reason,
                    "the bias is f64, and the result is computed in f32");
    return success();
  }
  // One division for each sum of a block, where scales are not known.
  auto getChannel = getConstantScales();
  ParameterSpace space = getStaticSpace(getScales());
  if (!getChannel || space.getLoops().size() > 1)
    return success();
  for (int64_t block = 0; block < integers.getNumBlocks(); ++block) {
    auto add = [&](ArrayRef<int64_t> position) {
      blockMultipliers.push_back(
          getFloatMultiplier(getChannel(position, block)));
    };
    if (failed(space.forEachElement(add)) ||
        static_cast<int64_t>(blockMultipliers.size()) > kMaxMultipliers) {
      blockMultipliers.clear();
      break;
    }
  }
  return success();
}

/// Scales of blocks as integers times a power of two, the same for the blocks
/// of a channel: with them the sum over all blocks is an integer.
LogicalResult Requantization::findBlockWeights(std::string &reason) {
  auto getChannel = getConstantScales();
  ParameterSpace space = getStaticSpace(getScales());
  SmallVector<SmallVector<int64_t>> positions;
  auto addPosition = [&](ArrayRef<int64_t> position) {
    positions.emplace_back(position);
  };
  int64_t numBlocks = integers.getNumBlocks();
  if (!getChannel || failed(space.forEachElement(addPosition)) ||
      positions.empty() ||
      static_cast<int64_t>(positions.size()) > kMaxMultipliers / numBlocks)
    return refuse(reason, "an integer multiplier needs constant scales");
  auto getLargestDifference = [](const ContractionOperand &operand) {
    DequantizeOp op = operand.source.op;
    return qdq::getLargestDifference(op.getStorage(), op.getZeroPoint());
  };
  uint64_t largestBlock = llvm::SaturatingMultiply<uint64_t>(
      llvm::SaturatingMultiply(getLargestDifference(integers.lhs),
                               getLargestDifference(integers.rhs)),
      integers.blocks.length);
  blockWeights.assign(positions.size() * numBlocks, APInt(64, 0));
  SmallVector<RescaleScales> channels;
  for (auto [index, position] : llvm::enumerate(positions)) {
    // The scale of an operand without blocks stays a factor of the whole.
    RescaleScales first = getChannel(position, 0);
    SmallVector<APFloat> scales;
    for (int64_t block = 0; block < numBlocks; ++block) {
      RescaleScales own = getChannel(position, block);
      if (!integers.lhs.blocks.loop)
        own.a = APFloat(1.0f);
      if (!integers.rhs.blocks.loop)
        own.b = APFloat(1.0f);
      scales.push_back(multiplyExactly(own.a, own.b));
    }
    auto units = getCommonUnit(scales);
    uint64_t largest = 0;
    for (int64_t block = 0; units && block < numBlocks; ++block) {
      uint64_t weight = units->multiples[block];
      blockWeights[block * positions.size() + index] = APInt(64, weight);
      largest = llvm::SaturatingMultiplyAdd(weight, largestBlock, largest);
    }
    if (!units || largest > INT64_MAX)
      return refuse(
          reason, "the scales of its blocks are not positive multiples of one "
                  "number whose sums fit 64 bits");
    magnitude = std::max(magnitude, largest);
    APFloat one(1.0f);
    channels.push_back({integers.lhs.blocks.loop ? units->unit : first.a,
                        !integers.lhs.blocks.loop  ? units->unit
                        : integers.rhs.blocks.loop ? one
                                                   : first.b,
                        first.y});
  }
  limit = magnitude;
  return findExactMultipliers(channels, reason);
}

//===----------------------------------------------------------------------===//
// The new ops
//===----------------------------------------------------------------------===//

/// A constant of known numbers by block and element of the space of the scales.
template <typename T>
LoopParameter Requantization::createBlockConstant(ImplicitLocOpBuilder &b,
                                                  Type elementType,
                                                  ArrayRef<T> elements) {
  ParameterSpace space = getStaticSpace(getScales());
  SmallVector<int64_t> shape = {integers.getNumBlocks()};
  llvm::append_range(
      shape, decomposeMixedValues(llvm::to_vector(space.getSizes())).first);
  SmallVector<AffineExpr> indices = {b.getAffineConstantExpr(0)};
  for (unsigned loop : space.getLoops())
    indices.push_back(b.getAffineDimExpr(loop));
  AffineMap map =
      AffineMap::get(epilogue.contraction.getResultMap().getNumDims(), 0,
                     indices, b.getContext());
  auto type = RankedTensorType::get(shape, elementType);
  return {arith::ConstantOp::create(b, DenseElementsAttr::get(type, elements)),
          map, /*blockDim=*/0};
}

/// The loops that the dimensions of the result count.
static SmallVector<unsigned> getResultLoops(FloatContraction contraction) {
  return llvm::map_to_vector(
      contraction.getResultMap().getResults(),
      [](AffineExpr loop) { return cast<AffineDimExpr>(loop).getPosition(); });
}

/// Reals before the scale of the result with `separate`, after it with `f32`
/// and `f64`. With `separate` a block is multiplied by the scales of blocks,
/// that of the right operand first, and their sum by the others, that of the
/// left operand first.
Value Requantization::emitFloatReductions(ImplicitLocOpBuilder &b) {
  FloatContraction contraction = epilogue.contraction;
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, b.getLoc(), contraction.getInit());
  unsigned numLoops = contraction.getResultMap().getNumDims();
  SmallVector<unsigned> loops = getResultLoops(contraction);
  FloatType type = rescale == Rescale::F64 ? FloatType(b.getF64Type())
                                           : FloatType(b.getF32Type());
  bool isSeparate = rescale == Rescale::Separate;
  LoopParameter constant;
  if (!blockMultipliers.empty())
    constant =
        createBlockConstant<APFloat>(b, getMultiplierType(), blockMultipliers);
  // The term of a block, on top of those before it (null: none).
  auto addTerm = [&](ImplicitLocOpBuilder &b, Value before,
                     const BlockTerm &term) {
    LoopOperands operands(loops, numLoops, sizes);
    operands.addTensor(term.sums);
    if (constant.value) {
      operands.add(b, takeBlock(b, constant, term.block));
    } else if (isSeparate) {
      if (integers.rhs.blocks.loop)
        operands.add(b, term.rhsScale);
      if (integers.lhs.blocks.loop)
        operands.add(b, term.lhsScale);
    } else {
      operands.add(b, term.lhsScale);
      operands.add(b, term.rhsScale);
      operands.add(b, scale);
    }
    if (before)
      operands.addTensor(before);
    return operands.create(
        b, type, [&](ImplicitLocOpBuilder &body, ArrayRef<Value> values) {
          RescaleOperands factors;
          factors.rescale = rescale;
          factors.multipliers =
              SmallVector<Value, 3>(values.drop_front().drop_back(!!before));
          Value real = emitRescaledTerm(body, factors, values.front(),
                                        /*isSigned=*/true);
          return before ? arith::AddFOp::create(body, values.back(), real)
                        : real;
        });
  };
  Value sums;
  if (integers.blocks.loop)
    sums = integers.addBlocks(b, createZeros(b, sizes, type), addTerm);
  else
    sums = addTerm(b, {},
                   {integers.emitAccumulator(b, {}, {}), integers.lhs.scale,
                    integers.rhs.scale, b.getIndexAttr(0)});
  if (!isSeparate)
    return sums;
  LoopOperands operands(loops, numLoops, sizes);
  operands.addTensor(sums);
  for (const ContractionOperand *operand : {&integers.lhs, &integers.rhs})
    if (!operand->blocks.loop)
      operands.add(b, operand->scale);
  if (epilogue.realBias)
    operands.addTensor(epilogue.realBias, epilogue.biasMap);
  return operands.create(
      b, type, [&](ImplicitLocOpBuilder &body, ArrayRef<Value> values) {
        auto widen = [&](Value value) { return Scalar(body, value).to(type); };
        Scalar real(body, values.front());
        for (Value factor :
             values.drop_front().drop_back(epilogue.realBias ? 1 : 0))
          real = real * widen(factor);
        return epilogue.realBias ? real + widen(values.back()) : real;
      });
}

Value Requantization::emitWeightedSums(ImplicitLocOpBuilder &b) {
  FloatContraction contraction = epilogue.contraction;
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, b.getLoc(), contraction.getInit());
  IntegerType i64 = b.getI64Type();
  LoopParameter weights = createBlockConstant<APInt>(b, i64, blockWeights);
  auto addTerm = [&](ImplicitLocOpBuilder &b, Value before,
                     const BlockTerm &term) {
    LoopOperands operands(getResultLoops(contraction),
                          contraction.getResultMap().getNumDims(), sizes);
    operands.addTensor(term.sums);
    operands.addTensor(before);
    operands.add(b, takeBlock(b, weights, term.block));
    return operands.create(
        b, i64, [&](ImplicitLocOpBuilder &body, ArrayRef<Value> values) {
          Scalar sum = Scalar(body, values[0]).to(i64);
          return Scalar(body, values[1]) + sum * values[2];
        });
  };
  return integers.addBlocks(b, createZeros(b, sizes, i64), addTerm);
}

/// 1.0 for each element of the scale of `op`.
static Value createOnes(ImplicitLocOpBuilder &b, QuantizeOp op,
                        FloatType type) {
  auto shape = dyn_cast<RankedTensorType>(op.getScale().getType());
  TypedAttr one = b.getFloatAttr(type, 1.0);
  if (!shape || shape.getRank() == 0)
    return arith::ConstantOp::create(b, one);
  if (shape.hasStaticShape())
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(shape.clone(type), one));
  Value empty = tensor::EmptyOp::create(
      b, tensor::getMixedSizes(b, b.getLoc(), op.getScale()), type);
  Value scalar = arith::ConstantOp::create(b, one);
  return linalg::FillOp::create(b, scalar, empty).getResult(0);
}

/// The codes of real sums: `separate` multiplies by the reciprocal of the scale
/// of the result, the others have it in their multipliers.
Value Requantization::emitCodes(ImplicitLocOpBuilder &b,
                                Value floatReductions) {
  bool isSeparate = rescale == Rescale::Separate;
  auto type = cast<FloatType>(getElementTypeOrSelf(floatReductions));
  SemanticsFields fields =
      semantics ? semantics.getFields() : SemanticsFields();
  fields.division = isSeparate ? Division::Reciprocal : Division::Exact;
  fields.compute = type.isF64() ? Compute::F64 : Compute::F32;
  return QuantizeOp::create(
      b, op.getType(), floatReductions,
      isSeparate ? op.getScale() : createOnes(b, op, type), op.getZeroPoint(),
      op.getAxisAttr(), op.getBlockShapeAttr(), clamp,
      op.getZeroPointDomainAttr(), SemanticsAttr::get(b.getContext(), fields));
}
