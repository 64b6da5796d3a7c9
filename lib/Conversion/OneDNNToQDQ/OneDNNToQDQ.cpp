// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// oneDNN Graph Quantize, Dequantize, DynamicQuantize and DynamicDequantize to
// qdq.

#include "qdq/Conversion/OneDNNToQDQ/OneDNNToQDQ.h"
#include "Operands.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/Conversion/Passes.h"
#include "qdq/IR/DependentDialects.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_CONVERTONEDNNTOQDQPASS
#include "qdq/Conversion/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

namespace {
/// An op of the dialect.
struct Kind {
  StringLiteral name;
  bool isQuantize, isDynamic;
};
} // namespace

static constexpr Kind kKinds[] = {
    {"onednn_graph.quantize", true, false},
    {"onednn_graph.dequantize", false, false},
    {"onednn_graph.dynamic_quantize", true, true},
    {"onednn_graph.dynamic_dequantize", false, true},
};

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

/// A list in an attribute, as if an operand held it.
template <typename Range>
static ForeignTensor getList(Type elementType, const Range &values) {
  int64_t count = values.size();
  auto type = RankedTensorType::get({count}, elementType);
  return toForeign(DenseElementsAttr::get(type, ArrayRef(values)));
}

/// The attribute `zps`, or none.
static FailureOr<ForeignTensor> getStaticZps(const ForeignOp &op, Type storage,
                                             int64_t count) {
  if (!op.has("zps"))
    return ForeignTensor();
  FailureOr<SmallVector<int64_t>> values = op.getIntegers("zps");
  if (failed(values))
    return failure();
  if (isa<FloatType>(storage)) {
    if (llvm::all_of(*values, [](int64_t value) { return value == 0; }))
      return ForeignTensor();
    return op.refuse("has zps, which ", getDataTypeName(storage),
                     " does not have: expected none, or zeros");
  }
  if (static_cast<int64_t>(values->size()) != count)
    return op.refuse("zps has ", values->size(), " elements: expected ", count,
                     ", as in scales");
  auto [lo, hi] = getIntegerBounds(storage);
  SmallVector<APInt> zps;
  for (auto [index, value] : llvm::enumerate(*values)) {
    if (value < lo || value > hi)
      return op.refuse("zps[", index, "] is ", value, ", outside of ",
                       getDataTypeName(storage), ", which holds ", lo, " to ",
                       hi);
    zps.push_back(APInt(storage.getIntOrFloatBitWidth(), value,
                        /*isSigned=*/lo < 0));
  }
  return getList(storage, zps);
}

/// From the attributes `scales` and `zps`.
static FailureOr<QuantizationParameters>
getStaticParameters(const ForeignOp &op, TensorType src, Type storage) {
  FailureOr<SmallVector<float>> values = op.getFloats("scales");
  if (failed(values))
    return failure();
  ForeignTensor scales = getList(op.getRewriter().getF32Type(), *values);
  FailureOr<Placement> placement =
      getOneDNNPlacement(op, src, scales.type, /*allowsGroups=*/false);
  if (failed(placement))
    return failure();
  FailureOr<ForeignTensor> zps = getStaticZps(op, storage, values->size());
  if (failed(zps))
    return failure();
  return QuantizationParameters{*placement, scales, *zps};
}

/// From the operands `scales` and `zps`.
static FailureOr<QuantizationParameters>
getDynamicParameters(const ForeignOp &op, TensorType src, ForeignTensor scales,
                     ForeignTensor zps, Type storage, bool allowsGroups) {
  FailureOr<Placement> placement =
      getOneDNNPlacement(op, src, scales.type, allowsGroups);
  if (failed(placement))
    return failure();
  if (zps && !isSingle(zps.type) &&
      (placement->isTensor() || !zps.type.hasRank() ||
       failed(verifyCompatibleShape(zps.type, scales.type))))
    return op.refuse("zps has type ", zps.type,
                     ": expected one element, or the shape of scales, ",
                     scales.type);
  if (failed(checkZeroPointRange(op, zps, storage)))
    return failure();
  return QuantizationParameters{*placement, scales, zps};
}

//===----------------------------------------------------------------------===//
// Pattern and pass
//===----------------------------------------------------------------------===//

/// The parameters of an op whose types the document allows.
static FailureOr<QuantizationParameters> getParameters(const ForeignOp &op,
                                                       const Kind &kind,
                                                       TensorType src,
                                                       TensorType dst) {
  Type from = src.getElementType(), to = dst.getElementType();
  if (!kind.isDynamic) {
    if (failed(checkStaticTypes(op, kind.isQuantize, from, to)))
      return failure();
    return getStaticParameters(op, src, kind.isQuantize ? to : from);
  }
  Reader read;
  ForeignTensor scales = read(op.getTensor(1, "scales"));
  ForeignTensor zps = read(op.getOptional(2, "zps"));
  if (failed(read) ||
      failed(checkDynamicTypes(op, kind.isQuantize, from, to,
                               scales.type.getElementType(),
                               zps ? zps.type.getElementType() : Type())))
    return failure();
  return getDynamicParameters(op, src, scales, zps, kind.isQuantize ? to : from,
                              !kind.isQuantize);
}

/// oneDNN rounds to f16 on the way to f8, with the infinities of f16. A
/// profile of another system has one rounding.
static Value createQuantizeThroughF16(const ForeignOp &op, ForeignTensor src,
                                      Type storage,
                                      const QuantizationParameters &parameters,
                                      const Stamp &stamp, FloatType scale) {
  Builder &b = op.getRewriter();
  FloatType f16 = b.getF16Type();
  Value half = createQuantize(
      op, src, f16, parameters,
      stamp({Direction::Quantize, src.type.getElementType(), scale}));
  QuantizationParameters one;
  one.scale = getSingle(f16, 1.0);
  return createQuantize(op, toForeign(half), storage, one,
                        stamp({Direction::Quantize, f16, f16}));
}

static LogicalResult translate(const ForeignOp &op, const Kind &kind,
                               const Stamp &stamp) {
  if (failed(op.checkArity(kind.isDynamic ? Arity{2, 3} : Arity{1})))
    return failure();
  FailureOr<ForeignTensor> src = op.getTensor(0, "src");
  FailureOr<TensorType> dst = op.getResultType(0);
  if (failed(src) || failed(dst) ||
      failed(checkSameShape(op, "src", src->type, "dst", *dst)))
    return failure();
  FailureOr<QuantizationParameters> parameters =
      getParameters(op, kind, src->type, *dst);
  if (failed(parameters))
    return failure();
  auto scale = cast<FloatType>(parameters->scale.type.getElementType());
  Type from = src->type.getElementType(), to = dst->getElementType();
  if (!kind.isQuantize)
    return op.replace(createDequantize(
        op, *src, to, *parameters, stamp({Direction::Dequantize, to, scale})));
  if (isa<FloatType>(to) && stamp.getProfile() == Profile::OneDNN)
    return op.replace(
        createQuantizeThroughF16(op, *src, to, *parameters, stamp, scale));
  return op.replace(createQuantize(op, *src, to, *parameters,
                                   stamp({Direction::Quantize, from, scale})));
}

static const Kind *findKind(Operation *op) {
  const Kind *found = llvm::find_if(kKinds, [&](const Kind &kind) {
    return op->getName().getStringRef() == kind.name;
  });
  return found == std::end(kKinds) ? nullptr : found;
}

bool mlir::qdq::isOneDNNQuantizationOp(Operation *op) { return findKind(op); }

/// One op of the dialect to the qdq op of its direction.
static LogicalResult lower(const ForeignOp &op,
                           const SemanticsOptions &options) {
  return translate(op, *findKind(op.getOperation()),
                   Stamp{options, Profile::OneDNN});
}

void mlir::qdq::populateOneDNNToQDQPatterns(RewritePatternSet &patterns,
                                            const SemanticsOptions &options,
                                            PatternBenefit benefit) {
  loadDependentDialects(patterns.getContext(), createConvertOneDNNToQDQPass());
  for (const Kind &kind : kKinds)
    patterns.add<SourceLowering>(kind.name, patterns.getContext(), lower,
                                 options, benefit);
}

namespace {
struct ConvertOneDNNToQDQPass
    : SourcePass<
          qdq::impl::ConvertOneDNNToQDQPassBase<ConvertOneDNNToQDQPass>> {
  using SourcePass::SourcePass;

  void runOnOperation() override {
    auto populate = [&](RewritePatternSet &patterns) {
      populateOneDNNToQDQPatterns(patterns, SemanticsOptions::from(*this));
    };
    convert(isOneDNNQuantizationOp, populate, [](Operation *) {});
  }
};
} // namespace
