// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of products with codes of few bits, which are read in words.

#include "ReductionWords.h"
#include "../Analysis/SumOfProducts.h"
#include "../Dots/Transposition.h"
#include "../Plan/Tiles.h"
#include "../Vectorize/CodeTable.h"
#include "../Vectorize/LaneBody.h"
#include "../Vectorize/LaneLoops.h"
#include "../Vectorize/SubByteCodes.h"
#include "SplitLoops.h"

using namespace mlir;
using namespace mlir::qdq;

/// As many sums share a factor, at least, as pay for its transposition. A
/// dynamic size is taken for as many.
static constexpr int64_t kFewestSums = 16;

namespace {
/// The loops of a sum, and what becomes of them.
class WordLoops {
public:
  /// Fails if the loops of `op` cannot be split, or need not.
  static FailureOr<WordLoops> get(linalg::GenericOp op, int64_t lanes);

  linalg::GenericOp apply(IRRewriter &rewriter);
  /// The loops of the new sum that are lanes: words, their bytes and elements,
  /// and the blocks.
  unsigned getNumLanes() const { return first < byte ? 4 : 3; }

private:
  enum class Operand { Outside, PerBlock, Codes, Factor };

  WordLoops(linalg::GenericOp op)
      : op(op), element(op.getNumLoops() - 1), byte(element - 1), first(byte) {}

  bool split(int64_t lanes);
  std::optional<Operand> classify(OpOperand &operand);
  bool areOperandsSupported();
  bool areIndicesSupported();
  bool hasTable(int64_t lanes);

  linalg::GenericOp op;
  unsigned element, byte;
  /// The outermost loop that is split: `byte`, or that over the blocks.
  unsigned first;
  /// The sizes of the loops that replace `first` to `byte`.
  SmallVector<SmallVector<int64_t>> sizes;
  /// The cut of the codes from their bytes.
  ExtractFieldOp code;
};
} // namespace

/// Chooses the sizes: a vector holds `lanes` words.
bool WordLoops::split(int64_t lanes) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  int64_t bytes = ranges[byte], wanted = lanes * LaneLoops::kWordBytes;
  if (ShapedType::isDynamic(bytes) || bytes <= 0 ||
      ShapedType::isDynamic(ranges[element]) || ranges[element] <= 0)
    return false;
  if (bytes % wanted == 0) {
    sizes = {{bytes / wanted, lanes, LaneLoops::kWordBytes}};
    return true;
  }
  if (wanted % bytes != 0 || bytes % LaneLoops::kWordBytes != 0 || byte == 0)
    return false;
  first = byte - 1;
  int64_t parts = wanted / bytes, blocks = ranges[first];
  if (ShapedType::isDynamic(blocks) || blocks <= 0 || blocks % parts != 0)
    return false;
  sizes = {{blocks / parts, parts},
           {bytes / LaneLoops::kWordBytes, LaneLoops::kWordBytes}};
  return true;
}

/// How the split loops, which come last, index an operand.
std::optional<WordLoops::Operand> WordLoops::classify(OpOperand &operand) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (!map.isProjectedPermutation())
    return std::nullopt;
  SmallVector<unsigned> loops;
  for (AffineExpr expr : map.getResults()) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    if (loop >= first)
      loops.push_back(loop);
    else if (!loops.empty())
      return std::nullopt;
  }
  auto all = llvm::to_vector(llvm::seq(first, element + 1));
  if (loops.empty())
    return Operand::Outside;
  if (ArrayRef(loops) == ArrayRef(all).drop_back())
    return Operand::Codes;
  if (loops == all)
    return Operand::Factor;
  if (first < byte && ArrayRef(loops) == ArrayRef(all).take_front())
    return Operand::PerBlock;
  return std::nullopt;
}

bool WordLoops::areOperandsSupported() {
  int64_t numCodes = 0;
  for (OpOperand &operand : op->getOpOperands()) {
    std::optional<Operand> kind = classify(operand);
    if (!kind || (op.isDpsInit(&operand) && *kind != Operand::Outside))
      return false;
    if (*kind == Operand::Outside)
      continue;
    if (!hasWholeBytes(operand.get().getType()))
      return false;
    if (*kind == Operand::Codes) {
      ++numCodes;
      auto codes = SubByteCodes::get(op, op.getMatchingBlockArgument(&operand));
      if (!codes)
        return false;
      code = codes->code;
    }
    if (*kind == Operand::Factor &&
        countSharing(op, op.getMatchingIndexingMap(&operand), kFewestSums) <
            kFewestSums)
      return false;
  }
  return numCodes == 1;
}

/// A part of a loop has no index of its own.
bool WordLoops::areIndicesSupported() {
  return llvm::all_of(
      op.getBody()->getOps<linalg::IndexOp>(), [&](linalg::IndexOp index) {
        return index.getDim() < first || index.getDim() == element;
      });
}

FailureOr<WordLoops> WordLoops::get(linalg::GenericOp op, int64_t lanes) {
  if (op.getNumLoops() < 3 || !countsFields(op, op.getNumLoops() - 1))
    return failure();
  WordLoops loops(op);
  if (!loops.split(lanes) || !loops.areIndicesSupported() ||
      !loops.areOperandsSupported() || !loops.hasTable(lanes))
    return failure();
  for (unsigned loop = loops.first; loop < op.getNumLoops(); ++loop)
    if (!isReductionLoop(op, loop))
      return failure();
  return loops;
}

/// True if the body looks its codes up in a table of as many lanes, and what
/// follows is cheaper than a table for each block.
bool WordLoops::hasTable(int64_t lanes) {
  if (first < byte && !op.getBody()->getOps<arith::TruncFOp>().empty())
    return false;
  CodeTable table =
      CodeTable::get(op, LaneLoops::ofTile(op, op.getNumLoops() - first),
                     getReassociableSum(op));
  return table.result && table.code == code &&
         table.result.getType().getIntOrFloatBitWidth() ==
             LaneLoops::kWordBits &&
         (int64_t(1) << table.code.getType().getIntOrFloatBitWidth()) <= lanes;
}

linalg::GenericOp WordLoops::apply(IRRewriter &rewriter) {
  DenseMap<unsigned, SmallVector<int64_t>> parts;
  for (auto [i, split] : llvm::enumerate(sizes))
    parts[first + i] = split;
  auto lay = [&](OpOperand &operand, Value &value, AffineMap &map) {
    if (*classify(operand) != Operand::Factor)
      return;
    // Bytes of a word and their elements, the two innermost, before the words.
    auto order = llvm::to_vector(llvm::seq<int64_t>(0, map.getNumResults()));
    int64_t words = first < byte ? 2 : 1;
    std::rotate(order.end() - 2 - words, order.end() - 2, order.end());
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    value = createTransposition(b, value, order);
    map = permuteResults(map, order);
  };
  return splitLoops(rewriter, op, parts, lay);
}

/// True for integers of up to a byte, whose differences do not wrap.
static bool isOfByte(Value value) {
  Operation *op = value.getDefiningOp();
  return isa_and_present<arith::ExtSIOp, arith::ExtUIOp>(op) &&
         op->getOperand(0).getType().getIntOrFloatBitWidth() <= 8 &&
         value.getType().getIntOrFloatBitWidth() >= 16;
}

/// Subtracts zero points as floats, which tables of codes hold: the difference
/// of two bytes is exact.
static void subtractAsFloats(IRRewriter &rewriter, linalg::GenericOp op) {
  for (auto cast :
       llvm::make_early_inc_range(op.getBody()->getOps<arith::SIToFPOp>())) {
    auto difference = cast.getIn().getDefiningOp<arith::SubIOp>();
    if (!difference || !cast.getType().isF32() ||
        !llvm::all_of(difference->getOperands(), isOfByte))
      continue;
    rewriter.setInsertionPoint(cast);
    auto toFloat = [&](Value value) {
      return arith::SIToFPOp::create(rewriter, cast.getLoc(), cast.getType(),
                                     value);
    };
    Value lhs = toFloat(difference.getLhs()),
          rhs = toFloat(difference.getRhs());
    rewriter.replaceOpWithNewOp<arith::SubFOp>(cast, lhs, rhs);
    if (difference->use_empty())
      rewriter.eraseOp(difference);
  }
}

DenseMap<Operation *, unsigned>
mlir::qdq::layOutReductionWords(IRRewriter &rewriter, Operation *root,
                                int64_t vectorBits) {
  DenseMap<Operation *, unsigned> made;
  int64_t lanes = vectorBits / LaneLoops::kWordBits;
  auto isSum = [](linalg::GenericOp op) {
    return bool(getReassociableSum(op));
  };
  for (linalg::GenericOp op : collectGenerics(root, isSum)) {
    subtractAsFloats(rewriter, op);
    FailureOr<WordLoops> loops = WordLoops::get(op, lanes);
    if (succeeded(loops))
      made[loops->apply(rewriter)] = loops->getNumLanes();
  }
  return made;
}
