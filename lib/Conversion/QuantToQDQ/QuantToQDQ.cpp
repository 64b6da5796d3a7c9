// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The quant dialect to qdq: check everything, change the types in place,
// replace the casts.

#include "qdq/Conversion/QuantToQDQ/QuantToQDQ.h"
#include "Parameters.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "qdq/Conversion/Passes.h"
#include "qdq/Conversion/QuantToQDQ/QuantizedTypes.h"
#include "qdq/IR/QDQ.h"
#include "qdq/IR/TypeRewrite.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_CONVERTQUANTTOQDQPASS
#include "qdq/Conversion/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;
using quant::QuantizedType;

/// The storage type of a uniform type; null for all other types.
static Type toStorageType(Type type) {
  if (isa<quant::UniformQuantizedType, quant::UniformQuantizedPerAxisType,
          quant::UniformQuantizedSubChannelType>(type))
    return getStorageType(cast<QuantizedType>(type));
  return nullptr;
}

namespace {
class QuantConversion {
public:
  QuantConversion(const SemanticsOptions &options)
      : options(options),
        rewriter(toStorageType, TypeRewriter::AttributeScope::All) {}

  LogicalResult run(Operation *root);

private:
  /// Scale and zero point of a type as values; no zero point where it is zero.
  using Constants = std::pair<Value, Value>;

  LogicalResult check(Operation *op);
  LogicalResult checkCast(Operation *op, QuantizedType type);
  Constants getConstants(Operation *user, QuantizedType type);
  template <typename OpTy>
  Value convert(Operation *op, QuantizedType type, Direction direction);

  const SemanticsOptions &options;
  TypeRewriter rewriter;
  QuantizedTypeFinder finder;
  /// The casts with their quantized types, which the values are about to lose.
  SmallVector<std::pair<Operation *, QuantizedType>> casts;
  /// The ops that mention quantized types.
  SmallVector<Operation *> typedOps;
  DenseMap<Type, QuantizedTypeParameters> parameters;
  /// One pair of constants for each type in each isolated region, at its start.
  DenseMap<std::pair<Region *, Type>, Constants> constants;
  DenseMap<Region *, Operation *> lastConstants;
};
} // namespace

//===----------------------------------------------------------------------===//
// Check
//===----------------------------------------------------------------------===//

static LogicalResult emitNoScale(Operation *op, QuantizedType type) {
  return op->emitOpError()
         << "has the type " << describe(type)
         << ", which gives no scale: expected a '!quant.uniform' type";
}

LogicalResult QuantConversion::checkCast(Operation *op, QuantizedType type) {
  if (!toStorageType(type))
    return emitNoScale(op, type);
  casts.emplace_back(op, type);
  if (isa<quant::StorageCastOp>(op) || parameters.contains(type))
    return success();
  FailureOr<QuantizedTypeParameters> result =
      QuantizedTypeParameters::get(type, [&] { return op->emitOpError(); });
  if (failed(result))
    return failure();
  parameters[type] = *result;
  return success();
}

LogicalResult QuantConversion::check(Operation *op) {
  if (auto cast = dyn_cast<quant::QuantizeCastOp>(op))
    return checkCast(op, cast.getQuantizedType());
  if (auto cast = dyn_cast<quant::DequantizeCastOp>(op))
    return checkCast(op, cast.getQuantizedType());
  if (auto cast = dyn_cast<quant::StorageCastOp>(op))
    return checkCast(op, cast.getQuantizedType());

  QuantizedType type = finder.find(op);
  if (!type)
    return success();
  typedOps.push_back(op);
  if (!isTypeAgnostic(op))
    return op->emitOpError()
           << "has the quantized type " << describe(type)
           << "; what it means by it is not known: put 'quant.dcast' and "
              "'quant.qcast' around it, or lower it first";
  QuantizedType left = finder.find(op, &rewriter);
  if (!left)
    return success();
  if (!toStorageType(left))
    return emitNoScale(op, left);
  return op->emitOpError()
         << "has the quantized type " << describe(left)
         << " where it cannot be replaced: inside a type of another dialect, "
            "or on a dense attribute of strings";
}

//===----------------------------------------------------------------------===//
// Replacement
//===----------------------------------------------------------------------===//

/// The outermost region around `op` whose values it may use.
static Region *getIsolatedRegion(Operation *op) {
  Region *region = op->getParentRegion();
  while (!region->getParentOp()->mightHaveTrait<OpTrait::IsIsolatedFromAbove>())
    region = region->getParentRegion();
  return region;
}

QuantConversion::Constants QuantConversion::getConstants(Operation *user,
                                                         QuantizedType type) {
  Region *region = getIsolatedRegion(user);
  auto known = constants.find({region, type});
  if (known != constants.end())
    return known->second;

  OpBuilder b(user->getContext());
  Operation *&last = lastConstants[region];
  if (last)
    b.setInsertionPointAfter(last);
  else
    b.setInsertionPointToStart(&region->front());
  const QuantizedTypeParameters &of = parameters.at(type);
  Location loc = user->getLoc();
  Value scale = arith::ConstantOp::create(b, loc, of.scale), zeroPoint;
  if (of.zeroPoint)
    zeroPoint =
        castElementType(b, loc, arith::ConstantOp::create(b, loc, of.zeroPoint),
                        of.zeroPointType);
  last = (zeroPoint ? zeroPoint : scale).getDefiningOp();
  return constants[{region, type}] = {scale, zeroPoint};
}

template <typename OpTy>
Value QuantConversion::convert(Operation *op, QuantizedType type,
                               Direction direction) {
  ElementTypes types{direction, type.getExpressedType(),
                     cast<FloatType>(type.getExpressedType())};
  SemanticsFields semantics =
      options.stamp(getProfileFields(Profile::Quant, types), types);
  auto [scale, zeroPoint] = getConstants(op, type);
  const QuantizedTypeParameters &of = parameters.at(type);
  OpBuilder b(op);
  auto result = OpTy::create(b, op->getLoc(), op->getResult(0).getType(),
                             op->getOperand(0), scale, zeroPoint);
  result.setAxisAttr(of.axis);
  result.setBlockShapeAttr(of.blockShape);
  result.setClampAttr(of.clamp);
  result.setSemanticsAttr(SemanticsAttr::get(b.getContext(), semantics));
  return result;
}

LogicalResult QuantConversion::run(Operation *root) {
  bool failed = false;
  root->walk([&](Operation *op) { failed |= mlir::failed(check(op)); });
  if (failed)
    return failure();

  for (Operation *op : typedOps)
    rewriter.retype(op);
  for (auto [op, type] : casts)
    rewriter.retype(op);
  for (auto [op, type] : casts) {
    OpBuilder b(op);
    Value result;
    if (isa<quant::QuantizeCastOp>(op))
      result = convert<QuantizeOp>(op, type, Direction::Quantize);
    else if (isa<quant::DequantizeCastOp>(op))
      result = convert<DequantizeOp>(op, type, Direction::Dequantize);
    else
      result = castElementType(b, op->getLoc(), op->getOperand(0),
                               op->getResult(0).getType());
    op->replaceAllUsesWith(ValueRange(result));
    op->erase();
  }
  for (Operation *op : typedOps)
    eraseIfIdentityCast(op);
  return success();
}

LogicalResult mlir::qdq::convertQuantToQDQ(Operation *root,
                                           const SemanticsOptions &options) {
  return QuantConversion(options).run(root);
}

namespace {
struct ConvertQuantToQDQPass
    : qdq::impl::ConvertQuantToQDQPassBase<ConvertQuantToQDQPass> {
  using ConvertQuantToQDQPassBase::ConvertQuantToQDQPassBase;

  void runOnOperation() override {
    if (failed(
            convertQuantToQDQ(getOperation(), SemanticsOptions::from(*this))))
      signalPassFailure();
  }
};
} // namespace
