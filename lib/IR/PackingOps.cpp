// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// qdq.unpack and qdq.pack: verifiers, folders and shapes.

#include "Folding.h"
#include "OpShapes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "qdq/IR/QDQ.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::qdq;

template <typename OpTy>
static FailureOr<BitLayout> resolveLayout(OpTy op) {
  return BitLayout::get(op.getPacking(), op.getElements().getType(),
                        op.getContainers().getType(),
                        [&] { return op.emitOpError(); });
}

BitLayout UnpackOp::getLayout() { return *resolveLayout(*this); }
BitLayout PackOp::getLayout() { return *resolveLayout(*this); }

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// "ceil(17 * 4 / 32)" for the containers that so many elements fill.
static std::string describeSize(const BitLayout &layout, int64_t elements) {
  if (layout.block)
    return llvm::formatv("ceil({0} / {1}) * {2}", elements, *layout.block,
                         layout.record);
  return llvm::formatv("ceil({0} * {1} / {2})", elements, layout.bits,
                       layout.containerBits);
}

template <typename OpTy>
static LogicalResult verifyShapes(OpTy op, const BitLayout &layout) {
  RankedTensorType elements = op.getElements().getType();
  RankedTensorType containers = op.getContainers().getType();
  SmallVector<int64_t> shape(elements.getShape());
  if (!layout.hasAxis()) {
    if (containers.getRank() != 1)
      return op.emitOpError()
             << "has containers of rank " << containers.getRank()
             << ": expected rank 1, since its packing has no axis";
    shape = {elements.hasStaticShape() ? elements.getNumElements()
                                       : ShapedType::kDynamic};
  } else if (containers.getRank() != elements.getRank()) {
    return op.emitOpError() << "has containers of rank " << containers.getRank()
                            << " and elements of rank " << elements.getRank()
                            << ": expected the same rank";
  }
  for (auto [dim, found, size] :
       llvm::enumerate(containers.getShape(), shape)) {
    bool isAxis = static_cast<int64_t>(dim) == layout.axis.value_or(0);
    int64_t expected = isAxis ? layout.getNumContainers(size) : size;
    if (ShapedType::isDynamic(found) || ShapedType::isDynamic(expected) ||
        found == expected)
      continue;
    InFlightDiagnostic error = op.emitOpError()
                               << "container dimension " << dim << " is "
                               << found << ", expected ";
    if (isAxis)
      return error << describeSize(layout, size) << " = " << expected;
    return error << expected << ", as dimension " << dim << " of the elements";
  }
  return success();
}

template <typename OpTy>
static LogicalResult verifyPacking(OpTy op) {
  FailureOr<BitLayout> layout = resolveLayout(op);
  if (failed(layout))
    return failure();
  return verifyShapes(op, *layout);
}

LogicalResult UnpackOp::verify() {
  if (failed(verifyPacking(*this)))
    return failure();
  int64_t dynamic = getElements().getType().getNumDynamicDims();
  if (!getSizes().empty() && static_cast<int64_t>(getSizes().size()) != dynamic)
    return emitOpError() << "has " << getSizes().size() << " sizes for "
                         << dynamic << " dynamic dimensions";
  if (getSizes().empty() && dynamic && !getLayout().hasAxis() &&
      getElements().getType().getRank() != 1)
    return emitOpError() << "needs the sizes of its " << dynamic
                         << " dynamic dimensions: its packing has no axis";
  return success();
}

LogicalResult PackOp::verify() { return verifyPacking(*this); }

//===----------------------------------------------------------------------===//
// Folding
//===----------------------------------------------------------------------===//

/// The integers of the same bits.
static Type getBitsType(Type elementType) {
  return IntegerType::get(elementType.getContext(),
                          elementType.getIntOrFloatBitWidth());
}

static SmallVector<uint64_t> getBits(DenseElementsAttr elements) {
  elements = elements.bitcast(getBitsType(elements.getElementType()));
  return llvm::map_to_vector(
      elements.getValues<APInt>(),
      [](const APInt &value) { return value.getZExtValue(); });
}

static DenseElementsAttr fromBits(RankedTensorType type,
                                  ArrayRef<uint64_t> bits) {
  unsigned width = type.getElementTypeBitWidth();
  // A byte for each element: weights have many.
  if (width > 1 && width <= 8)
    return DenseElementsAttr::getFromRawBuffer(
        type, SmallVector<char>(bits.begin(), bits.end()));
  SmallVector<APInt> values;
  for (uint64_t value : bits)
    values.emplace_back(width, value);
  return DenseElementsAttr::get(type.clone(getBitsType(type.getElementType())),
                                values)
      .bitcast(type.getElementType());
}

DenseElementsAttr mlir::qdq::unpackElements(UnpackOp op,
                                            DenseElementsAttr containers) {
  RankedTensorType type = op.getElements().getType();
  if (!containers || !type.hasStaticShape() || type.getNumElements() == 0)
    return {};
  return fromBits(type, unpackCodes(op.getLayout(), getBits(containers),
                                    containers.getType().getShape(),
                                    type.getShape()));
}

OpFoldResult UnpackOp::fold(FoldAdaptor adaptor) {
  RankedTensorType type = getType();
  if (!type.hasStaticShape() || type.getNumElements() > kMaxFoldedElements)
    return {};
  return unpackElements(
      *this, dyn_cast_or_null<DenseElementsAttr>(adaptor.getContainers()));
}

OpFoldResult PackOp::fold(FoldAdaptor adaptor) {
  auto elements = dyn_cast_or_null<DenseElementsAttr>(adaptor.getElements());
  RankedTensorType type = getType();
  if (!elements || !elements.getElementType().isIntOrFloat() ||
      !type.hasStaticShape() || type.getNumElements() == 0 ||
      type.getNumElements() > kMaxFoldedElements)
    return {};
  return fromBits(type,
                  packCodes(getLayout(), getBits(elements),
                            elements.getType().getShape(), type.getShape()));
}

//===----------------------------------------------------------------------===//
// Speculation and shapes
//===----------------------------------------------------------------------===//

Speculation::Speculatability UnpackOp::getSpeculatability() {
  // Containers may be fewer than the sizes need.
  if (!getSizes().empty())
    return Speculation::NotSpeculatable;
  RankedTensorType elements = getElements().getType();
  RankedTensorType containers = getContainers().getType();
  if (!getLayout().hasAxis())
    return speculatableIf(elements.getNumDynamicDims() ||
                          containers.hasStaticShape());
  return speculatableIf(isImpliedShape(containers.getShape(), elements));
}

Speculation::Speculatability PackOp::getSpeculatability() {
  RankedTensorType elements = getElements().getType();
  RankedTensorType containers = getContainers().getType();
  if (!getLayout().hasAxis())
    return speculatableIf(elements.hasStaticShape() ||
                          containers.isDynamicDim(0));
  return speculatableIf(isImpliedShape(elements.getShape(), containers));
}

LogicalResult UnpackOp::reifyResultShapes(OpBuilder &b,
                                          ReifiedRankedShapedTypeDims &shapes) {
  RankedTensorType type = getElements().getType();
  if (!getSizes().empty() || type.hasStaticShape()) {
    shapes.push_back(getMixedValues(type.getShape(), getSizes(), b));
    return success();
  }
  // Without sizes the ranks are the same.
  BitLayout layout = getLayout();
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, getLoc(), getContainers());
  OpFoldResult &packed = sizes[layout.axis.value_or(0)];
  packed = affine::makeComposedFoldedAffineApply(
      b, getLoc(), layout.getMaxElements(b.getAffineSymbolExpr(0)), {packed});
  shapes.push_back(toSizesOf(type, b, getLoc(), sizes));
  return success();
}

LogicalResult PackOp::reifyResultShapes(OpBuilder &b,
                                        ReifiedRankedShapedTypeDims &shapes) {
  BitLayout layout = getLayout();
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, getLoc(), getElements());
  if (!layout.hasAxis()) {
    AffineExpr count = b.getAffineConstantExpr(1);
    for (size_t i = 0; i < sizes.size(); ++i)
      count = count * b.getAffineSymbolExpr(i);
    sizes = {affine::makeComposedFoldedAffineApply(
        b, getLoc(), layout.getNumContainers(count), sizes)};
  } else {
    OpFoldResult &packed = sizes[*layout.axis];
    packed = affine::makeComposedFoldedAffineApply(
        b, getLoc(), layout.getNumContainers(b.getAffineSymbolExpr(0)),
        {packed});
  }
  shapes.push_back(toSizesOf(getContainers().getType(), b, getLoc(), sizes));
  return success();
}
