// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators that write elements at places that another tensor holds, one after
// the other: places may be written twice.

#include "../ForeignOps/Gather.h"
#include "../ForeignOps/SizeChecks.h"
#include "../ForeignOps/TensorOps.h"
#include "Indices.h"
#include "Joins.h"
#include "NodeParts.h"
#include "Operators.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/IR/TypeRewrite.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::qdq;

using B = ImplicitLocOpBuilder;

namespace {
/// The operands of a scatter, and its function of two elements.
struct Scatter {
  ForeignTensor data, indices, updates;
  /// Nothing where an update takes the place of the element.
  std::optional<Join> join;

  bool writesNothing() const {
    return llvm::is_contained(data.type.getShape(), 0) ||
           llvm::is_contained(indices.type.getShape(), 0);
  }
  bool isUnsigned() const {
    Type element = data.type.getElementType();
    return element.isUnsignedInteger() || element.isInteger(1);
  }
};
} // namespace

static FailureOr<Scatter> readScatter(const ForeignOp &node) {
  FailureOr<ForeignTensor> data = getRanked(node, 0, "data", 1);
  FailureOr<ForeignTensor> indices = getIndices(node, 1);
  FailureOr<ForeignTensor> updates = getRanked(node, 2, "updates");
  FailureOr<StringRef> reduction = node.getString("reduction", "none");
  if (failed(data) || failed(indices) || failed(updates) || failed(reduction))
    return failure();
  Type element = data->type.getElementType();
  if (updates->type.getElementType() != element)
    return node.refuse("updates have type ", updates->type,
                       ": expected elements of ", element);
  Scatter scatter{*data, *indices, *updates, std::nullopt};
  if (*reduction == "none")
    return scatter;
  scatter.join = llvm::StringSwitch<std::optional<Join>>(*reduction)
                     // A sum of truth values is true where one of them is.
                     .Case("add", element.isInteger(1) ? Join::Max : Join::Sum)
                     .Case("mul", Join::Product)
                     .Case("max", Join::Max)
                     .Case("min", Join::Min)
                     .Default(std::nullopt);
  if (!scatter.join)
    return node.refuse("reduction is '", *reduction,
                       "': expected none, add, mul, max or min");
  return scatter;
}

/// Calls `body` at each place of these sizes, in their order, with a carried
/// tensor. Two loops at most: upstream follows the sizes of what nested ones
/// carry in exponential time.
static Value forEach(B &b, ArrayRef<OpFoldResult> sizes, Value carried,
                     function_ref<Value(B &, ValueRange, Value)> body) {
  if (sizes.empty())
    return body(b, {}, carried);
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1), count = one;
  SmallVector<Value> ends;
  for (OpFoldResult size : sizes)
    ends.push_back(toValue(b, size));
  Value last = ends.pop_back_val();
  for (Value end : ends)
    count = b.createOrFold<arith::MulIOp>(count, end);
  return scf::buildLoopNest(
             b, b.getLoc(), {zero, zero}, {count, last}, {one, one}, carried,
             [&](OpBuilder &nested, Location loc, ValueRange at,
                 ValueRange arguments) -> scf::ValueVector {
               B in(loc, nested);
               SmallVector<Value> places{at[1]};
               Value rest = at[0];
               for (size_t dim = ends.size(); dim-- > 1;) {
                 places.push_back(arith::RemUIOp::create(in, rest, ends[dim]));
                 rest = arith::DivUIOp::create(in, rest, ends[dim]);
               }
               if (!ends.empty())
                 places.push_back(rest);
               return {body(in, llvm::to_vector(llvm::reverse(places)),
                            arguments[0])};
             })
      .results[0];
}

/// Replaces the node by `data` with the updates written to it, of which there
/// are `outer` times `inner`. `getPlace` gives the leading coordinates from the
/// outer loops; the others are those of the inner loops. Nothing is written
/// where one of the sizes `reached` is 0.
static LogicalResult
writeUpdates(const ForeignOp &node, const Scatter &scatter, Value data,
             Value updates, ArrayRef<OpFoldResult> outer,
             ArrayRef<OpFoldResult> inner, ArrayRef<OpFoldResult> reached,
             function_ref<SmallVector<Value>(B &, ValueRange)> getPlace) {
  B b(node.getLoc(), node.getRewriter());
  data = asSignless(b, b.getLoc(), data);
  updates = asSignless(b, b.getLoc(), updates);
  Type element = getElementTypeOrSelf(data), type = getComputeType(element);
  // Nothing is written to an empty tensor.
  Sizes counts(outer);
  counts.insert(counts.begin(), b.getIndexAttr(1));
  if (Value isEmpty = isAnyEmpty(b, reached)) {
    Value isFull = arith::XOrIOp::create(
        b, isEmpty, arith::ConstantOp::create(b, b.getBoolAttr(true)));
    counts[0] =
        arith::IndexCastUIOp::create(b, b.getIndexType(), isFull).getResult();
  }
  return replaceBy(
      node,
      forEach(b, counts, data, [&](B &far, ValueRange all, Value carried) {
        ValueRange first = all.drop_front();
        SmallVector<Value> leading = getPlace(far, first);
        return forEach(
            far, inner, carried,
            [&](B &body, ValueRange last, Value written) -> Value {
              SmallVector<Value> place(leading), from(first);
              llvm::append_range(place, last);
              llvm::append_range(from, last);
              Value x = tensor::ExtractOp::create(body, updates, from);
              if (scatter.join) {
                Value old = tensor::ExtractOp::create(body, written, place);
                if (isa<FloatType>(element)) {
                  old = castFloat(body, old, type);
                  x = castFloat(body, x, type);
                }
                x = emitJoin(body, *scatter.join, old, x, scatter.isUnsigned());
                if (isa<FloatType>(element))
                  x = castFloat(body, x, element);
              }
              return tensor::InsertOp::create(body, x, written, place);
            });
      }));
}

/// An update for each of the indices, which stand in for its coordinate along
/// `axis`.
static LogicalResult translateScatterElements(const ForeignOp &node) {
  FailureOr<Scatter> scatter = readScatter(node);
  if (failed(scatter))
    return failure();
  const auto &[data, indices, updates, join] = *scatter;
  FailureOr<int64_t> read = getAxis(node, 0, data.type.getRank());
  if (failed(read))
    return failure();
  int64_t axis = *read;
  if (indices.type.getRank() != updates.type.getRank() ||
      failed(verifyCompatibleShape(indices.type, updates.type)))
    return node.refuse("has indices ", indices.type, " and updates ",
                       updates.type, ": expected one shape");
  if (failed(checkExtents(node, data, indices, axis)))
    return failure();
  if (scatter->writesNothing())
    return replaceBy(node, node.materialize(data));
  if (failed(checkIndices(node, data, axis)))
    return failure();
  B b(node.getLoc(), node.getRewriter());
  Value x = node.materialize(data), places = node.materialize(indices);
  Value values = node.materialize(updates);
  for (int64_t dim = 0; dim < data.type.getRank(); ++dim)
    assertSameSize(node, {places, dim, "indices"}, {values, dim, "updates"});
  Sizes own = tensor::getMixedSizes(b, b.getLoc(), x);
  Sizes sizes = tensor::getMixedSizes(b, b.getLoc(), places);
  assertInRange(node, places, own[axis]);
  SmallVector<int64_t> doubtful = findDoubtfulDims(own, sizes, axis);
  Sizes reached;
  for (int64_t dim : doubtful)
    reached.push_back(own[dim]);
  return writeUpdates(node, *scatter, x, values, sizes, {}, reached,
                      [&](B &body, ValueRange loops) {
                        SmallVector<Value> place(loops);
                        place[axis] =
                            tensor::ExtractOp::create(body, places, loops);
                        for (int64_t dim : doubtful)
                          place[dim] =
                              wrapIndex(body, place[dim], own[dim], own[dim]);
                        return place;
                      });
}

/// The last dimension of `indices` holds the coordinates of an element, or of a
/// tensor of the dimensions behind them.
static LogicalResult translateScatterND(const ForeignOp &node) {
  FailureOr<Scatter> scatter = readScatter(node);
  if (failed(scatter))
    return failure();
  const auto &[data, indices, updates, join] = *scatter;
  if (scatter->writesNothing())
    return replaceBy(node, node.materialize(data));
  FailureOr<int64_t> read = getDepth(node, data, indices, 0);
  if (failed(read))
    return failure();
  int64_t depth = *read, last = indices.type.getRank() - 1;
  SmallVector<int64_t> shape(indices.type.getShape().drop_back());
  llvm::append_range(shape, data.type.getShape().drop_front(depth));
  if (failed(verifyCompatibleShape(shape, updates.type.getShape())))
    return node.refuse("updates have type ", updates.type, ": expected ",
                       updates.type.clone(shape));
  B b(node.getLoc(), node.getRewriter());
  Value x = node.materialize(data), places = node.materialize(indices);
  Value values = node.materialize(updates);
  for (int64_t dim = 0; dim < static_cast<int64_t>(shape.size()); ++dim) {
    bool isInner = dim >= last;
    assertSameSize(node, {values, dim, "updates"},
                   {isInner ? x : places, isInner ? dim - last + depth : dim,
                    isInner ? "data" : "indices"});
  }
  Sizes own = tensor::getMixedSizes(b, b.getLoc(), x);
  assertCoordinates(node, places, own, 0);
  Sizes outer = tensor::getMixedSizes(b, b.getLoc(), places);
  outer.pop_back();
  ArrayRef<OpFoldResult> all(own);
  return writeUpdates(
      node, *scatter, x, values, outer, all.drop_front(depth),
      all.take_front(depth), [&](B &body, ValueRange loops) {
        SmallVector<Value> at(loops), place;
        at.push_back(Value());
        for (int64_t dim = 0; dim < depth; ++dim) {
          at.back() = arith::ConstantIndexOp::create(body, dim);
          Value index = tensor::ExtractOp::create(body, places, at);
          place.push_back(wrapIndex(body, index, own[dim], own[dim]));
        }
        return place;
      });
}

ArrayRef<Operator> mlir::qdq::getScatterOperators() {
  static const Operator kOperators[] = {
      {"onnx.Scatter", {3}, translateScatterElements},
      {"onnx.ScatterElements", {3}, translateScatterElements},
      {"onnx.ScatterND", {3}, translateScatterND},
  };
  return kOperators;
}
