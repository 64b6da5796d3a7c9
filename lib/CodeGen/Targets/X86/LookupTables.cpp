// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lookup tables as permutations of x86.

#include "../Intrinsic.h"
#include "../LowerToTarget.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "qdq/Conversion/QDQToArith/Fields.h"
#include "qdq/IR/FunctionPattern.h"
#include "qdq/Numerics/Scalar.h"

using namespace mlir;
using namespace mlir::qdq;

namespace {
/// An instruction that looks up in a table, in registers.
struct Permutation {
  int64_t registerBits;
  unsigned elementBits;
  int64_t entries;
  StringLiteral name;
};
} // namespace

/// The first that has enough entries is taken.
static constexpr Permutation kPermutations[] = {
    // Of each 16 bytes.
    {256, 8, 16, "x86.avx2.pshuf.b"},
    {512, 8, 16, "x86.avx512.pshuf.b.512"},
    {512, 16, 32, "x86.avx512.permvar.hi.512"},
    {512, 32, 16, "x86.avx512.permvar.si.512"},
    // Of two registers.
    {512, 32, 32, "x86.avx512.vpermi2var.d.512"},
};

/// The registers of a table, which is repeated to fill one.
static SmallVector<Value> createRegisters(ImplicitLocOpBuilder &b, Value table,
                                          int64_t lanes) {
  int64_t entries = cast<VectorType>(table.getType()).getNumElements();
  SmallVector<Value> registers;
  for (int64_t first = 0; first < entries; first += lanes) {
    SmallVector<int64_t> order;
    for (int64_t lane = 0; lane < lanes; ++lane)
      order.push_back((first + lane) % entries);
    registers.push_back(vector::ShuffleOp::create(b, table, table, order));
  }
  return registers;
}

/// A `qdq.lookup` in registers of as many bits.
static LogicalResult permuteLookup(LookupOp op, PatternRewriter &rewriter,
                                   int64_t registerBits) {
  VectorType type = op.getType();
  unsigned bits = type.getElementTypeBitWidth();
  int64_t lanes = registerBits / bits, count = type.getNumElements();
  const Permutation *permutation =
      llvm::find_if(kPermutations, [&](const Permutation &p) {
        return p.registerBits == registerBits && p.elementBits == bits &&
               p.entries >= op.getTable().getType().getNumElements();
      });
  if (permutation == std::end(kPermutations) || count % lanes != 0)
    return rewriter.notifyMatchFailure(op, "has no permutation of registers");

  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  auto part = VectorType::get(lanes, b.getIntegerType(bits));
  Value table = b.createOrFold<arith::BitcastOp>(
      op.getTable().getType().clone(part.getElementType()), op.getTable());
  // A permutation reads the bits that number its lanes, `vpshufb` one more.
  Value indices =
      createLookupIndices(b, op, bits == 8 ? permutation->entries : 0);
  auto all = cast<VectorType>(indices.getType());
  SmallVector<Value> operands = createRegisters(b, table, lanes);
  operands.insert(operands.begin() + 1, Value());
  Value result = arith::ConstantOp::create(b, b.getZeroAttr(all));
  for (int64_t at = 0; at < count; at += lanes) {
    operands[1] =
        vector::ExtractStridedSliceOp::create(b, indices, at, lanes, 1);
    Value entries = callIntrinsic(b, permutation->name, part, operands);
    result = vector::InsertStridedSliceOp::create(b, entries, result, at, 1);
  }
  rewriter.replaceOp(op, b.createOrFold<arith::BitcastOp>(type, result));
  return success();
}

static LogicalResult permute(Operation *root, int64_t registerBits) {
  RewritePatternSet patterns(root->getContext());
  patterns.add<FunctionPattern<permuteLookup>>(root->getContext(),
                                               registerBits);
  walkAndApplyPatterns(root, std::move(patterns));
  return success();
}

/// `lanes` lanes from `first` on, again and again where there are no more.
static Value takeLanes(ImplicitLocOpBuilder &b, Value all, int64_t first,
                       int64_t lanes, int64_t period) {
  SmallVector<int64_t> order;
  for (int64_t lane = 0; lane < lanes; ++lane)
    order.push_back(first + lane % period);
  return vector::ShuffleOp::create(b, all, all, order);
}

/// Entries at codes below 128, and zeros at others. `vpshufb` gives entries of
/// the first 16, by the lowest bits, and zeros at negative bytes: each further
/// 16 entries change what those before them gave, at codes that reach them.
static Value lookUpHalf(ImplicitLocOpBuilder &b, ArrayRef<Value> parts,
                        Value codes) {
  Type type = codes.getType();
  auto shuffle = [&](Value part) {
    return callIntrinsic(b, "x86.avx2.pshuf.b", type, {part, codes});
  };
  Value step = createNumber(b, type, 16);
  Value result = shuffle(parts.front());
  for (auto [before, part] : llvm::zip(parts, parts.drop_front())) {
    codes = LLVM::SSubSat::create(b, type, codes, step);
    Value change = arith::XOrIOp::create(b, before, part);
    result = arith::XOrIOp::create(b, result, shuffle(change));
  }
  return result;
}

/// Looks bytes up in a table of all of them.
static LogicalResult lowerByteLookup(LookupOp op, PatternRewriter &rewriter) {
  constexpr int64_t kLanes = 32, kEntries = 16;
  VectorType type = op.getType();
  int64_t count = type.getNumElements();
  if (!type.getElementType().isInteger(8) ||
      !op.getIndices().getType().getElementType().isInteger(8) ||
      op.getTable().getType().getNumElements() != 256)
    return rewriter.notifyMatchFailure(op, "is no table of all bytes");
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  SmallVector<Value> parts;
  for (int64_t first = 0; first < 256; first += kEntries)
    parts.push_back(takeLanes(b, op.getTable(), first, kLanes, kEntries));
  auto half = VectorType::get(kLanes, b.getI8Type());
  Value highest = createNumber(b, half, -128);
  Value result = arith::ConstantOp::create(b, b.getZeroAttr(type));
  for (int64_t at = 0; at < count; at += kLanes) {
    int64_t lanes = std::min(kLanes, count - at);
    Value codes = takeLanes(b, op.getIndices(), at, kLanes, lanes);
    Value below = lookUpHalf(b, ArrayRef(parts).take_front(8), codes);
    codes = arith::XOrIOp::create(b, codes, highest);
    Value above = lookUpHalf(b, ArrayRef(parts).drop_front(8), codes);
    Value found = arith::OrIOp::create(b, below, above);
    if (lanes < kLanes)
      found = vector::ExtractStridedSliceOp::create(b, found, 0, lanes, 1);
    result = vector::InsertStridedSliceOp::create(b, found, result, at, 1);
  }
  rewriter.replaceOp(op, result);
  return success();
}

LogicalResult mlir::qdq::permuteLookups(Operation *root) {
  if (failed(permute(root, 512)))
    return failure();
  return permute(root, 256);
}

LogicalResult mlir::qdq::shuffleByteTables(Operation *root) {
  RewritePatternSet patterns(root->getContext());
  patterns.add<FunctionPattern<permuteLookup>>(root->getContext(), 256);
  patterns.add(lowerByteLookup);
  walkAndApplyPatterns(root, std::move(patterns));
  return success();
}
