// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dequantized constants as constants, of any size.

#include "qdq/Transforms/DequantizeConstants.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "qdq/IR/ConstantElements.h"
#include "qdq/IR/DependentDialects.h"
#include "qdq/IR/QDQ.h"
#include "qdq/IR/RawBytes.h"
#include "qdq/Transforms/Passes.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_DEQUANTIZECONSTANTSPASS
#include "qdq/Transforms/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

/// The elements of a constant, reshaped, unpacked or not; null for other
/// values.
static DenseElementsAttr getElements(Value value) {
  if (auto unpack = value.getDefiningOp<UnpackOp>())
    return unpackElements(unpack, getElements(unpack.getContainers()));
  if (Operation *op = value.getDefiningOp();
      isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op)) {
    auto type = cast<ShapedType>(value.getType());
    DenseElementsAttr elements = getElements(op->getOperand(0));
    if (!elements || !type.hasStaticShape())
      return {};
    return elements.reshape(elements.getType().clone(type.getShape()));
  }
  if (auto cast = value.getDefiningOp<tensor::BitcastOp>()) {
    Type type = getElementTypeOrSelf(value);
    DenseElementsAttr elements = getElements(cast.getSource());
    if (!elements || !isa<IntegerType>(type) ||
        !isa<IntegerType>(elements.getElementType()))
      return {};
    return elements.bitcast(type);
  }
  Attribute attr;
  if (!matchPattern(value, m_Constant(&attr)))
    return {};
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attr))
    return readResource(resource);
  return dyn_cast<DenseElementsAttr>(attr);
}

/// True if the data of a constant are in a resource, and more than a number:
/// few compilers read those from one.
static bool isLargeResource(Value value) {
  if (cast<ShapedType>(value.getType()).getNumElements() == 1)
    return false;
  Operation *op = value.getDefiningOp();
  while (
      isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp, UnpackOp>(
          op))
    op = op->getOperand(0).getDefiningOp();
  auto constant = dyn_cast_or_null<arith::ConstantOp>(op);
  return constant && isa<DenseResourceElementsAttr>(constant.getValue());
}

/// The addend of each dimension's index to the row-major position of its
/// parameter.
static SmallVector<SmallVector<int64_t>>
getParameterSteps(const Granularity &granularity, ArrayRef<int64_t> shape,
                  MLIRContext *ctx) {
  AffineMap map = granularity.getParameterMap(shape.size(), ctx);
  SmallVector<int64_t> sizes = granularity.getParameterShape(shape);
  SmallVector<SmallVector<int64_t>> steps;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    SmallVector<int64_t> index(shape.size(), 0), &ofDim = steps.emplace_back();
    for (index[dim] = 0; index[dim] < shape[dim]; ++index[dim]) {
      int64_t position = 0;
      for (auto [i, size] : llvm::zip_equal(map.compose(index), sizes))
        position = position * size + i;
      ofDim.push_back(position);
    }
  }
  return steps;
}

namespace {
/// Dequantizes one element after the other.
class Dequantizer {
public:
  Dequantizer(DequantizeOp op, const Semantics &semantics,
              ConstantElements codes, ConstantElements scales,
              std::optional<ConstantElements> zeroPoints)
      : semantics(semantics), codes(codes), scales(scales),
        zeroPoints(zeroPoints), domain(op.getDomain()),
        type(cast<FloatType>(getElementTypeOrSelf(op.getResult()))) {
    unsigned width = codes.getElementType().getIntOrFloatBitWidth();
    // Codes repeat: each of a parameter's is computed once.
    if (width <= 8 && scales.size() << width <= codes.size())
      values.resize(scales.size() << width), codeBits = width;
  }

  /// The bits of the value of the code at `index`.
  uint64_t getBits(int64_t index, int64_t parameter) {
    Number code = codes[index];
    if (values.empty())
      return evaluate(code, parameter);
    uint64_t pattern =
        std::holds_alternative<APFloat>(code)
            ? std::get<APFloat>(code).bitcastToAPInt().getZExtValue()
            : std::get<llvm::APSInt>(code).getRawData()[0];
    uint64_t mask = (uint64_t(1) << codeBits) - 1;
    auto &value = values[(parameter << codeBits) | (pattern & mask)];
    if (!value)
      value = evaluate(code, parameter);
    return *value;
  }

private:
  Semantics semantics;
  ConstantElements codes, scales;
  std::optional<ConstantElements> zeroPoints;
  ZeroPointDomain domain;
  FloatType type;
  unsigned codeBits = 0;
  SmallVector<std::optional<uint64_t>> values;

  uint64_t evaluate(const Number &code, int64_t parameter) const {
    ZeroPointNumber z;
    z.domain = domain;
    // A zero point may have one element beside many scales.
    if (zeroPoints)
      z.value = (*zeroPoints)[zeroPoints->size() == 1 ? 0 : parameter];
    return evaluateDequantize(semantics, type, code,
                              std::get<APFloat>(scales[parameter]), z)
        .bitcastToAPInt()
        .getZExtValue();
  }
};
} // namespace

/// All values, as the bytes of their tensor.
static std::vector<char> dequantizeAll(Dequantizer &dequantizer,
                                       ArrayRef<int64_t> shape,
                                       ArrayRef<SmallVector<int64_t>> steps,
                                       unsigned bytes) {
  int64_t count = ShapedType::getNumElements(shape);
  std::vector<char> data;
  data.reserve(count * bytes);
  SmallVector<int64_t> index(shape.size(), 0);
  for (int64_t i = 0; i < count; ++i) {
    int64_t parameter = 0;
    for (auto [ofDim, position] : llvm::zip_equal(steps, index))
      parameter += ofDim[position];
    uint64_t bits = dequantizer.getBits(i, parameter);
    for (unsigned byte = 0; byte < bytes; ++byte)
      data.push_back(static_cast<char>(bits >> getBitOfByte(byte, bytes)));
    for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
      if (++index[dim] < shape[dim])
        break;
      index[dim] = 0;
    }
  }
  return data;
}

namespace {
/// `qdq.dequantize` of constants.
struct DequantizeConstant : OpRewritePattern<DequantizeOp> {
  DequantizeConstant(MLIRContext *ctx, const SemanticsOptions &options,
                     PatternBenefit benefit)
      : OpRewritePattern(ctx, benefit), options(options) {}

  LogicalResult matchAndRewrite(DequantizeOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(op.getResult().getType());
    auto inputType = dyn_cast<RankedTensorType>(op.getInput().getType());
    if (!type || !inputType || !inputType.hasStaticShape() ||
        inputType.getShape() != type.getShape() || type.getNumElements() == 0)
      return rewriter.notifyMatchFailure(op, "is not on a static tensor");
    auto read = [](Value value) {
      return ConstantElements::get(Attribute(getElements(value)));
    };
    Value zeroPoint = op.getZeroPoint();
    std::optional<ConstantElements> codes = read(op.getInput()), zeroPoints;
    std::optional<ConstantElements> scales =
        isa<ShapedType>(op.getScale().getType())
            ? read(op.getScale())
            : ConstantElements::get(op.getScale());
    if (zeroPoint)
      zeroPoints = isa<ShapedType>(zeroPoint.getType())
                       ? read(zeroPoint)
                       : ConstantElements::get(zeroPoint);
    if (!codes || !scales || (zeroPoint && !zeroPoints))
      return rewriter.notifyMatchFailure(op, "has an operand that is no "
                                             "constant");

    Dequantizer dequantizer(op, op.resolveSemantics(options), *codes, *scales,
                            zeroPoints);
    std::vector<char> data = dequantizeAll(
        dequantizer, type.getShape(),
        getParameterSteps(op.getGranularity(), type.getShape(), getContext()),
        type.getElementTypeBitWidth() / 8);
    TypedAttr values = isLargeResource(op.getInput())
                           ? createResource(type, "dequantized", data)
                           : DenseElementsAttr::getFromRawBuffer(type, data);
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, values);
    return success();
  }

private:
  SemanticsOptions options;
};

struct DequantizeConstantsPass
    : qdq::impl::DequantizeConstantsPassBase<DequantizeConstantsPass> {
  using DequantizeConstantsPassBase::DequantizeConstantsPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateDequantizeConstantsPatterns(patterns,
                                        SemanticsOptions::from(*this));
    // In the order of the ops: a scale may be dequantized itself.
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace

void mlir::qdq::populateDequantizeConstantsPatterns(
    RewritePatternSet &patterns, const SemanticsOptions &options,
    PatternBenefit benefit) {
  loadDependentDialects(patterns.getContext(), createDequantizeConstantsPass());
  patterns.add<DequantizeConstant>(patterns.getContext(), options, benefit);
}
