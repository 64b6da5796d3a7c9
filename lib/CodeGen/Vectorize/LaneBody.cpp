// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The body of a tile, computed for all its lanes at once.

#include "LaneBody.h"
#include "../Analysis/SumOfProducts.h"
#include "LaneMemory.h"
#include "LaneOps.h"
#include "LaneTable.h"
#include "WordBytes.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "qdq/Conversion/QDQToArith/Fields.h"

using namespace mlir;
using namespace mlir::qdq;

/// The value that a reduction by `or` takes in.
static Value getReduced(linalg::GenericOp op) {
  SmallVector<Operation *> combiners;
  Value reduced = matchReduction(op.getRegionOutputArgs(), 0, combiners);
  bool isOr = op.getNumResults() == 1 && combiners.size() == 1 &&
              isa<arith::OrIOp>(combiners.front());
  return isOr ? reduced : Value();
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
           const LaneLoops &loops, int64_t tableBits)
      : b(tile.getLoc(), rewriter), rewriter(rewriter), tile(tile),
        loops(loops),
        keepsFields(isReduction(tile) && loops.getNumFields() > 1),
        tableBits(tableBits), shuffle(b, loops), memory(b, tile, loops),
        table(b, loops, keepsFields) {}

  void run();
  SmallVector<Term> runTerm(Operation *sum, ArrayRef<Value> offsets);

private:
  void computeBefore(Operation *end);

  SmallVector<LaneValue> getAll(ValueRange scalars) {
    return llvm::map_to_vector(scalars, [&](Value v) { return get(v); });
  }
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
  LaneValue map(ArrayRef<LaneValue> operands, TypeRange types,
                function_ref<Value(ArrayRef<Value>)> create,
                bool isEntry = false);
  LaneValue widenMerged(Operation *op, LaneValue operand);
  std::optional<LaneValue> getShifts(ValueRange slots,
                                     ArrayRef<int64_t> strides, Type word);
  CutField cut(ExtractFieldOp op);
  bool isAllBits(ExtractFieldOp op, const CutField &cut);
  LaneValue extract(ExtractFieldOp op, const CutField &cut);
  Value shiftLanes(ExtractFieldOp op, const CutField &cut);
  LaneValue deposit(DepositFieldOp op);
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
  if (!sharesByte(type) || isa<FloatType>(type))
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

/// The lowest bits of the fields in these slots; nothing if all are 0.
std::optional<LaneValue>
LaneBody::getShifts(ValueRange slots, ArrayRef<int64_t> strides, Type word) {
  if (slots.empty())
    return std::nullopt;
  return map(getAll(slots), slots.getTypes(), [&](ArrayRef<Value> values) {
    return createFieldShift(b, values, strides, word);
  });
}

/// The words of the containers, and where in them the fields begin.
CutField LaneBody::cut(ExtractFieldOp op) {
  CutField result;
  IntegerType word = op.getWordType();
  OpOperand *parts =
      op.getParts().size() > 1 ? getBytesOfWord(tile, op) : nullptr;
  if (parts && loops.classify(tile.getMatchingIndexingMap(parts)) ==
                   LaneOperand::PerContainer) {
    result.bytes = memory.readAll(*parts);
    auto containers = llvm::to_vector(llvm::seq(loops.getNumContainers()));
    Value words =
        joinBytes(b, result.bytes, op.getParts().size(), containers, word);
    result.words = {LaneValue::Kind::Fields,
                    SmallVector<Value>(loops.getNumFields(), words)};
  } else {
    result.words =
        map(getAll(op.getParts()), op.getParts().getTypes(),
            [&](ArrayRef<Value> v) { return joinParts(b, word, v); });
  }
  result.shifts = getShifts(op.getSlots(), op.getStrides(), word);
  return result;
}

/// Words of 32 bits in all their lanes, each shifted by the amount of its
/// field.
Value LaneBody::shiftLanes(ExtractFieldOp op, const CutField &cut) {
  SmallVector<int64_t> containers;
  SmallVector<Value> shifts;
  for (int64_t lane = 0; lane < loops.getNumLanes(); ++lane) {
    auto [field, container] = loops.getFieldAndContainer(lane);
    containers.push_back(container);
    shifts.push_back(cut.shifts->values[field]);
  }
  Value words = cut.words.values.front();
  Value lanes =
      cut.bytes
          ? joinBytes(b, cut.bytes, op.getParts().size(), containers,
                      op.getWordType())
          : vector::ShuffleOp::create(b, words, words, containers).getResult();
  Value shift = vector::FromElementsOp::create(
      b, cast<VectorType>(lanes.getType()), shifts);
  return arith::ShRUIOp::create(b, lanes, shift);
}

/// True for all bits of bytes, in their order.
bool LaneBody::isAllBits(ExtractFieldOp op, const CutField &cut) {
  if (keepsFields || !op.getType().isInteger(1) ||
      !op.getWordType().isInteger(8) || op.getSlots().size() != 1 ||
      op.getStrides().front() != 1 || loops.getNumFields() != 8 ||
      !shuffle.areFieldsInnermost())
    return false;
  auto index = op.getSlots().front().getDefiningOp<linalg::IndexOp>();
  return index && index.getDim() + 1 == tile.getNumLoops() &&
         cut.words.kind == LaneValue::Kind::Fields && cut.words.isVector() &&
         llvm::all_equal(cut.words.values);
}

LaneValue LaneBody::extract(ExtractFieldOp op, const CutField &cut) {
  IntegerType word = op.getWordType();
  if (isAllBits(op, cut))
    return {LaneValue::Kind::Flat,
            {vector::BitCastOp::create(
                b, VectorType::get(loops.getNumLanes(), b.getI1Type()),
                cut.words.values.front())}};
  auto toLanes = [&](Value v) {
    auto vector = dyn_cast<VectorType>(v.getType());
    return vector ? Type(vector.clone(getLaneType(op.getType())))
                  : Type(op.getType());
  };
  if (!cut.shifts)
    return map(cut.words, word, [&](ArrayRef<Value> words) {
      return extractField(b, words.front(), Value(), toLanes(words.front()));
    });
  // Each lane is as wide as a word anyway.
  bool isWide = !isReduction(tile) && word.isInteger(32) &&
                cut.words.kind == LaneValue::Kind::Fields &&
                cut.words.isVector() && llvm::all_equal(cut.words.values) &&
                cut.shifts->kind == LaneValue::Kind::Fields &&
                !cut.shifts->isVector();
  if (isWide) {
    Value lanes = shiftLanes(op, cut);
    return {LaneValue::Kind::Flat,
            {extractField(b, lanes, Value(), toLanes(lanes))}};
  }
  return map({cut.words, *cut.shifts}, {word, word},
             [&](ArrayRef<Value> values) {
               return extractField(b, values[0], values[1], toLanes(values[0]));
             });
}

LaneValue LaneBody::deposit(DepositFieldOp op) {
  Type field = op.getField().getType(), word = op.getType();
  auto widen = [&](ArrayRef<Value> fields) {
    Value bits = fields[0];
    if (isa<VectorType>(bits.getType()) && sharesByte(field))
      bits = extendBits(b, bits, field.getIntOrFloatBitWidth(),
                        /*isSigned=*/false);
    return widenBits(b, bits, word);
  };
  LaneValue words = map(get(op.getField()), field, widen);
  std::optional<LaneValue> shifts =
      getShifts(op.getSlots(), op.getStrides(), word);
  if (!shifts)
    return words;
  return map({words, *shifts}, {word, word}, [&](ArrayRef<Value> values) {
    return depositField(b, values[0], values[1]);
  });
}

/// Computes what depends on one set of lane loops alone, once for each of their
/// iterations.
bool LaneBody::computeSome(Operation *op) {
  if (isa<tensor::ExtractOp>(op) || isTableIndex(*op))
    return false;
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
  if (!first || isa<DepositFieldOp>(op) || op == table.getCode())
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
  auto read = dyn_cast<tensor::ExtractOp>(op);
  ValueRange used = read ? read.getIndices() : op->getOperands();
  SmallVector<LaneValue> operands = getAll(used);
  if (isTableIndex(*op) && operands.front().kind != LaneValue::Kind::Scalar)
    return operands.front();
  bool widens =
      op->getNumOperands() == 1 && getLaneBits(op->getResult(0).getType()) >
                                       getLaneBits(op->getOperand(0).getType());
  // A value that is equal in all fields stays one vector of containers.
  if (widens && operands[0].kind == LaneValue::Kind::Fields &&
      operands[0].isVector() && !keepsFields &&
      !llvm::all_equal(operands[0].values))
    return widenMerged(op, operands[0]);
  auto create = [&](ArrayRef<Value> values) -> Value {
    if (llvm::any_of(values,
                     [](Value v) { return isa<VectorType>(v.getType()); }))
      return createOnLanes(b, op, values);
    IRMapping mapping;
    mapping.map(used, values);
    return b.clone(*op, mapping)->getResult(0);
  };
  return map(operands, used.getTypes(), create,
             table.isEntry(op->getResult(0)));
}

/// Calls `create` with scalars, or with vectors of as many lanes: operands that
/// are of these types in the body.
LaneValue LaneBody::map(ArrayRef<LaneValue> operands, TypeRange types,
                        function_ref<Value(ArrayRef<Value>)> create,
                        bool isEntry) {
  auto has = [&](LaneValue::Kind kind) {
    return llvm::any_of(operands,
                        [&](const LaneValue &v) { return v.kind == kind; });
  };
  bool hasFlat = has(LaneValue::Kind::Flat),
       hasFields = has(LaneValue::Kind::Fields);
  if (!hasFlat && !hasFields)
    return LaneValue::scalar(create(llvm::map_to_vector(
        operands, [](const LaneValue &v) { return v.values.front(); })));

  // A reduction goes from lanes to the fields of containers.
  if (hasFlat && !(hasFields && isReduction(tile))) {
    int64_t count = isEntry ? table.getNumLanes() : loops.getNumLanes();
    SmallVector<Value> lanes;
    for (auto [value, type] : llvm::zip_equal(operands, types))
      lanes.push_back(value.kind == LaneValue::Kind::Scalar
                          ? shuffle.broadcast(value.values.front(), count, type)
                          : shuffle.merge(value, type));
    return {LaneValue::Kind::Flat, {create(lanes)}};
  }
  SmallVector<LaneValue> fields = llvm::map_to_vector(
      operands, [&](const LaneValue &v) { return shuffle.split(v); });
  LaneValue result{LaneValue::Kind::Fields, {}};
  bool isVector =
      llvm::any_of(fields, [](LaneValue &v) { return v.isVector(); });
  SmallVector<Value> previous;
  for (int64_t field = 0; field < loops.getNumFields(); ++field) {
    SmallVector<Value> parts = llvm::map_to_vector(
        fields, [&](LaneValue &v) { return v.values[field]; });
    if (parts == previous) {
      result.values.push_back(result.values.back());
      continue;
    }
    previous = parts;
    if (isVector)
      for (auto [part, type] : llvm::zip_equal(parts, types))
        part = shuffle.broadcast(part, loops.getNumContainers(), type);
    result.values.push_back(create(parts));
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
  for (Operation &op :
       llvm::make_range(tile.getBody()->begin(), end->getIterator())) {
    Value result = op.getResult(0);
    if (computeSome(&op))
      continue;
    std::optional<CutField> field;
    if (auto extractOp = dyn_cast<ExtractFieldOp>(op)) {
      field = cut(extractOp);
      // Words are cut as the codes of a table.
      values[result] = loops.hasWords() && &op == table.getCode()
                           ? field->words
                           : extract(extractOp, *field);
    } else if (auto depositOp = dyn_cast<DepositFieldOp>(op)) {
      values[result] = deposit(depositOp);
    } else if (auto indexOp = dyn_cast<linalg::IndexOp>(op)) {
      values[result] = index(indexOp);
    } else if (op.hasTrait<OpTrait::ConstantLike>()) {
      values[result] = LaneValue::scalar(b.clone(op)->getResult(0));
    } else {
      values[result] = compute(&op);
    }
    if (&op == table.getCode())
      values[result] = table.start(values[result], *field);
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
    Value lanes;
    if (isReduction(tile)) {
      LaneValue old = values[tile.getMatchingBlockArgument(&init)];
      lanes = reduce(old.values.front(), get(getReduced(tile)));
    } else {
      lanes = shuffle.merge(get(yielded), yielded.getType());
    }
    results.push_back(memory.write(init, lanes));
  }
  rewriter.replaceOp(tile, results);
}

void mlir::qdq::vectorizeLanes(RewriterBase &rewriter, linalg::GenericOp tile,
                               const LaneLoops &loops, int64_t tableBits) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(tile);
  LaneBody(rewriter, tile, loops, tableBits).run();
}

SmallVector<Term> mlir::qdq::computeTerm(RewriterBase &rewriter,
                                         linalg::GenericOp op, Operation *sum,
                                         const LaneLoops &loops,
                                         ArrayRef<Value> offsets,
                                         int64_t tableBits) {
  return LaneBody(rewriter, op, loops, tableBits).runTerm(sum, offsets);
}
