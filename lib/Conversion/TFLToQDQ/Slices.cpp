// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tfl.concatenation, tfl.strided_slice, tfl.slice, tfl.split and tfl.split_v.

#include "Rescaling.h"
#include "Translations.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/IR/TypeRewrite.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::qdq;

/// Refuses operands and results that are not of one quantized type, or of one
/// other element type.
static LogicalResult checkOneType(const ForeignOp &op,
                                  ArrayRef<Value> operands) {
  Type result = op.getOperation()->getResult(0).getType();
  SmallVector<Type> types;
  for (Value operand : operands)
    types.push_back(operand.getType());
  llvm::append_range(types, op.getOperation()->getResultTypes());
  for (Type type : types) {
    if (!isa<RankedTensorType>(type))
      return op.refuse("has a value of type ", type,
                       ": expected ranked tensors");
    if (!isQuantized(result) && !isQuantized(type)) {
      if (getElementTypeOrSelf(type) == getElementTypeOrSelf(result))
        continue;
      return op.refuse("has values of types ", type, " and ", result,
                       ": expected one element type");
    }
    FailureOr<CodeType> own = readCodeType(op, "an operand", type);
    FailureOr<CodeType> other = readResultCodes(op);
    if (failed(own) || failed(other) ||
        failed(
            checkSameParameters(op, "an operand", *own, "the result", *other)))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Joining
//===----------------------------------------------------------------------===//

LogicalResult mlir::qdq::translateConcatenation(const ForeignOp &op,
                                                const Stamp &stamp) {
  SmallVector<Value> operands(op.getOperation()->getOperands());
  FailureOr<StringRef> function =
      op.getString("fused_activation_function", "NONE");
  if (failed(function) || failed(checkOneType(op, operands)))
    return failure();
  if (*function != "NONE")
    return op.refuse("fused_activation_function is '", *function,
                     "': expected NONE");
  auto result =
      cast<RankedTensorType>(op.getOperation()->getResult(0).getType());
  int64_t rank = result.getRank();
  FailureOr<int64_t> axis = getAxis(op, 0, rank);
  if (failed(axis))
    return failure();
  int64_t dim = *axis;
  int64_t total = 0;
  for (Value operand : operands) {
    auto type = cast<RankedTensorType>(operand.getType());
    SmallVector<int64_t> shape(type.getShape());
    if (type.getRank() == rank) {
      int64_t size = std::exchange(shape[dim], result.getDimSize(dim));
      total = ShapedType::isDynamic(size) || ShapedType::isDynamic(total)
                  ? ShapedType::kDynamic
                  : total + size;
    }
    if (failed(verifyCompatibleShape(shape, result.getShape())))
      return op.refuse("has an operand of type ", type, " and the result ",
                       result, ": expected one shape but for axis ", dim);
  }
  if (differ(total, result.getDimSize(dim)))
    return op.refuse("result has type ", result, ": expected ", total,
                     " along axis ", dim);

  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  SmallVector<Value> parts = llvm::map_to_vector(
      operands, [&](Value operand) { return toSignlessStorage(op, operand); });
  Value joined = parts.size() == 1
                     ? parts.front()
                     : tensor::ConcatOp::create(b, dim, parts).getResult();
  return replaceWithStorage(op, joined);
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

namespace {
/// A part of a tensor. An open size is all of its dimension.
struct Part {
  SmallVector<int64_t> offsets, sizes, steps;
  /// Dimensions of size 1 that the result does not have.
  llvm::SmallBitVector dropped;

  explicit Part(ArrayRef<int64_t> shape)
      : offsets(shape.size(), 0), sizes(shape), steps(shape.size(), 1),
        dropped(shape.size()) {}
};
} // namespace

/// The shape of a part.
static SmallVector<int64_t> getShape(const Part &part) {
  SmallVector<int64_t> shape;
  for (auto [dim, size] : llvm::enumerate(part.sizes))
    if (!part.dropped[dim])
      shape.push_back(size);
  return shape;
}

static Value createPart(const ForeignOp &op, Value value, const Part &part) {
  auto type = cast<RankedTensorType>(value.getType());
  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  SmallVector<OpFoldResult> offsets, sizes, steps;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    offsets.push_back(b.getIndexAttr(part.offsets[dim]));
    steps.push_back(b.getIndexAttr(part.steps[dim]));
    sizes.push_back(ShapedType::isDynamic(part.sizes[dim])
                        ? tensor::getMixedSize(b, b.getLoc(), value, dim)
                        : b.getIndexAttr(part.sizes[dim]));
  }
  return tensor::ExtractSliceOp::create(b, type.clone(getShape(part)), value,
                                        offsets, sizes, steps);
}

/// Replaces the results by parts of a value, whose shapes they have.
static LogicalResult replaceByParts(const ForeignOp &op, Value value,
                                    ArrayRef<Part> parts) {
  for (auto [index, part] : llvm::enumerate(parts)) {
    auto result =
        cast<RankedTensorType>(op.getOperation()->getResult(index).getType());
    SmallVector<int64_t> shape = getShape(part);
    if (failed(verifyCompatibleShape(shape, result.getShape())))
      return op.refuse("result ", index, " has type ", result,
                       ": expected the shape of ", result.clone(shape));
  }
  Value signless = toSignlessStorage(op, value);
  return replaceWithStorage(op,
                            llvm::map_to_vector(parts, [&](const Part &part) {
                              return createPart(op, signless, part);
                            }));
}

LogicalResult mlir::qdq::translateStridedSlice(const ForeignOp &op,
                                               const Stamp &stamp) {
  Value operand = op.getOperation()->getOperand(0);
  if (failed(checkOneType(op, operand)))
    return failure();
  auto type = cast<RankedTensorType>(operand.getType());
  SmallVector<int64_t> lists[3];
  StringRef names[] = {"begin", "end", "strides"};
  for (unsigned index = 0; index < 3; ++index) {
    FailureOr<SmallVector<int64_t>> list =
        readConstantIntegers(op, index + 1, names[index]);
    if (failed(list))
      return failure();
    if (static_cast<int64_t>(list->size()) > type.getRank() ||
        (index && list->size() != lists[0].size()))
      return op.refuse(names[index], " has ", list->size(),
                       " numbers: expected one for each of up to ",
                       type.getRank(), " dimensions");
    lists[index] = *list;
  }
  auto &[begins, ends, strides] = lists;
  Reader read;
  SmallVector<int64_t> masks;
  for (StringRef name : {"begin_mask", "end_mask", "shrink_axis_mask",
                         "ellipsis_mask", "new_axis_mask"})
    masks.push_back(read(op.getInteger(name, 0)));
  if (failed(read))
    return failure();
  if (masks[3] || masks[4])
    return op.refuse("has an ellipsis_mask or a new_axis_mask: expected none");
  if (op.isSet("offset"))
    return op.refuse("has offset = true: expected end to be a place");

  Part part(type.getShape());
  for (int64_t dim = 0; dim < static_cast<int64_t>(begins.size()); ++dim) {
    auto has = [&](int mask) { return (masks[mask] >> dim) & 1; };
    int64_t size = type.getDimSize(dim), step = strides[dim];
    bool isAll = has(0) && has(1) && step == 1 && !has(2);
    if (isAll)
      continue;
    if (ShapedType::isDynamic(size))
      return op.refuse("takes a part of dimension ", dim, " of the input ",
                       type, ": expected a static size there");
    if (step < 1)
      return op.refuse("strides has ", step, " for dimension ", dim,
                       ": expected a positive number");
    auto place = [&](int64_t index) {
      return std::clamp<int64_t>(index < 0 ? index + size : index, 0, size);
    };
    int64_t begin = has(0) ? 0 : place(begins[dim]);
    int64_t end = has(1) ? size : place(ends[dim]);
    if (has(2)) {
      if (begin >= size)
        return op.refuse("begin has ", begins[dim], " for dimension ", dim,
                         ", which has ", size, " elements");
      end = begin + 1;
      step = 1;
      part.dropped.set(dim);
    }
    part.offsets[dim] = std::min(begin, end);
    part.steps[dim] = step;
    part.sizes[dim] =
        end <= begin ? 0 : llvm::divideCeilSigned(end - begin, step);
  }
  return replaceByParts(op, operand, part);
}

LogicalResult mlir::qdq::translateSlice(const ForeignOp &op,
                                        const Stamp &stamp) {
  Value operand = op.getOperation()->getOperand(0);
  if (failed(checkOneType(op, operand)))
    return failure();
  auto type = cast<RankedTensorType>(operand.getType());
  FailureOr<SmallVector<int64_t>> begin = readConstantIntegers(op, 1, "begin");
  FailureOr<SmallVector<int64_t>> size = readConstantIntegers(op, 2, "size");
  if (failed(begin) || failed(size))
    return failure();
  size_t rank = type.getRank();
  if (begin->size() != rank || size->size() != rank)
    return op.refuse("begin has ", begin->size(), " and size ", size->size(),
                     " numbers: expected ", rank);
  Part part(type.getShape());
  for (size_t dim = 0; dim < rank; ++dim) {
    int64_t from = (*begin)[dim], count = (*size)[dim];
    int64_t extent = type.getDimSize(dim);
    if (from == 0 && count == -1)
      continue;
    if (ShapedType::isDynamic(extent))
      return op.refuse("takes a part of dimension ", dim, " of the input ",
                       type, ": expected a static size there");
    if (count == -1)
      count = extent - from;
    if (from < 0 || count < 0 || from > extent || count > extent - from)
      return op.refuse("takes ", count, " elements from ", from,
                       " on in dimension ", dim, ", which has ", extent);
    part.offsets[dim] = from;
    part.sizes[dim] = count;
  }
  return replaceByParts(op, operand, part);
}

/// The parts of a tensor along a dimension.
static LogicalResult split(const ForeignOp &op, unsigned valueIndex,
                           unsigned axisIndex,
                           std::optional<SmallVector<int64_t>> given) {
  FailureOr<ForeignTensor> input = op.getTensor(valueIndex, "input");
  if (failed(input) || failed(checkOneType(op, {input->value})))
    return failure();
  auto type = cast<RankedTensorType>(input->type);
  FailureOr<SmallVector<int64_t>> axis =
      readConstantIntegers(op, axisIndex, "split_dim");
  if (failed(axis))
    return failure();
  int64_t rank = type.getRank();
  int64_t dim = axis->size() == 1 ? axis->front() : rank;
  dim += dim < 0 ? rank : 0;
  if (dim < 0 || dim >= rank || type.isDynamicDim(dim))
    return op.refuse("splits the input ", type, " along dimension ", dim,
                     ": expected one of ", rank, ", and a static size");
  int64_t extent = type.getDimSize(dim);
  int64_t count = op.getOperation()->getNumResults();
  SmallVector<int64_t> sizes =
      given.value_or(SmallVector<int64_t>(count, extent / count));
  int64_t sum = 0, *rest = nullptr;
  for (int64_t &size : sizes) {
    if (size == -1 && !rest) {
      rest = &size;
      continue;
    }
    if (size < 0 || size > extent)
      return op.refuse("has a part of ", size, " of ", extent, " elements");
    sum += size;
  }
  if (rest)
    sum += *rest = std::max<int64_t>(extent - sum, 0);
  if (static_cast<int64_t>(sizes.size()) != count || sum != extent)
    return op.refuse("has ", sizes.size(), " parts of ", sum,
                     " elements: expected ", count, " of ", extent);
  SmallVector<Part> parts(count, Part(type.getShape()));
  int64_t offset = 0;
  for (auto [index, size] : llvm::enumerate(sizes)) {
    parts[index].sizes[dim] = size;
    parts[index].offsets[dim] = offset;
    offset += size;
  }
  return replaceByParts(op, input->value, parts);
}

LogicalResult mlir::qdq::translateSplit(const ForeignOp &op,
                                        const Stamp &stamp) {
  return split(op, /*valueIndex=*/1, /*axisIndex=*/0, std::nullopt);
}

LogicalResult mlir::qdq::translateSplitV(const ForeignOp &op,
                                         const Stamp &stamp) {
  FailureOr<SmallVector<int64_t>> sizes =
      readConstantIntegers(op, 1, "size_splits");
  if (failed(sizes))
    return failure();
  return split(op, /*valueIndex=*/0, /*axisIndex=*/2, *sizes);
}
