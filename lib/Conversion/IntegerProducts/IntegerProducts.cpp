// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The general product: a contraction of codes, and the zero points' share.

#include "qdq/Conversion/IntegerProducts.h"
#include "Correction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/IR/Granularity.h"
#include "qdq/IR/TypeRewrite.h"
#include "qdq/Numerics/Storage.h"
#include "qdq/Support/Reason.h"

using namespace mlir;
using namespace mlir::qdq;

//===----------------------------------------------------------------------===//
// Refusals
//===----------------------------------------------------------------------===//

static bool isSmallInteger(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return integer && integer.getWidth() <= 32;
}

/// True if `map` only reads loops that are not reduced, each once; 0 stands for
/// a size of 1.
static bool readsParallelLoops(const IntegerProduct &product, AffineMap map) {
  return map && map.isProjectedPermutation(/*allowZeroInResults=*/true) &&
         llvm::all_of(map.getResults(), [&](AffineExpr index) {
           auto loop = dyn_cast<AffineDimExpr>(index);
           return !loop || product.iterators[loop.getPosition()] ==
                               utils::IteratorType::parallel;
         });
}

/// True if `map` has a result for each dimension, and constants for sizes of 1.
static bool fits(AffineMap map, Type value) {
  auto type = dyn_cast_or_null<RankedTensorType>(value);
  return type && map && type.getRank() == map.getNumResults() &&
         llvm::all_of(llvm::zip(map.getResults(), type.getShape()),
                      [](auto pair) {
                        return !isa<AffineConstantExpr>(std::get<0>(pair)) ||
                               std::get<1>(pair) == 1;
                      });
}

static LogicalResult checkOperand(const IntegerProduct &product,
                                  const ProductOperand &operand,
                                  RankedTensorType type, AffineMap map,
                                  std::string &reason) {
  if (!fits(map, type) || !isSmallInteger(getElementTypeOrSelf(operand.codes)))
    return refuse(reason,
                  "codes are no ranked tensor of integers of up to 32 bits");
  Value zero = operand.zeroPoint;
  if (!zero)
    return success();
  if (!isSmallInteger(getElementTypeOrSelf(zero)) ||
      isa<UnrankedTensorType>(zero.getType()))
    return refuse(reason, "a zero point is no integer of up to 32 bits");
  if (isSingleElement(zero.getType()))
    return success();
  bool follows =
      fits(operand.zeroPointMap, zero.getType()) &&
      readsParallelLoops(product, operand.zeroPointMap) &&
      llvm::all_of(operand.zeroPointMap.getResults(), [&](AffineExpr index) {
        return isa<AffineConstantExpr>(index) ||
               llvm::is_contained(map.getResults(), index);
      });
  if (!follows)
    reason = "a zero point differs along a dimension that is summed";
  return success(follows);
}

static LogicalResult checkLoops(const IntegerProduct &product,
                                std::string &reason) {
  auto fail = [&](StringRef text) {
    reason = text.str();
    return failure();
  };
  unsigned parallel = 0;
  for (auto [loop, iterator] : llvm::enumerate(product.iterators)) {
    if (iterator == utils::IteratorType::parallel) {
      ++parallel;
      continue;
    }
    if (!product.aMap.isFunctionOfDim(loop) ||
        !product.bMap.isFunctionOfDim(loop))
      return fail("a reduced dimension is one of a single operand");
    // So says linalg's verifier, too.
    assert((product.aMap.getResultPosition(
                getAffineDimExpr(loop, product.aMap.getContext())) ||
            product.bMap.getResultPosition(
                getAffineDimExpr(loop, product.bMap.getContext()))) &&
           "the extent of a reduced dimension is the size of one");
  }
  if (!readsParallelLoops(product, product.resultMap) ||
      product.resultMap.getNumResults() != parallel)
    return fail("the result does not have all loops that are not reduced");
  if (product.bias && (!fits(product.biasMap, product.bias.getType()) ||
                       !readsParallelLoops(product, product.biasMap) ||
                       !isSmallInteger(getElementTypeOrSelf(product.bias))))
    return fail("the bias is no tensor of integers of up to 32 bits along "
                "dimensions of the result");
  return success();
}

LogicalResult mlir::qdq::checkIntegerProduct(const IntegerProduct &product,
                                             RankedTensorType aType,
                                             RankedTensorType bType,
                                             std::string &reason) {
  if (failed(checkOperand(product, product.a, aType, product.aMap, reason)) ||
      failed(checkOperand(product, product.b, bType, product.bMap, reason)) ||
      failed(checkLoops(product, reason)))
    return failure();
  return getProductTypes(product.a, product.b, product.bias,
                         getStaticTerms(product, aType, bType),
                         product.accumulator, reason);
}

uint64_t mlir::qdq::getLargestSum(const IntegerProduct &product,
                                  RankedTensorType aType,
                                  RankedTensorType bType) {
  std::string reason;
  return getProductTypes(product.a, product.b, product.bias,
                         getStaticTerms(product, aType, bType),
                         product.accumulator, reason)
      ->magnitude;
}

//===----------------------------------------------------------------------===//
// The sum of the products
//===----------------------------------------------------------------------===//

Value mlir::qdq::extendInteger(OpBuilder &b, Location loc, Value value,
                               bool isSigned, Type type) {
  if (value.getType() == type)
    return value;
  if (isSigned)
    return arith::ExtSIOp::create(b, loc, type, value);
  return arith::ExtUIOp::create(b, loc, type, value);
}

static bool hasSignedElements(Value value) {
  return isSignedStorage(getElementTypeOrSelf(value));
}

Value mlir::qdq::createZeros(ImplicitLocOpBuilder &b,
                             ArrayRef<OpFoldResult> sizes, Type elementType) {
  Value init = tensor::EmptyOp::create(b, sizes, elementType);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(elementType));
  return linalg::FillOp::create(b, zero, init).getResult(0);
}

/// `sum(a * b)` in `type`: a named op where there is one.
static Value emitContraction(ImplicitLocOpBuilder &b,
                             const IntegerProduct &product, Type type) {
  Value init = createZeros(b, product.resultSizes, type);
  bool isASigned = hasSignedElements(product.a.codes);
  bool isBSigned = hasSignedElements(product.b.codes);
  Value inputs[] = {asSignless(b, b.getLoc(), product.a.codes),
                    asSignless(b, b.getLoc(), product.b.codes)};
  // Named ops take i1 for a truth value.
  bool hasBits = llvm::any_of(inputs, [](Value input) {
    return getElementTypeOrSelf(input).isInteger(1);
  });
  if (product.createNamed && isASigned == isBSigned && !hasBits)
    if (Operation *named =
            product.createNamed(b, b.getLoc(), inputs, init, !isASigned))
      return named->getResult(0);
  AffineMap maps[] = {product.aMap, product.bMap, product.resultMap};
  auto generic = linalg::GenericOp::create(
      b, init.getType(), inputs, init, maps, product.iterators,
      [&](OpBuilder &nested, Location loc, ValueRange arguments) {
        Value x = extendInteger(nested, loc, arguments[0], isASigned, type);
        Value y = extendInteger(nested, loc, arguments[1], isBSigned, type);
        Value term = arith::MulIOp::create(nested, loc, x, y);
        Value sum = arith::AddIOp::create(nested, loc, arguments[2], term);
        linalg::YieldOp::create(nested, loc, sum);
      },
      product.attributes);
  return generic.getResult(0);
}

//===----------------------------------------------------------------------===//
// Dimensions of one element
//===----------------------------------------------------------------------===//

void mlir::qdq::dropUnitDims(ImplicitLocOpBuilder &b, Value &value,
                             AffineMap &map) {
  if (!value || !isa<RankedTensorType>(value.getType()) || !map)
    return;
  SmallVector<AffineExpr> kept;
  SmallVector<ReassociationIndices> groups;
  ReassociationIndices group;
  for (auto [dim, index] : llvm::enumerate(map.getResults())) {
    group.push_back(dim);
    if (isa<AffineConstantExpr>(index))
      continue;
    kept.push_back(index);
    groups.push_back(std::exchange(group, {}));
  }
  if (kept.size() == map.getNumResults())
    return;
  if (!groups.empty())
    llvm::append_range(groups.back(), group);
  map = AffineMap::get(map.getNumDims(), 0, kept, b.getContext());
  value = tensor::CollapseShapeOp::create(b, value, groups);
}

FailureOr<Value> mlir::qdq::buildIntegerProduct(ImplicitLocOpBuilder &b,
                                                const IntegerProduct &product,
                                                std::string &reason) {
  if (failed(checkIntegerProduct(
          product, dyn_cast<RankedTensorType>(product.a.codes.getType()),
          dyn_cast<RankedTensorType>(product.b.codes.getType()), reason)))
    return failure();
  ProductTypes types =
      *getProductTypes(product.a, product.b, product.bias,
                       getStaticTerms(product), product.accumulator, reason);
  IntegerProduct dense = product;
  dropUnitDims(b, dense.a.codes, dense.aMap);
  dropUnitDims(b, dense.b.codes, dense.bMap);
  dropUnitDims(b, dense.a.zeroPoint, dense.a.zeroPointMap);
  dropUnitDims(b, dense.b.zeroPoint, dense.b.zeroPointMap);
  dropUnitDims(b, dense.bias, dense.biasMap);
  Value sum = emitContraction(b, dense, types.sum);
  return emitCorrection(b, dense, types, sum);
}
