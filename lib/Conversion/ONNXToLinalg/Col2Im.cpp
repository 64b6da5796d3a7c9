// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Col2Im: sums of the blocks that cover each element of an image.

#include "../ForeignOps/TensorOps.h"
#include "NodeParts.h"
#include "Operators.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qdq/Conversion/IntegerProducts.h"

using namespace mlir;
using namespace mlir::qdq;

using B = ImplicitLocOpBuilder;

namespace {
/// Blocks of an image, one number for each spatial dimension. `counts` are
/// those of the blocks.
struct Blocks {
  SmallVector<int64_t> image, block, strides, dilations, padLow, counts;
};
} // namespace

static FailureOr<Blocks> readBlocks(const ForeignOp &node) {
  auto image = getKnownIntegers(node, 1), block = getKnownIntegers(node, 2);
  if (!image || !block || image->empty() || image->size() != block->size())
    return node.refuse("image_shape or block_shape is not constant: expected "
                       "as many constant integers in both");
  size_t rank = image->size();
  auto read = [&](StringRef name, size_t count,
                  int64_t fallback) -> FailureOr<SmallVector<int64_t>> {
    if (!node.has(name))
      return SmallVector<int64_t>(count, fallback);
    FailureOr<SmallVector<int64_t>> list = node.getIntegers(name);
    if (succeeded(list) &&
        (list->size() != count || llvm::any_of(*list, [&](int64_t number) {
           return number < fallback;
         })))
      return node.refuse("expected ", count, " numbers from ", fallback,
                         " on in ", name);
    return list;
  };
  auto strides = read("strides", rank, 1), pads = read("pads", 2 * rank, 0);
  auto dilations = read("dilations", rank, 1);
  if (failed(strides) || failed(pads) || failed(dilations))
    return failure();
  Blocks blocks{*image, *block, *strides, *dilations, *pads, {}};
  for (size_t dim = 0; dim < rank; ++dim) {
    int64_t places = (*image)[dim] + (*pads)[dim] + (*pads)[rank + dim] -
                     (*dilations)[dim] * ((*block)[dim] - 1);
    if ((*block)[dim] < 1 || places < 1)
      return node.refuse("has a block beyond the image in dimension ", dim);
    blocks.counts.push_back((places - 1) / (*strides)[dim] + 1);
  }
  return blocks;
}

LogicalResult mlir::qdq::translateCol2Im(const ForeignOp &node) {
  FailureOr<ForeignTensor> input = getFloats(node, 0, "input", 3);
  FailureOr<Blocks> blocks = readBlocks(node);
  if (failed(input) || failed(blocks))
    return failure();
  int64_t elements = llvm::product_of(blocks->block);
  int64_t places = llvm::product_of(blocks->counts);
  ArrayRef<int64_t> shape = input->type.getShape();
  if (shape.size() != 3 || ShapedType::isDynamic(shape[1]) ||
      shape[1] % elements || shape[2] != places)
    return node.refuse("input has type ", input->type,
                       ": expected 3 dimensions, a static multiple of ",
                       elements, ", and ", places);
  B b(node.getLoc(), node.getRewriter());
  Type element = input->type.getElementType(), type = getComputeType(element);
  Value x = node.materialize(*input);
  int64_t rank = blocks->image.size();
  Sizes sizes = {tensor::getMixedSize(b, b.getLoc(), x, 0),
                 b.getIndexAttr(shape[1] / elements)};
  llvm::append_range(sizes,
                     getAsIndexOpFoldResult(b.getContext(), blocks->image));
  // Loops: those of the result, then those of a block.
  AffineMap all = b.getMultiDimIdentityMap(2 + 2 * rank);
  AffineMap maps[] = {all.getMinorSubMap(rank), all.getMajorSubMap(2 + rank)};
  // A tensor for its shape.
  Value extents = tensor::EmptyOp::create(b, blocks->block, type);
  Value sums = createGeneric(
      b, extents, createZeros(b, sizes, type), maps,
      [&](B &body, ValueRange e) -> Value {
        auto loop = [&](int64_t dim) {
          return Scalar(body, linalg::IndexOp::create(body, dim));
        };
        Scalar row = loop(1), column = loop(0).constant(0);
        std::optional<Scalar> isInside;
        for (int64_t dim = 0; dim < rank; ++dim) {
          Scalar k = loop(2 + rank + dim);
          row = row * blocks->block[dim] + k;
          // The block that begins here or before, if it is one.
          Scalar begin =
              loop(2 + dim) + blocks->padLow[dim] - k * blocks->dilations[dim];
          int64_t stride = blocks->strides[dim];
          Scalar place = min(max(begin, 0) / stride, blocks->counts[dim] - 1);
          Scalar isHere = equal(place * stride, begin);
          isInside = isInside ? *isInside & isHere : isHere;
          column = column * blocks->counts[dim] + place;
        }
        Scalar own(body, tensor::ExtractOp::create(
                             body, x, ValueRange{loop(0), row, column}));
        return Scalar(body, e.back()) + select(*isInside, own.to(type), 0);
      });
  return replaceBy(node, castFloats(b, sums, element));
}
