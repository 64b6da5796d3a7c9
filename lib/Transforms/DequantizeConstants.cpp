// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quantized, transposed and dequantized constants as constants, of any size.

#include "qdq/Transforms/DequantizeConstants.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "qdq/IR/ConstantElements.h"
#include "qdq/IR/DependentDialects.h"
#include "qdq/IR/FunctionPattern.h"
#include "qdq/IR/QDQ.h"
#include "qdq/IR/RawBytes.h"
#include "qdq/IR/TypeRewrite.h"
#include "qdq/Numerics/QuantizeSteps.h"
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

/// The bits of a number.
static uint64_t getBits(const Number &number) {
  if (auto *real = std::get_if<APFloat>(&number))
    return real->bitcastToAPInt().getZExtValue();
  return std::get<llvm::APSInt>(number).getZExtValue();
}

namespace {
/// A `qdq.quantize` or `qdq.dequantize` of constants, one element after the
/// other.
class Conversion {
public:
  /// The result for an element, or nothing where there is none.
  using Evaluate = function_ref<std::optional<Number>(
      const Number &value, const APFloat &scale, const ZeroPointNumber &)>;

  Conversion(ConstantElements values, ConstantElements scales,
             std::optional<ConstantElements> zeroPoints, ZeroPointDomain domain,
             Evaluate evaluate)
      : values(values), scales(scales), zeroPoints(zeroPoints),
        evaluate(evaluate) {
    zeroPoint.domain = domain;
    unsigned width = values.getElementType().getIntOrFloatBitWidth();
    // Codes repeat: each of a parameter's is computed once.
    if (width <= 8 && scales.size() << width <= values.size())
      known.resize(scales.size() << width), codeBits = width;
  }

  /// The bits of the result of the element at `index`.
  std::optional<uint64_t> compute(int64_t index, int64_t parameter) {
    Number value = values[index];
    if (known.empty())
      return convert(value, parameter);
    auto &result = known[(parameter << codeBits) | getBits(value)];
    if (!result)
      result = convert(value, parameter);
    return result;
  }

private:
  ConstantElements values, scales;
  std::optional<ConstantElements> zeroPoints;
  Evaluate evaluate;
  /// The parameters of the last element.
  int64_t lastParameter = -1;
  APFloat scale = APFloat(APFloat::IEEEsingle());
  ZeroPointNumber zeroPoint;
  unsigned codeBits = 0;
  SmallVector<std::optional<uint64_t>> known;

  std::optional<uint64_t> convert(const Number &value, int64_t parameter) {
    if (parameter != lastParameter) {
      lastParameter = parameter;
      scale = std::get<APFloat>(scales[parameter]);
      // A zero point may have one element beside many scales.
      if (zeroPoints)
        zeroPoint.value =
            (*zeroPoints)[zeroPoints->size() == 1 ? 0 : parameter];
    }
    std::optional<Number> result = evaluate(value, scale, zeroPoint);
    return result ? std::optional(getBits(*result)) : std::nullopt;
  }
};
} // namespace

/// All results, as the bytes of their tensor; nothing if one is undefined.
static std::optional<std::vector<char>>
convertAll(Conversion &conversion, ArrayRef<int64_t> shape,
           ArrayRef<SmallVector<int64_t>> steps, unsigned bytes) {
  int64_t count = ShapedType::getNumElements(shape);
  std::vector<char> data;
  data.reserve(count * bytes);
  SmallVector<int64_t> index(shape.size(), 0);
  for (int64_t i = 0; i < count; ++i) {
    int64_t parameter = 0;
    for (auto [ofDim, position] : llvm::zip_equal(steps, index))
      parameter += ofDim[position];
    std::optional<uint64_t> bits = conversion.compute(i, parameter);
    if (!bits)
      return std::nullopt;
    for (unsigned byte = 0; byte < bytes; ++byte)
      data.push_back(static_cast<char>(*bits >> getBitOfByte(byte, bytes)));
    for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
      if (++index[dim] < shape[dim])
        break;
      index[dim] = 0;
    }
  }
  return data;
}

/// The elements of a constant, unpacked or not, or the number of a scalar.
static std::optional<ConstantElements> read(Value value) {
  if (auto elements = ConstantElements::get(value))
    return elements;
  return ConstantElements::get(Attribute(getElements(value)));
}

/// A constant of elements that have a byte or more each.
static DenseElementsAttr createDense(RankedTensorType type,
                                     ArrayRef<char> data) {
  if (type.getElementTypeBitWidth() != 1)
    return DenseElementsAttr::getFromRawBuffer(type, data);
  // Single bits are packed.
  SmallVector<APInt> bits;
  for (char bit : data)
    bits.emplace_back(1, bit & 1);
  return DenseElementsAttr::get(type, bits);
}

/// Replaces a conversion of constants. `evaluate`: see Conversion.
template <typename ConvertOp>
static LogicalResult replace(ConvertOp op, StringRef resourceName,
                             Conversion::Evaluate evaluate,
                             PatternRewriter &rewriter) {
  auto type = dyn_cast<RankedTensorType>(op.getResult().getType());
  auto inputType = dyn_cast<RankedTensorType>(op.getInput().getType());
  if (!type || !inputType || !inputType.hasStaticShape() ||
      inputType.getShape() != type.getShape() || type.getNumElements() == 0)
    return rewriter.notifyMatchFailure(op, "is not on a static tensor");
  std::optional<ConstantElements> input = read(op.getInput()),
                                  scales = read(op.getScale()), zeroPoints;
  if (Value zeroPoint = op.getZeroPoint())
    zeroPoints = read(zeroPoint);
  if (!input || !scales || (op.getZeroPoint() && !zeroPoints))
    return rewriter.notifyMatchFailure(op,
                                       "has an operand that is no constant");

  Conversion conversion(*input, *scales, zeroPoints, op.getDomain(), evaluate);
  unsigned bits = type.getElementTypeBitWidth();
  std::optional<std::vector<char>> data = convertAll(
      conversion, type.getShape(),
      getParameterSteps(op.getGranularity(), type.getShape(), op.getContext()),
      llvm::divideCeil(bits, 8));
  if (!data)
    return rewriter.notifyMatchFailure(op, "has an undefined result");
  TypedAttr values = isLargeResource(op.getInput()) && bits % 8 == 0
                         ? createResource(type, resourceName, *data)
                         : createDense(type, *data);
  rewriter.replaceOp(op, createConstant(rewriter, op.getLoc(), values));
  return success();
}

static LogicalResult
quantizeConstant(QuantizeOp op, PatternRewriter &rewriter,
                 const std::optional<SemanticsOptions> &options) {
  if (!options && !op.getSemanticsFields().isComplete())
    return rewriter.notifyMatchFailure(op, "leaves semantics open");
  Semantics semantics =
      op.resolveSemantics(options.value_or(SemanticsOptions()));
  if (semantics.rounding == Rounding::Stochastic)
    return rewriter.notifyMatchFailure(op, "draws random numbers");
  QuantizeSteps steps(semantics, op.getStorage());
  auto quantize = [&](const Number &x, const APFloat &scale,
                      const ZeroPointNumber &z) { return steps(x, scale, z); };
  return replace(op, "quantized", quantize, rewriter);
}

static LogicalResult dequantizeConstant(DequantizeOp op,
                                        PatternRewriter &rewriter,
                                        const SemanticsOptions &options) {
  Semantics semantics = op.resolveSemantics(options);
  auto real = cast<FloatType>(getElementTypeOrSelf(op.getResult()));
  auto dequantize = [&](const Number &code, const APFloat &scale,
                        const ZeroPointNumber &z) {
    return std::optional<Number>(
        evaluateDequantize(semantics, real, code, scale, z));
  };
  return replace(op, "dequantized", dequantize, rewriter);
}

/// A `tensor.bitcast` of a constant to its signless type.
static LogicalResult bitcastConstant(tensor::BitcastOp op,
                                     PatternRewriter &rewriter) {
  ElementsAttr elements;
  if (op.getType() != toSignless(op.getSource().getType()) ||
      !matchPattern(op.getSource(), m_Constant(&elements)) ||
      !isa<DenseElementsAttr, DenseResourceElementsAttr>(elements))
    return rewriter.notifyMatchFailure(op, "keeps a signedness, or is not of "
                                           "a constant");
  rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, toSignless(elements));
  return success();
}

static LogicalResult transposeConstant(linalg::TransposeOp op,
                                       PatternRewriter &rewriter) {
  ElementsAttr elements;
  if (!op.hasPureTensorSemantics() ||
      !matchPattern(op.getInput(), m_Constant(&elements)))
    return rewriter.notifyMatchFailure(op, "is not of a constant tensor");
  TypedAttr transposed = transposeElements(elements, op.getPermutation());
  if (!transposed)
    return rewriter.notifyMatchFailure(op, "elements cannot be read");
  rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, transposed);
  return success();
}

namespace {
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

void mlir::qdq::populateQuantizeConstantsPatterns(
    RewritePatternSet &patterns, const std::optional<SemanticsOptions> &options,
    PatternBenefit benefit) {
  MLIRContext *ctx = patterns.getContext();
  loadDependentDialects(ctx, createDequantizeConstantsPass());
  patterns.add<FunctionPattern<quantizeConstant>>(ctx, options, benefit);
  patterns.add<FunctionPattern<bitcastConstant>,
               FunctionPattern<transposeConstant>>(ctx, benefit);
}

void mlir::qdq::populateDequantizeConstantsPatterns(
    RewritePatternSet &patterns, const SemanticsOptions &options,
    PatternBenefit benefit) {
  populateQuantizeConstantsPatterns(patterns, options, benefit);
  patterns.add<FunctionPattern<dequantizeConstant>>(patterns.getContext(),
                                                    options, benefit);
}
