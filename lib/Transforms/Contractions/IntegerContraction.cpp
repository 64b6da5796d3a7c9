// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A float contraction of dequantized operands, as integers.

#include "IntegerContraction.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qdq/IR/BuildGeneric.h"
#include "qdq/IR/TensorSlice.h"
#include <numeric>

using namespace mlir;
using namespace mlir::qdq;

//===----------------------------------------------------------------------===//
// The product of the codes
//===----------------------------------------------------------------------===//

/// The named op of `op` on other operands; null where it is a generic, or has
/// no form for unsigned operands.
static Operation *createNamedLike(linalg::LinalgOp op, OpBuilder &b,
                                  Location loc, ValueRange inputs, Value init,
                                  bool isUnsigned) {
  auto builder = op.getRegionBuilder();
  bool hasCast = isa<linalg::MatmulOp, linalg::BatchMatmulOp,
                     linalg::BatchReduceMatmulOp, linalg::ContractOp>(op);
  if (isa<linalg::GenericOp>(op.getOperation()) || !builder ||
      (isUnsigned && !hasCast))
    return nullptr;
  OperationState state(loc, op->getName());
  state.addOperands(inputs);
  state.addOperands(init);
  state.addTypes(init.getType());
  NamedAttrList attributes(op->getAttrs());
  attributes.erase("cast");
  if (isUnsigned)
    attributes.set("cast", linalg::TypeFnAttr::get(
                               b.getContext(), linalg::TypeFn::cast_unsigned));
  state.addAttributes(attributes);
  Region *region = state.addRegion();
  SmallVector<Type> types;
  for (Value operand : state.operands)
    types.push_back(getElementTypeOrSelf(operand));
  {
    OpBuilder::InsertionGuard guard(b);
    Block *body = b.createBlock(region, {}, types,
                                SmallVector<Location>(types.size(), loc));
    ImplicitLocOpBuilder nested(loc, b);
    builder(nested, *body, attributes, [&] { return mlir::emitError(loc); });
  }
  return b.create(state);
}

namespace {
/// Codes and parameters of an operand, or of a part of it.
struct OperandValues {
  Value codes;
  LoopParameter scale, zeroPoint;
};
} // namespace

/// The product of the codes, without its sizes.
static IntegerProduct describeProduct(FloatContraction contraction,
                                      const OperandValues &lhs,
                                      const OperandValues &rhs) {
  IntegerProduct product;
  product.a = {lhs.codes, lhs.zeroPoint.value, lhs.zeroPoint.map};
  product.b = {rhs.codes, rhs.zeroPoint.value, rhs.zeroPoint.map};
  product.aMap = contraction.getMap(0);
  product.bMap = contraction.getMap(1);
  product.resultMap = contraction.getResultMap();
  product.iterators = contraction.op.getIteratorTypesArray();
  product.attributes = llvm::to_vector(contraction.op->getDiscardableAttrs());
  product.createNamed = [op = contraction.op](OpBuilder &b, Location loc,
                                              ValueRange inputs, Value init,
                                              bool isUnsigned) {
    return createNamedLike(op, b, loc, inputs, init, isUnsigned);
  };
  return product;
}

//===----------------------------------------------------------------------===//
// Analysis
//===----------------------------------------------------------------------===//

/// The values of the whole operand. A block is a part of the sum, in which
/// zero points are single: they are left out here.
static OperandValues getValues(const ContractionOperand &operand) {
  DequantizeOp op = operand.source.op;
  OperandValues values = {op.getInput(), operand.scale, operand.zeroPoint};
  if (operand.blocks.loop)
    values.zeroPoint = {};
  return values;
}

FailureOr<IntegerContraction>
IntegerContraction::get(FloatContraction contraction, std::string &reason) {
  IntegerContraction result;
  result.contraction = contraction;
  ContractionOperand *operands[] = {&result.lhs, &result.rhs};
  for (auto [index, operand] : llvm::enumerate(operands)) {
    std::string why;
    auto found = ContractionOperand::get(contraction, index, why);
    if (failed(found))
      return refuse(reason, "of operand " + std::to_string(index) + ": " + why);
    *operand = *found;
    BlockedLoop blocks = operand->blocks;
    if (!blocks.loop)
      continue;
    if (result.blocks.loop && result.blocks.loop != blocks.loop)
      return refuse(reason,
                    "the blocks of its operands lie along two dimensions");
    // A block of the sums lies in one block of each operand.
    if (result.blocks.loop)
      blocks.length = std::gcd(blocks.length, result.blocks.length);
    if (blocks.length == 1)
      return refuse(
          reason, "the lengths of its operands' blocks have no common divisor");
    result.blocks = blocks;
    unsigned dim = *operand->getDim(*blocks.loop);
    result.extent =
        cast<RankedTensorType>(contraction.getOperand(index).getType())
            .getDimSize(dim);
  }
  if (result.blocks.loop && !(result.lhs.getDim(*result.blocks.loop) &&
                              result.rhs.getDim(*result.blocks.loop)))
    return refuse(reason, "its blocks lie along a window");
  // With these, the sums of a block always fit.
  if (result.blocks.loop && (getDifferenceBits(result.lhs.source.op) > 17 ||
                             getDifferenceBits(result.rhs.source.op) > 17))
    return refuse(reason,
                  "codes or zero points beside blocks have more than 16 bits");
  IntegerProduct product = describeProduct(contraction, getValues(result.lhs),
                                           getValues(result.rhs));
  auto getType = [&](unsigned index, const ContractionOperand &operand) {
    auto type = cast<RankedTensorType>(contraction.getOperand(index).getType());
    SmallVector<int64_t> shape(type.getShape());
    if (result.blocks.loop)
      shape[*operand.getDim(*result.blocks.loop)] = result.blocks.length;
    return RankedTensorType::get(shape, type.getElementType());
  };
  if (failed(checkIntegerProduct(product, getType(0, result.lhs),
                                 getType(1, result.rhs), reason)))
    return failure();
  return result;
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

static Value emitProduct(ImplicitLocOpBuilder &b, FloatContraction contraction,
                         const OperandValues &lhs, const OperandValues &rhs,
                         ArrayRef<OpFoldResult> sizes, Value bias,
                         AffineMap biasMap) {
  IntegerProduct product = describeProduct(contraction, lhs, rhs);
  product.resultSizes.assign(sizes.begin(), sizes.end());
  product.bias = bias;
  product.biasMap = biasMap;
  std::string reason;
  return *buildIntegerProduct(b, product, reason);
}

static SmallVector<OpFoldResult> getResultSizes(ImplicitLocOpBuilder &b,
                                                FloatContraction contraction) {
  return tensor::getMixedSizes(b, b.getLoc(), contraction.getInit());
}

FailureOr<uint64_t> IntegerContraction::getLargestSum(Value bias,
                                                      AffineMap biasMap,
                                                      std::string &reason) {
  IntegerProduct product =
      describeProduct(contraction, getValues(lhs), getValues(rhs));
  product.bias = bias;
  product.biasMap = biasMap;
  auto lhsType = cast<RankedTensorType>(contraction.getOperand(0).getType());
  auto rhsType = cast<RankedTensorType>(contraction.getOperand(1).getType());
  if (failed(checkIntegerProduct(product, lhsType, rhsType, reason)))
    return failure();
  return qdq::getLargestSum(product, lhsType, rhsType);
}

Value IntegerContraction::emitAccumulator(ImplicitLocOpBuilder &b, Value bias,
                                          AffineMap biasMap) {
  return emitProduct(b, contraction,
                     {lhs.emitCodes(b), lhs.scale, lhs.zeroPoint},
                     {rhs.emitCodes(b), rhs.scale, rhs.zeroPoint},
                     getResultSizes(b, contraction), bias, biasMap);
}

//===----------------------------------------------------------------------===//
// Reals
//===----------------------------------------------------------------------===//

/// Sums, dequantized with the product of the scales.
static Value emitDequantized(ImplicitLocOpBuilder &b,
                             FloatContraction contraction, Value sum,
                             const LoopParameter &lhs, const LoopParameter &rhs,
                             ArrayRef<OpFoldResult> sizes) {
  ParameterSpace space(b.getContext(), contraction.getResultMap(), sizes,
                       {lhs, rhs});
  Value scale = space.place(b, emitScaleProduct(b, lhs, rhs, space).value);
  auto op = DequantizeOp::create(b, contraction.getResultType(), sum, scale,
                                 /*zeroPoint=*/Value());
  if (space.getAxis())
    op.setAxisAttr(space.getAxis());
  if (space.getBlockShape())
    op.setBlockShapeAttr(space.getBlockShape());
  bool isWide = getElementTypeOrSelf(scale).isF64() ||
                contraction.getResultType().getElementType().isF64();
  SemanticsFields fields;
  fields.compute = isWide ? Compute::F64 : Compute::F32;
  op.setSemanticsAttr(SemanticsAttr::get(b.getContext(), fields));
  return op.getResult();
}

/// `x + y`, elementwise.
static Value emitSum(ImplicitLocOpBuilder &b, Value x, Value y,
                     ArrayRef<OpFoldResult> sizes) {
  return buildElementwise(
      b, {x, y}, sizes, getElementTypeOrSelf(x.getType()),
      [](ImplicitLocOpBuilder &body, ValueRange elements) -> Value {
        return arith::AddFOp::create(body, elements[0], elements[1]);
      });
}

LoopParameter mlir::qdq::takeBlock(ImplicitLocOpBuilder &b,
                                   LoopParameter parameter,
                                   OpFoldResult block) {
  if (!parameter.blockDim)
    return parameter;
  parameter.value = TensorSlice(b, parameter.value)
                        .cut(*parameter.blockDim, block, 1)
                        .take(parameter.value);
  parameter.blockDim.reset();
  return parameter;
}

/// The part of an operand in a block, which begins at `offset`; `block` is the
/// number of the operand's own block around it.
static OperandValues takeOperand(ImplicitLocOpBuilder &b,
                                 const ContractionOperand &operand, Value codes,
                                 unsigned loop, OpFoldResult block,
                                 OpFoldResult offset, int64_t size) {
  return {TensorSlice(b, codes)
              .cut(*operand.getDim(loop), offset, size)
              .take(codes),
          takeBlock(b, operand.scale, block),
          takeBlock(b, operand.zeroPoint, block)};
}

/// `number / divisor`, rounded down.
static OpFoldResult divide(ImplicitLocOpBuilder &b, OpFoldResult number,
                           int64_t divisor) {
  if (divisor == 1)
    return number;
  return affine::makeComposedFoldedAffineApply(
      b, b.getLoc(), b.getAffineDimExpr(0).floorDiv(divisor), {number});
}

Value IntegerContraction::addBlocks(
    ImplicitLocOpBuilder &b, Value sums,
    function_ref<Value(ImplicitLocOpBuilder &, Value sums, const BlockTerm &)>
        add) {
  // No slice begins in an empty dimension (tensor.extract_slice's verifier).
  if (llvm::is_contained(cast<RankedTensorType>(sums.getType()).getShape(), 0))
    return sums;
  SmallVector<OpFoldResult> sizes = getResultSizes(b, contraction);
  Value lhsCodes = lhs.emitCodes(b), rhsCodes = rhs.emitCodes(b);
  auto addBlock = [&](ImplicitLocOpBuilder &b, Value sums, OpFoldResult block,
                      OpFoldResult offset, int64_t size) {
    OperandValues x =
        takeOperand(b, lhs, lhsCodes, *blocks.loop,
                    divide(b, block, getBlocksIn(lhs)), offset, size);
    OperandValues y =
        takeOperand(b, rhs, rhsCodes, *blocks.loop,
                    divide(b, block, getBlocksIn(rhs)), offset, size);
    Value product = emitProduct(b, contraction, x, y, sizes, {}, {});
    return add(b, sums, {product, x.scale, y.scale, block});
  };
  int64_t count = extent / blocks.length, rest = extent % blocks.length;
  if (count > 0) {
    Value zero = arith::ConstantIndexOp::create(b, 0);
    Value one = arith::ConstantIndexOp::create(b, 1);
    Value end = arith::ConstantIndexOp::create(b, count);
    auto loop = scf::ForOp::create(
        b, zero, end, one, sums,
        [&](OpBuilder &nested, Location loc, Value block, ValueRange before) {
          ImplicitLocOpBuilder body(loc, nested);
          Value length = arith::ConstantIndexOp::create(body, blocks.length);
          Value offset = arith::MulIOp::create(body, block, length);
          scf::YieldOp::create(body, addBlock(body, before.front(), block,
                                              offset, blocks.length));
        });
    sums = loop.getResult(0);
  }
  if (rest > 0)
    sums = addBlock(b, sums, b.getIndexAttr(count),
                    b.getIndexAttr(count * blocks.length), rest);
  return sums;
}

Value IntegerContraction::emitReal(ImplicitLocOpBuilder &b) {
  SmallVector<OpFoldResult> sizes = getResultSizes(b, contraction);
  if (blocks.loop)
    return addBlocks(
        b, contraction.getInit(),
        [&](ImplicitLocOpBuilder &b, Value sums, const BlockTerm &term) {
          Value real = emitDequantized(b, contraction, term.sums, term.lhsScale,
                                       term.rhsScale, sizes);
          return emitSum(b, sums, real, sizes);
        });
  Value sum = emitAccumulator(b, {}, {});
  Value real =
      emitDequantized(b, contraction, sum, lhs.scale, rhs.scale, sizes);
  return contraction.startsAtZero()
             ? real
             : emitSum(b, contraction.getInit(), real, sizes);
}
