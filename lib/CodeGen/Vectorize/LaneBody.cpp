// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The body of a tile, computed for all its lanes at once.

#include "LaneBody.h"
#include "../Analysis/SumOfProducts.h"
#include "LaneMemory.h"
#include "LaneOps.h"
#include "LaneTable.h"
#include "WordBytes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::qdq;

/// The value that a reduction by `or` takes in.
static Value getReduced(linalg::GenericOp op) {
  auto combine = op.getBody()
                     ->getTerminator()
                     ->getOperand(0)
                     .getDefiningOp<arith::OrIOp>();
  Value out = op.getRegionOutputArgs().front();
  if (op.getNumResults() > 1 || !combine || !out.hasOneUse())
    return {};
  if (combine.getLhs() == out)
    return combine.getRhs();
  return combine.getRhs() == out ? combine.getLhs() : Value();
}

static bool isReduction(linalg::GenericOp op) {
  return op.getNumReductionLoops() > 0;
}

bool mlir::qdq::isLaneBody(linalg::GenericOp op) {
  return llvm::all_of(*op.getBody(), isSupportedOnLanes) &&
         (!isReduction(op) || getReduced(op));
}

Operation *mlir::qdq::getSum(linalg::GenericOp op) {
  std::optional<SumOfProducts> sum = SumOfProducts::get(op);
  return sum && sum->isOfFloats() &&
                 llvm::all_of(*op.getBody(), isSupportedOnLanes)
             ? sum->sum
             : nullptr;
}

arith::AddFOp mlir::qdq::getReassociableSum(linalg::GenericOp op) {
  std::optional<SumOfProducts> sum = SumOfProducts::get(op);
  return sum && sum->isReassociable()
             ? dyn_cast_or_null<arith::AddFOp>(getSum(op))
             : arith::AddFOp();
}

namespace {
class LaneBody {
public:
  LaneBody(RewriterBase &rewriter, linalg::GenericOp tile,
           const LaneLoops &loops, TypedAttr start, int64_t tableBits)
      : b(tile.getLoc(), rewriter), rewriter(rewriter), tile(tile),
        loops(loops),
        keepsFields(isReduction(tile) && loops.getNumFields() > 1),
        tableBits(tableBits), shuffle(b, loops), memory(b, tile, loops, start),
        table(b, loops, keepsFields) {}

  void run();
  SmallVector<Term> runTerm(Operation *sum, ArrayRef<Value> offsets);

private:
  void computeBefore(Operation *end);

  LaneValue get(Value scalar) {
    if (auto found = values.find(scalar); found != values.end())
      return found->second;
    if (auto found = some.find(scalar); found != some.end())
      return values[scalar] = memory.spread(found->second);
    return LaneValue::scalar(scalar);
  }

  void readUsed(OpOperand &operand) {
    BlockArgument argument = tile.getMatchingBlockArgument(&operand);
    if (argument.use_empty())
      return;
    if (loops.classify(tile.getMatchingIndexingMap(&operand)) ==
        LaneOperand::PerSome)
      some[argument] = memory.readSome(operand);
    else
      values[argument] = memory.read(operand);
  }

  LaneValue index(linalg::IndexOp op);
  bool computeSome(Operation *op);
  LaneValue compute(Operation *op);
  LaneValue widenMerged(Operation *op, LaneValue operand);
  bool shiftsLanes(Operation *op, ArrayRef<LaneValue> operands);
  LaneValue shiftLanes(ArrayRef<LaneValue> operands);
  std::optional<LaneValue> joinParts(Operation *op);
  std::optional<LaneValue> cutParts(Operation *op);
  Value reduce(Value init, LaneValue reduced);

  ImplicitLocOpBuilder b;
  RewriterBase &rewriter;
  linalg::GenericOp tile;
  const LaneLoops &loops;
  /// Lanes that are reduced need not be in their order.
  bool keepsFields;
  int64_t tableBits;
  LaneShuffle shuffle;
  LaneMemory memory;
  LaneTable table;
  DenseMap<Value, LaneValue> values;
  /// Values that are spread over the lanes where others need them.
  DenseMap<Value, SomeLanes> some;
  /// The bytes that words are joined of, and how many make one.
  DenseMap<Value, std::pair<Value, int64_t>> joinedBytes;
};
} // namespace

LaneValue LaneBody::index(linalg::IndexOp op) {
  unsigned loop = op.getDim();
  if (!loops.isLane(loop))
    return LaneValue::scalar(
        memory.offsets.empty()
            ? arith::ConstantIndexOp::create(b, 0).getResult()
            : memory.offsets[loop]);
  LaneValue result{LaneValue::Kind::Fields, {}};
  if (loops.isField(loop)) {
    for (int64_t field = 0; field < loops.getNumFields(); ++field)
      result.values.push_back(
          arith::ConstantIndexOp::create(b, loops.getIteration(loop, field)));
    return result;
  }
  SmallVector<Attribute> iterations;
  for (int64_t i = 0; i < loops.getNumContainers(); ++i)
    iterations.push_back(b.getIndexAttr(loops.getIteration(loop, i)));
  auto type = VectorType::get(loops.getNumContainers(), b.getIndexType());
  Value lanes =
      arith::ConstantOp::create(b, DenseElementsAttr::get(type, iterations));
  result.values.assign(loops.getNumFields(), lanes);
  return result;
}

static unsigned getLaneBits(Type type) {
  return getLaneType(type).isIndex()
             ? 64
             : getLaneType(type).getIntOrFloatBitWidth();
}

/// A cast to a wider type: fields are merged while they are narrow.
LaneValue LaneBody::widenMerged(Operation *op, LaneValue operand) {
  Type type = op->getOperand(0).getType();
  if (!sharesByte(type))
    return {LaneValue::Kind::Flat,
            {createOnLanes(b, op, shuffle.merge(operand, type))}};
  unsigned bits = type.getIntOrFloatBitWidth();
  for (Value &part : operand.values)
    part = extendBits(b, part, bits, isReadAsSigned(op->getOpOperand(0)));
  Value bytes = shuffle.merge(operand, type);
  auto resultType =
      VectorType::get(loops.getNumLanes(), op->getResult(0).getType());
  OperationState state(b.getLoc(), op->getName(), bytes, resultType);
  return {LaneValue::Kind::Flat, {b.create(state)->getResult(0)}};
}

/// True for the shifts of containers to their fields, where each lane is as
/// wide as a container anyway.
bool LaneBody::shiftsLanes(Operation *op, ArrayRef<LaneValue> operands) {
  return isa<arith::ShRUIOp>(op) && !isReduction(tile) &&
         op->getResult(0).getType().isInteger(32) &&
         llvm::all_of(operands,
                      [](const LaneValue &v) {
                        return v.kind == LaneValue::Kind::Fields;
                      }) &&
         operands[0].isVector() && llvm::all_equal(operands[0].values) &&
         !operands[1].isVector();
}

/// Containers in all their lanes, each shifted by the amount of its field.
LaneValue LaneBody::shiftLanes(ArrayRef<LaneValue> operands) {
  SmallVector<int64_t> containers;
  SmallVector<Value> amounts;
  for (int64_t lane = 0; lane < loops.getNumLanes(); ++lane) {
    auto [field, container] = loops.getFieldAndContainer(lane);
    containers.push_back(container);
    amounts.push_back(operands[1].values[field]);
  }
  Value vector = operands[0].values.front();
  Value lanes;
  if (auto joined = joinedBytes.find(vector); joined != joinedBytes.end()) {
    auto [bytes, parts] = joined->second;
    lanes = joinBytes(b, bytes, parts, containers,
                      cast<IntegerType>(getElementTypeOrSelf(vector)));
  } else {
    lanes = vector::ShuffleOp::create(b, vector, vector, containers);
  }
  Value amount = vector::FromElementsOp::create(
      b, cast<VectorType>(lanes.getType()), amounts);
  return {LaneValue::Kind::Flat, {arith::ShRUIOp::create(b, lanes, amount)}};
}

/// The words that an op joins of all parts of an operand, in one permutation.
std::optional<LaneValue> LaneBody::joinParts(Operation *op) {
  auto word = dyn_cast<IntegerType>(op->getResult(0).getType());
  SmallVector<OpOperand *> parts = getJoinedBytes(tile, op->getResult(0));
  if (parts.size() < 2 || loops.classify(tile.getMatchingIndexingMap(
                              parts.front())) != LaneOperand::PerContainer)
    return std::nullopt;
  Value bytes = memory.readAll(*parts.front(), LaneOperand::PerContainer);
  auto containers = llvm::to_vector(llvm::seq(loops.getNumContainers()));
  Value words = joinBytes(b, bytes, parts.size(), containers, word);
  joinedBytes[words] = {bytes, parts.size()};
  return LaneValue{LaneValue::Kind::Fields,
                   SmallVector<Value>(loops.getNumFields(), words)};
}

/// The parts that an op cuts out of words, where the tile has bytes only: a
/// lane is no wider than that then.
std::optional<LaneValue> LaneBody::cutParts(Operation *op) {
  auto part = dyn_cast<arith::TruncIOp>(op);
  auto isNarrow = [](Type type) {
    return type.isIntOrFloat() && type.getIntOrFloatBitWidth() <= 8;
  };
  if (!part || !isNarrow(part.getType()) ||
      !llvm::all_of(tile.getBody()->getTerminator()->getOperandTypes(),
                    isNarrow))
    return std::nullopt;
  auto shift = part.getIn().getDefiningOp<arith::ShRUIOp>();
  if (!shift)
    return std::nullopt;
  LaneValue words = get(shift.getLhs()), amounts = get(shift.getRhs());
  if (!shiftsLanes(shift, {words, amounts}))
    return std::nullopt;
  Value bytes = cutBytes(b, words.values.front(), amounts.values,
                         part.getType().getIntOrFloatBitWidth());
  int64_t stride = cast<VectorType>(bytes.getType()).getNumElements() /
                   loops.getNumContainers();
  SmallVector<int64_t> order;
  for (int64_t lane = 0; lane < loops.getNumLanes(); ++lane) {
    auto [field, container] = loops.getFieldAndContainer(lane);
    order.push_back(container * stride + field);
  }
  return LaneValue{LaneValue::Kind::Flat,
                   {vector::ShuffleOp::create(b, bytes, bytes, order)}};
}

/// Computes what depends on one set of lane loops alone, once for each of their
/// iterations.
bool LaneBody::computeSome(Operation *op) {
  const SomeLanes *first = nullptr;
  for (Value operand : op->getOperands()) {
    if (auto found = some.find(operand); found == some.end()) {
      if (get(operand).kind != LaneValue::Kind::Scalar)
        return false;
    } else if (first && first->loops != found->second.loops) {
      return false;
    } else {
      first = &found->second;
    }
  }
  if (!first || op == table.getCode() || op == table.getBit())
    return false;
  int64_t count = cast<VectorType>(first->elements.getType()).getNumElements();
  SmallVector<Value> elements;
  for (Value operand : op->getOperands()) {
    auto found = some.find(operand);
    elements.push_back(found != some.end()
                           ? found->second.elements
                           : shuffle.broadcast(get(operand).values.front(),
                                               count, operand.getType()));
  }
  SomeLanes result{createOnLanes(b, op, elements), first->loops};
  some[op->getResult(0)] = result;
  return true;
}

LaneValue LaneBody::compute(Operation *op) {
  if (std::optional<LaneValue> words = joinParts(op))
    return *words;
  if (std::optional<LaneValue> bytes = cutParts(op))
    return *bytes;
  SmallVector<LaneValue> operands =
      llvm::map_to_vector(op->getOperands(), [&](Value v) { return get(v); });
  auto has = [&](LaneValue::Kind kind) {
    return llvm::any_of(operands,
                        [&](const LaneValue &v) { return v.kind == kind; });
  };
  auto clone = [&](ArrayRef<Value> scalars) {
    IRMapping mapping;
    mapping.map(op->getOperands(), scalars);
    return b.clone(*op, mapping)->getResult(0);
  };
  int64_t flatLanes = table.isEntry(op->getResult(0)) ? table.getNumLanes()
                                                      : loops.getNumLanes();
  bool hasFlat = has(LaneValue::Kind::Flat),
       hasFields = has(LaneValue::Kind::Fields);
  if (!hasFlat && !hasFields)
    return LaneValue::scalar(clone(llvm::map_to_vector(
        operands, [](LaneValue &v) { return v.values.front(); })));

  if (shiftsLanes(op, operands))
    return shiftLanes(operands);
  bool widens =
      op->getNumOperands() == 1 && getLaneBits(op->getResult(0).getType()) >
                                       getLaneBits(op->getOperand(0).getType());
  // A value that is equal in all fields stays one vector of containers.
  if (hasFields && widens && operands[0].isVector() && !keepsFields &&
      !llvm::all_equal(operands[0].values))
    return widenMerged(op, operands[0]);

  // A reduction goes from lanes to the fields of containers.
  if (hasFlat && !(hasFields && isReduction(tile))) {
    SmallVector<Value> lanes;
    for (auto [value, scalar] : llvm::zip(operands, op->getOperands()))
      lanes.push_back(value.kind == LaneValue::Kind::Scalar
                          ? shuffle.broadcast(value.values.front(), flatLanes,
                                              scalar.getType())
                          : shuffle.merge(value, scalar.getType()));
    return {LaneValue::Kind::Flat, {createOnLanes(b, op, lanes)}};
  }
  for (auto [value, scalar] : llvm::zip(operands, op->getOperands()))
    value = shuffle.split(value);
  LaneValue result{LaneValue::Kind::Fields, {}};
  bool isVector =
      llvm::any_of(operands, [](LaneValue &v) { return v.isVector(); });
  SmallVector<Value> previous;
  for (int64_t field = 0; field < loops.getNumFields(); ++field) {
    SmallVector<Value> parts = llvm::map_to_vector(
        operands, [&](LaneValue &v) { return v.values[field]; });
    if (parts == previous) {
      result.values.push_back(result.values.back());
      continue;
    }
    previous = parts;
    if (isVector)
      for (auto [part, scalar] : llvm::zip(parts, op->getOperands()))
        part =
            shuffle.broadcast(part, loops.getNumContainers(), scalar.getType());
    result.values.push_back(isVector ? createOnLanes(b, op, parts)
                                     : clone(parts));
  }
  return result;
}

Value LaneBody::reduce(Value init, LaneValue reduced) {
  Type type = getElementTypeOrSelf(init);
  Value result = shuffle.broadcast(init, loops.getNumContainers(), type);
  for (Value part : shuffle.split(reduced).values)
    result = arith::OrIOp::create(
        b, result, shuffle.broadcast(part, loops.getNumContainers(), type));
  return result;
}

/// Computes the ops of the body before `end`.
void LaneBody::computeBefore(Operation *end) {
  // Packed codes are no table.
  if (!isReduction(tile) || isa<arith::AddFOp, math::FmaOp>(end))
    table.choose(tile, end, tableBits);
  auto lookUp = [&](Value value) { return get(value); };
  for (Operation &op :
       llvm::make_range(tile.getBody()->begin(), end->getIterator())) {
    Value result = op.getResult(0);
    if (computeSome(&op))
      continue;
    if (auto indexOp = dyn_cast<linalg::IndexOp>(op))
      values[result] = index(indexOp);
    else if (op.hasTrait<OpTrait::ConstantLike>())
      values[result] = LaneValue::scalar(b.clone(op)->getResult(0));
    else if (loops.hasWords() && table.getCode() &&
             (&op == table.getCode() ||
              &op == table.getCode().getIn().getDefiningOp()))
      values[result] = get(op.getOperand(0));
    else
      values[result] = compute(&op);
    if (table.getCode() && result == table.getCode().getResult())
      values[result] = table.start(values[result], lookUp);
    if (table.getBit() && result == table.getBit().getResult())
      values[result] = table.startBit(values[result]);
    if (result == table.getResult())
      values[result] = table.end(values[result]);
  }
}

SmallVector<Term> LaneBody::runTerm(Operation *sum, ArrayRef<Value> begin) {
  memory.offsets = begin;
  for (OpOperand *operand : tile.getDpsInputOperands())
    readUsed(*operand);
  computeBefore(sum);
  SmallVector<Term> terms(loops.getNumFields());
  for (Value operand : sum->getOperands())
    if (operand != tile.getRegionOutputArgs().front())
      for (auto [term, field] :
           llvm::zip_equal(terms, shuffle.split(get(operand)).values))
        term.push_back(shuffle.broadcast(field, loops.getNumContainers(),
                                         operand.getType()));
  return terms;
}

Value mlir::qdq::addTerm(OpBuilder &b, Operation *sum, Value total,
                         const Term &term) {
  Location loc = sum->getLoc();
  if (isa<math::FmaOp>(sum))
    return math::FmaOp::create(b, loc, term[0], term[1], total);
  return arith::AddFOp::create(b, loc, total, term.front(),
                               cast<arith::AddFOp>(sum).getFastmath());
}

void LaneBody::run() {
  Block *body = tile.getBody();
  for (OpOperand &operand : tile->getOpOperands())
    readUsed(operand);
  Operation *end = body->getTerminator();
  if (isReduction(tile))
    end = end->getOperand(0).getDefiningOp();
  computeBefore(end);
  SmallVector<Value> results;
  for (auto [init, yielded] : llvm::zip(tile.getDpsInitsMutable(),
                                        body->getTerminator()->getOperands())) {
    Value result;
    if (isReduction(tile)) {
      LaneValue old = values[tile.getMatchingBlockArgument(&init)];
      result =
          memory.write(init, reduce(old.values.front(), get(getReduced(tile))),
                       LaneOperand::PerContainer);
    } else {
      Value lanes = shuffle.merge(get(yielded), yielded.getType());
      result = memory.write(init, lanes, LaneOperand::Full);
    }
    if (result)
      results.push_back(result);
  }
  rewriter.replaceOp(tile, results);
}

void mlir::qdq::vectorizeLanes(RewriterBase &rewriter, linalg::GenericOp tile,
                               const LaneLoops &loops, TypedAttr start,
                               int64_t tableBits) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(tile);
  LaneBody(rewriter, tile, loops, start, tableBits).run();
}

SmallVector<Term> mlir::qdq::computeTerm(RewriterBase &rewriter,
                                         linalg::GenericOp op, Operation *sum,
                                         const LaneLoops &loops,
                                         ArrayRef<Value> offsets,
                                         int64_t tableBits) {
  return LaneBody(rewriter, op, loops, {}, tableBits).runTerm(sum, offsets);
}
