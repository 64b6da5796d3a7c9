// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The body of a tile, computed for all its lanes at once.

#include "LaneBody.h"
#include "../Analysis/SumOfProducts.h"
#include "CodeTable.h"
#include "LaneValue.h"
#include "WordBytes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "qdq/IR/QDQ.h"

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

static bool hasSharedBytes(TypeRange types) {
  return llvm::any_of(types, sharesByte);
}

/// True for ops whose low bits depend on low bits only, and for those that
/// `LaneBody::createOnBytes` widens itself.
static bool isSupportedOnBytes(Operation *op) {
  return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::AndIOp,
             arith::OrIOp, arith::XOrIOp, arith::SelectOp, arith::CmpIOp,
             arith::TruncIOp, arith::ExtSIOp, arith::ExtUIOp, arith::SIToFPOp,
             arith::UIToFPOp, arith::BitcastOp, EncodeOp>(op);
}

/// True if `v` is an integer, or needs no other lanes than its own type.
static bool isOnLanes(Value v) {
  return !v || !sharesByte(v.getType()) || isa<IntegerType>(v.getType());
}

static bool isSupported(Operation &op) {
  if (isa<linalg::YieldOp, linalg::IndexOp>(op) ||
      op.hasTrait<OpTrait::ConstantLike>())
    return true;
  if (!OpTrait::hasElementwiseMappableTraits(&op) || op.getNumResults() != 1 ||
      !isMemoryEffectFree(&op))
    return false;
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op))
    return !sharesByte(op.getResult(0).getType());
  if (auto encode = dyn_cast<EncodeOp>(op))
    return isOnLanes(encode.getInput()) && isOnLanes(encode.getZeroPoint());
  bool isOnBytes = hasSharedBytes(op.getOperandTypes()) ||
                   hasSharedBytes(op.getResultTypes());
  return !isOnBytes || isSupportedOnBytes(&op);
}

bool mlir::qdq::isLaneBody(linalg::GenericOp op) {
  return llvm::all_of(*op.getBody(), isSupported) &&
         (!isReduction(op) || getReduced(op));
}

Operation *mlir::qdq::getSum(linalg::GenericOp op) {
  std::optional<SumOfProducts> sum = SumOfProducts::get(op);
  return sum && sum->isOfFloats() && llvm::all_of(*op.getBody(), isSupported)
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
        loops(loops), start(start), shuffle(b, loops),
        numLanes(loops.getNumLanes()), tableBits(tableBits) {}

  void run();
  SmallVector<Term> runTerm(Operation *sum, ArrayRef<Value> offsets);

private:
  void chooseTable(Operation *end);
  void computeBefore(Operation *end);
  Value createMask(VectorType type);
  LaneValue widenCodes(LaneValue value);
  LaneValue cutWords();
  LaneValue startTable(LaneValue value);
  LaneValue endTable(LaneValue entries);
  /// Lanes that are reduced need not be in their order.
  bool keepsSlots() { return isReduction(tile) && loops.getNumSlots() > 1; }

  LaneValue get(Value scalar) {
    auto found = values.find(scalar);
    return found != values.end() ? found->second : LaneValue::scalar(scalar);
  }

  SmallVector<Value> getOrigin(AffineMap map);
  Value readShape(OpOperand &operand, ValueRange origin,
                  ArrayRef<int64_t> shape);
  Value readAll(OpOperand &operand, LaneOperand kind);
  Value readSlot(OpOperand &operand, int64_t slot);
  LaneValue read(OpOperand &operand);
  void readUsed(OpOperand &operand) {
    BlockArgument argument = tile.getMatchingBlockArgument(&operand);
    if (!argument.use_empty())
      values[argument] = read(operand);
  }
  Value write(OpOperand &init, Value lanes, LaneOperand kind);

  LaneValue index(linalg::IndexOp op);
  LaneValue compute(Operation *op);
  LaneValue widenMerged(Operation *op, LaneValue operand);
  bool shiftsLanes(Operation *op, ArrayRef<LaneValue> operands);
  LaneValue shiftLanes(ArrayRef<LaneValue> operands);
  std::optional<LaneValue> joinParts(Operation *op);
  std::optional<LaneValue> cutParts(Operation *op);
  Value create(Operation *op, ArrayRef<Value> operands);
  Value createOnBytes(Operation *op, ArrayRef<Value> operands);
  Value extend(Value bytes, unsigned bits, bool isSigned);
  Value reduce(Value init, LaneValue reduced);

  ImplicitLocOpBuilder b;
  RewriterBase &rewriter;
  linalg::GenericOp tile;
  const LaneLoops &loops;
  TypedAttr start;
  LaneShuffle shuffle;
  /// The lanes of what is computed on all of them: those of a table, once its
  /// code is known.
  int64_t numLanes;
  int64_t tableLanes = 0;
  /// The value that indexes the table, and its value in all lanes.
  CodeTable table;
  LaneValue codes;
  int64_t tableBits;
  /// Where each loop begins: empty for 0.
  ArrayRef<Value> offsets;
  DenseMap<Value, LaneValue> values;
  /// The bytes that words are joined of, and how many make one.
  DenseMap<Value, std::pair<Value, int64_t>> joinedBytes;
};
} // namespace

/// The first element of an operand with this map.
SmallVector<Value> LaneBody::getOrigin(AffineMap map) {
  Value zero = arith::ConstantIndexOp::create(b, 0);
  return llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) -> Value {
    if (auto part = dyn_cast<AffineConstantExpr>(expr))
      return arith::ConstantIndexOp::create(b, part.getValue()).getResult();
    return offsets.empty() ? zero
                           : offsets[cast<AffineDimExpr>(expr).getPosition()];
  });
}

/// A part of an operand of this shape, in a row.
Value LaneBody::readShape(OpOperand &operand, ValueRange origin,
                          ArrayRef<int64_t> shape) {
  Type element = getElementTypeOrSelf(operand.get());
  Value padding = ub::PoisonOp::create(b, element);
  return shuffle.flatten(vector::TransferReadOp::create(
      b, VectorType::get(shape, element), operand.get(), origin, padding,
      SmallVector<bool>(shape.size(), true)));
}

/// The elements of an operand for all lanes, in a row; of words, all parts.
Value LaneBody::readAll(OpOperand &operand, LaneOperand kind) {
  auto type = cast<ShapedType>(operand.get().getType());
  AffineMap map = tile.getMatchingIndexingMap(&operand);
  SmallVector<int64_t> shape = loops.getShape(kind);
  SmallVector<Value> origin = getOrigin(map);
  if (getWordPart(map)) {
    shape.push_back(type.getShape().back());
    origin.back() = arith::ConstantIndexOp::create(b, 0);
  }
  return readShape(operand, origin, shape);
}

/// The elements of one slot for all containers; the operand has slots first.
Value LaneBody::readSlot(OpOperand &operand, int64_t slot) {
  AffineMap map = tile.getMatchingIndexingMap(&operand);
  SmallVector<Value> origin = getOrigin(map);
  for (auto [at, expr] : llvm::zip_equal(origin, map.getResults())) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    if (loops.isLane(loop) && loops.isSlot(loop))
      at = arith::ConstantIndexOp::create(b, loops.getIteration(loop, slot));
  }
  return readShape(operand, origin, loops.getShape(LaneOperand::PerContainer));
}

LaneValue LaneBody::read(OpOperand &operand) {
  if (start && tile.isDpsInit(&operand))
    return LaneValue::scalar(arith::ConstantOp::create(b, start));
  auto type = dyn_cast<ShapedType>(operand.get().getType());
  if (!type)
    return LaneValue::scalar(operand.get());
  AffineMap map = tile.getMatchingIndexingMap(&operand);
  LaneOperand kind = *loops.classify(map);
  SmallVector<Value> origin = getOrigin(map);
  if (kind == LaneOperand::Scalar) {
    if (isa<MemRefType>(type))
      return LaneValue::scalar(
          memref::LoadOp::create(b, operand.get(), origin));
    return LaneValue::scalar(
        tensor::ExtractOp::create(b, operand.get(), origin));
  }
  if (kind == LaneOperand::SlotsFirst) {
    LaneValue result{LaneValue::Kind::Slots, {}};
    for (int64_t slot = 0; slot < loops.getNumSlots(); ++slot)
      result.values.push_back(readSlot(operand, slot));
    return result;
  }
  Value lanes = readAll(operand, kind);
  if (std::optional<int64_t> part = getWordPart(map))
    lanes = shuffle.takeEach(lanes, *part, type.getShape().back());
  switch (kind) {
  case LaneOperand::Scalar:
  case LaneOperand::SlotsFirst:
    break;
  case LaneOperand::Words:
    lanes = vector::BitCastOp::create(
        b,
        VectorType::get(loops.getNumContainers(),
                        b.getIntegerType(LaneLoops::kWordBits)),
        lanes);
    return {LaneValue::Kind::Slots,
            SmallVector<Value>(loops.getNumSlots(), lanes)};
  case LaneOperand::PerPart:
    return {LaneValue::Kind::Slots,
            SmallVector<Value>(loops.getNumSlots(), shuffle.spread(lanes))};
  case LaneOperand::PerSlot: {
    LaneValue result{LaneValue::Kind::Slots, {}};
    for (int64_t slot = 0; slot < loops.getNumSlots(); ++slot)
      result.values.push_back(vector::ExtractOp::create(b, lanes, slot));
    return result;
  }
  case LaneOperand::PerContainer:
    return {LaneValue::Kind::Slots,
            SmallVector<Value>(loops.getNumSlots(), lanes)};
  case LaneOperand::Full:
    return {LaneValue::Kind::Flat, {lanes}};
  }
  llvm_unreachable("unknown kind of operand");
}

Value LaneBody::write(OpOperand &init, Value lanes, LaneOperand kind) {
  auto element = cast<VectorType>(lanes.getType()).getElementType();
  auto type = VectorType::get(loops.getShape(kind), element);
  lanes = vector::ShapeCastOp::create(b, type, lanes);
  auto initType = cast<ShapedType>(init.get().getType());
  Value zero = arith::ConstantIndexOp::create(b, 0);
  auto op = vector::TransferWriteOp::create(
      b, lanes, init.get(), SmallVector<Value>(initType.getRank(), zero),
      SmallVector<bool>(type.getRank(), true));
  return op->getNumResults() ? op->getResult(0) : Value();
}

void LaneBody::chooseTable(Operation *end) {
  // Packed codes are no table.
  if (isReduction(tile) && !isa<arith::AddFOp, math::FmaOp>(end))
    return;
  CodeTable found = CodeTable::get(tile, loops, end);
  if (!found.result)
    return;
  Type result = getLaneType(found.result.getType());
  int64_t lanes = tableBits / result.getIntOrFloatBitWidth();
  int64_t bits = found.code.getType().getIntOrFloatBitWidth();
  int64_t count = keepsSlots() ? loops.getNumContainers() : loops.getNumLanes();
  if (lanes < (1 << bits) || count % lanes != 0)
    return;
  table = std::move(found);
  tableLanes = lanes;
}

/// The bits of an index in all lanes. Those above a code may be anything: a
/// table that is longer repeats its entries. Permutations need no such mask.
Value LaneBody::createMask(VectorType type) {
  return createSplat(b, type, tableLanes - 1);
}

/// The codes of each slot in lanes as wide as those of the table: containers
/// are widened once, and shifted then.
LaneValue LaneBody::widenCodes(LaneValue value) {
  unsigned width = getLaneType(table.result.getType()).getIntOrFloatBitWidth();
  auto type =
      VectorType::get(loops.getNumContainers(), b.getIntegerType(width));
  auto widen = [&](Value narrow) -> Value {
    Type wide =
        isa<VectorType>(narrow.getType()) ? Type(type) : type.getElementType();
    return narrow.getType() == wide ? narrow
                                    : arith::ExtUIOp::create(b, wide, narrow);
  };
  Value mask = createMask(type);
  auto shift = table.code.getIn().getDefiningOp<arith::ShRUIOp>();
  std::optional<LaneValue> containers, amounts;
  if (shift && shift.getType().getIntOrFloatBitWidth() <= width) {
    containers = get(shift.getLhs());
    amounts = get(shift.getRhs());
  }
  bool shiftsWide = containers && containers->isVector() &&
                    containers->kind == LaneValue::Kind::Slots &&
                    amounts->kind == LaneValue::Kind::Slots &&
                    !amounts->isVector();
  for (auto [slot, part] : llvm::enumerate(value.values)) {
    if (shiftsWide) {
      Value amount =
          vector::BroadcastOp::create(b, type, widen(amounts->values[slot]));
      part = arith::ShRUIOp::create(b, widen(containers->values[slot]), amount);
    } else {
      part = widen(part);
    }
    part = arith::AndIOp::create(b, part, mask);
  }
  return value;
}

/// The codes of each slot, from words.
LaneValue LaneBody::cutWords() {
  auto shift = table.code.getIn().getDefiningOp<arith::ShRUIOp>();
  LaneValue result = get(shift.getLhs());
  LaneValue amounts = shuffle.split(get(shift.getRhs()));
  IntegerType word = b.getIntegerType(LaneLoops::kWordBits);
  for (auto [slot, part] : llvm::enumerate(result.values)) {
    Value amount = arith::AddIOp::create(
        b, getByteShift(b, loops.getWordByte(slot), word),
        arith::ExtUIOp::create(b, word, amounts.values[slot]));
    auto type = cast<VectorType>(part.getType());
    part = arith::ShRUIOp::create(b, part,
                                  vector::BroadcastOp::create(b, type, amount));
    part = arith::AndIOp::create(b, part, createMask(type));
  }
  return result;
}

/// From the code on, lane i computes what belongs to code i.
LaneValue LaneBody::startTable(LaneValue value) {
  unsigned bits = table.code.getType().getIntOrFloatBitWidth();
  for (Value &part : value.values)
    part =
        shuffle.broadcast(part, loops.getNumContainers(), table.code.getType());
  if (loops.hasWords()) {
    codes = cutWords();
  } else if (keepsSlots()) {
    codes = widenCodes(value);
  } else {
    for (Value &part : value.values)
      part = extend(part, bits, /*isSigned=*/false);
    codes = {LaneValue::Kind::Flat,
             {shuffle.merge(value, table.code.getType())}};
  }
  SmallVector<int8_t> all(tableLanes);
  for (auto [i, byte] : llvm::enumerate(all))
    byte = i & ((1 << bits) - 1);
  auto type = VectorType::get(tableLanes, b.getI8Type());
  Value lanes = arith::ConstantOp::create(
      b, DenseElementsAttr::get(type, ArrayRef<int8_t>(all)));
  return {LaneValue::Kind::Flat, {lanes}};
}

/// The result of the table in all lanes.
LaneValue LaneBody::endTable(LaneValue entries) {
  LaneValue result = codes;
  for (Value &part : result.values)
    part = shuffle.lookUp(entries.values.front(), part);
  return result;
}

LaneValue LaneBody::index(linalg::IndexOp op) {
  unsigned loop = op.getDim();
  if (!loops.isLane(loop))
    return LaneValue::scalar(
        offsets.empty() ? arith::ConstantIndexOp::create(b, 0).getResult()
                        : offsets[loop]);
  LaneValue result{LaneValue::Kind::Slots, {}};
  if (loops.isSlot(loop)) {
    for (int64_t slot = 0; slot < loops.getNumSlots(); ++slot)
      result.values.push_back(
          arith::ConstantIndexOp::create(b, loops.getIteration(loop, slot)));
    return result;
  }
  SmallVector<Attribute> iterations;
  for (int64_t i = 0; i < loops.getNumContainers(); ++i)
    iterations.push_back(b.getIndexAttr(loops.getIteration(loop, i)));
  auto type = VectorType::get(loops.getNumContainers(), b.getIndexType());
  Value lanes =
      arith::ConstantOp::create(b, DenseElementsAttr::get(type, iterations));
  result.values.assign(loops.getNumSlots(), lanes);
  return result;
}

/// Bytes whose bits from `bits` on are zero, or the sign.
Value LaneBody::extend(Value bytes, unsigned bits, bool isSigned) {
  auto type = cast<VectorType>(bytes.getType());
  if (!isSigned)
    return arith::AndIOp::create(b, bytes,
                                 createSplat(b, type, (1 << bits) - 1));
  Value shift = createSplat(b, type, 8 - bits);
  return arith::ShRSIOp::create(b, arith::ShLIOp::create(b, bytes, shift),
                                shift);
}

/// True if the op of `operand` reads it as signed.
static bool isSigned(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (auto encode = dyn_cast<EncodeOp>(op))
    return operand.getOperandNumber() == 0 ? !encode.getUnsignedInput()
                                           : !encode.getUnsignedZeroPoint();
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return llvm::is_contained(
        {arith::CmpIPredicate::slt, arith::CmpIPredicate::sle,
         arith::CmpIPredicate::sgt, arith::CmpIPredicate::sge},
        compare.getPredicate());
  return isa<arith::ExtSIOp, arith::SIToFPOp>(op);
}

/// An op some of whose values are below a byte, on vectors of bytes whose high
/// bits are arbitrary.
Value LaneBody::createOnBytes(Operation *op, ArrayRef<Value> operands) {
  Type result = op->getResult(0).getType();
  auto type = cast<VectorType>(operands.back().getType());
  auto resultType = VectorType::get(type.getShape(), getLaneType(result));
  if (isa<arith::TruncIOp, arith::BitcastOp>(op)) {
    if (type == resultType)
      return operands[0];
    return arith::TruncIOp::create(b, resultType, operands[0]);
  }
  SmallVector<Value> extended(operands);
  if (isa<arith::CmpIOp, arith::ExtSIOp, arith::ExtUIOp, arith::SIToFPOp,
          arith::UIToFPOp, EncodeOp>(op))
    for (auto [value, scalar] : llvm::zip(extended, op->getOpOperands())) {
      Type own = scalar.get().getType();
      if (sharesByte(own))
        value = extend(value, own.getIntOrFloatBitWidth(), isSigned(scalar));
    }
  if (isa<arith::ExtSIOp, arith::ExtUIOp>(op) && type == resultType)
    return extended[0];
  OperationState state(b.getLoc(), op->getName(), extended, resultType);
  // Its result holds the code, whatever its width.
  if (isa<EncodeOp>(op))
    state.addAttributes(op->getAttrs());
  // Flags of overflow hold for the narrow type.
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return arith::CmpIOp::create(b, compare.getPredicate(), extended[0],
                                 extended[1]);
  return b.create(state)->getResult(0);
}

/// `op` on vectors of as many lanes.
Value LaneBody::create(Operation *op, ArrayRef<Value> operands) {
  if (hasSharedBytes(op->getOperandTypes()) ||
      hasSharedBytes(op->getResultTypes()))
    return createOnBytes(op, operands);
  auto type = cast<VectorType>(operands.back().getType());
  OperationState state(
      b.getLoc(), op->getName(), operands,
      VectorType::get(type.getShape(), op->getResult(0).getType()),
      op->getAttrs());
  return b.create(state)->getResult(0);
}

static unsigned getLaneBits(Type type) {
  return getLaneType(type).isIndex()
             ? 64
             : getLaneType(type).getIntOrFloatBitWidth();
}

/// A cast to a wider type: slots are merged while they are narrow.
LaneValue LaneBody::widenMerged(Operation *op, LaneValue operand) {
  Type type = op->getOperand(0).getType();
  if (!sharesByte(type))
    return {LaneValue::Kind::Flat, {create(op, shuffle.merge(operand, type))}};
  unsigned bits = type.getIntOrFloatBitWidth();
  for (Value &part : operand.values)
    part = extend(part, bits, isSigned(op->getOpOperand(0)));
  Value bytes = shuffle.merge(operand, type);
  auto resultType =
      VectorType::get(loops.getNumLanes(), op->getResult(0).getType());
  OperationState state(b.getLoc(), op->getName(), bytes, resultType);
  return {LaneValue::Kind::Flat, {b.create(state)->getResult(0)}};
}

/// True for the shifts of containers to their slots, where each lane is as wide
/// as a container anyway.
bool LaneBody::shiftsLanes(Operation *op, ArrayRef<LaneValue> operands) {
  return isa<arith::ShRUIOp>(op) && !isReduction(tile) &&
         op->getResult(0).getType().isInteger(32) &&
         llvm::all_of(operands,
                      [](const LaneValue &v) {
                        return v.kind == LaneValue::Kind::Slots;
                      }) &&
         operands[0].isVector() && llvm::all_equal(operands[0].values) &&
         !operands[1].isVector();
}

/// Containers in all their lanes, each shifted by the amount of its slot.
LaneValue LaneBody::shiftLanes(ArrayRef<LaneValue> operands) {
  SmallVector<int64_t> containers;
  SmallVector<Value> amounts;
  for (int64_t lane = 0; lane < loops.getNumLanes(); ++lane) {
    auto [slot, container] = loops.getSlotAndContainer(lane);
    containers.push_back(container);
    amounts.push_back(operands[1].values[slot]);
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
  Value bytes = readAll(*parts.front(), LaneOperand::PerContainer);
  auto containers = llvm::to_vector(llvm::seq(loops.getNumContainers()));
  Value words = joinBytes(b, bytes, parts.size(), containers, word);
  joinedBytes[words] = {bytes, parts.size()};
  return LaneValue{LaneValue::Kind::Slots,
                   SmallVector<Value>(loops.getNumSlots(), words)};
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
    auto [slot, container] = loops.getSlotAndContainer(lane);
    order.push_back(container * stride + slot);
  }
  return LaneValue{LaneValue::Kind::Flat,
                   {vector::ShuffleOp::create(b, bytes, bytes, order)}};
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
  bool isEntry = table.entries.contains(op->getResult(0));
  int64_t flatLanes = isEntry ? tableLanes : numLanes;
  bool hasFlat = has(LaneValue::Kind::Flat),
       hasSlots = has(LaneValue::Kind::Slots);
  if (!hasFlat && !hasSlots)
    return LaneValue::scalar(clone(llvm::map_to_vector(
        operands, [](LaneValue &v) { return v.values.front(); })));

  if (shiftsLanes(op, operands))
    return shiftLanes(operands);
  bool widens =
      op->getNumOperands() == 1 && getLaneBits(op->getResult(0).getType()) >
                                       getLaneBits(op->getOperand(0).getType());
  // A value that is equal in all slots stays one vector of containers.
  if (hasSlots && widens && operands[0].isVector() && !keepsSlots() &&
      !llvm::all_equal(operands[0].values))
    return widenMerged(op, operands[0]);

  // A reduction goes from lanes to the slots of containers.
  if (hasFlat && !(hasSlots && isReduction(tile))) {
    SmallVector<Value> lanes;
    for (auto [value, scalar] : llvm::zip(operands, op->getOperands()))
      lanes.push_back(value.kind == LaneValue::Kind::Scalar
                          ? shuffle.broadcast(value.values.front(), flatLanes,
                                              scalar.getType())
                          : shuffle.merge(value, scalar.getType()));
    return {LaneValue::Kind::Flat, {create(op, lanes)}};
  }
  for (auto [value, scalar] : llvm::zip(operands, op->getOperands()))
    value = shuffle.split(value);
  LaneValue result{LaneValue::Kind::Slots, {}};
  bool isVector =
      llvm::any_of(operands, [](LaneValue &v) { return v.isVector(); });
  SmallVector<Value> previous;
  for (int64_t slot = 0; slot < loops.getNumSlots(); ++slot) {
    SmallVector<Value> parts = llvm::map_to_vector(
        operands, [&](LaneValue &v) { return v.values[slot]; });
    if (parts == previous) {
      result.values.push_back(result.values.back());
      continue;
    }
    previous = parts;
    if (isVector)
      for (auto [part, scalar] : llvm::zip(parts, op->getOperands()))
        part =
            shuffle.broadcast(part, loops.getNumContainers(), scalar.getType());
    result.values.push_back(isVector ? create(op, parts) : clone(parts));
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
  chooseTable(end);
  for (Operation &op :
       llvm::make_range(tile.getBody()->begin(), end->getIterator())) {
    Value result = op.getResult(0);
    if (auto indexOp = dyn_cast<linalg::IndexOp>(op))
      values[result] = index(indexOp);
    else if (op.hasTrait<OpTrait::ConstantLike>())
      values[result] = LaneValue::scalar(b.clone(op)->getResult(0));
    else if (loops.hasWords() &&
             (&op == table.code || &op == table.code.getIn().getDefiningOp()))
      values[result] = get(op.getOperand(0));
    else
      values[result] = compute(&op);
    if (table.code && result == table.code.getResult())
      values[result] = startTable(values[result]);
    if (result == table.result)
      values[result] = endTable(values[result]);
  }
}

SmallVector<Term> LaneBody::runTerm(Operation *sum, ArrayRef<Value> begin) {
  offsets = begin;
  for (OpOperand *operand : tile.getDpsInputOperands())
    readUsed(*operand);
  computeBefore(sum);
  SmallVector<Term> terms(loops.getNumSlots());
  for (Value operand : sum->getOperands())
    if (operand != tile.getRegionOutputArgs().front())
      for (auto [term, slot] :
           llvm::zip_equal(terms, shuffle.split(get(operand)).values))
        term.push_back(shuffle.broadcast(slot, loops.getNumContainers(),
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
      result = write(init, reduce(old.values.front(), get(getReduced(tile))),
                     LaneOperand::PerContainer);
    } else {
      Value lanes = shuffle.merge(get(yielded), yielded.getType());
      result = write(init, lanes, LaneOperand::Full);
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
