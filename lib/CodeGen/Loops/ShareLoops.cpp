// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that are alike as calls of one function.

#include "ShareLoops.h"
#include "OutlineRegion.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::qdq;

namespace {
/// Another loop: what it has in the place of values of the first one that are
/// defined outside of it.
struct Member {
  Operation *loop;
  DenseMap<Value, Value> outside;
};

/// Loops that are alike.
struct Kind {
  Operation *first;
  SmallVector<Member> others;
};
} // namespace

static Attribute getConstant(Value value) {
  Attribute constant;
  return matchPattern(value, m_Constant(&constant)) ? constant : Attribute();
}

/// True for constants that may be arguments: loop bounds and indices are worth
/// more as constants, and have the type index.
static bool isNumber(Type type) {
  Type element = getElementTypeOrSelf(type);
  return isa<FloatType>(element) ||
         (element.isInteger() && !element.isInteger(1));
}

/// True for values that one argument can stand for.
static bool isExchangeable(Value own, Value other) {
  if (own.getType() != other.getType())
    return false;
  Attribute constant = getConstant(own), another = getConstant(other);
  if (!constant && !another)
    return true;
  if (!constant || !another)
    return false;
  auto isUniform = [](Attribute attr) {
    auto elements = dyn_cast<DenseElementsAttr>(attr);
    return !elements || elements.isSplat();
  };
  return constant == another ||
         (isNumber(own.getType()) && isUniform(constant) && isUniform(another));
}

static SmallVector<Operation *> collectOps(Operation *loop) {
  SmallVector<Operation *> ops;
  loop->walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  return ops;
}

/// What `other` has in the place of the values that `loop` reads, if the two
/// are alike.
static std::optional<Member> match(Operation *loop, Operation *other) {
  if (!OperationEquivalence::isEquivalentTo(
          loop, other, OperationEquivalence::ignoreValueEquivalence,
          /*markEquivalent=*/nullptr, OperationEquivalence::IgnoreLocations))
    return std::nullopt;
  Member member;
  member.loop = other;
  DenseMap<Value, Value> inside;
  for (auto [own, theirs] :
       llvm::zip_equal(collectOps(loop), collectOps(other))) {
    for (auto [value, another] :
         llvm::zip_equal(own->getOperands(), theirs->getOperands())) {
      if (Value expected = inside.lookup(value)) {
        if (expected != another)
          return std::nullopt;
        continue;
      }
      if (!isExchangeable(value, another))
        return std::nullopt;
      auto [entry, isNew] = member.outside.try_emplace(value, another);
      Attribute constant = getConstant(another);
      if (entry->second != another &&
          (!constant || getConstant(entry->second) != constant))
        return std::nullopt;
    }
    for (auto [value, another] :
         llvm::zip_equal(own->getResults(), theirs->getResults()))
      inside[value] = another;
    for (auto [region, another] :
         llvm::zip_equal(own->getRegions(), theirs->getRegions()))
      for (auto [block, twin] : llvm::zip_equal(region, another))
        for (auto [value, argument] :
             llvm::zip_equal(block.getArguments(), twin.getArguments()))
          inside[value] = argument;
  }
  return member;
}

/// A hash of the names, attributes and types of the ops.
static llvm::hash_code hashLoop(ArrayRef<Operation *> ops) {
  llvm::hash_code hash(ops.size());
  for (Operation *op : ops)
    hash =
        llvm::hash_combine(hash, OperationEquivalence::computeHash(
                                     op, OperationEquivalence::ignoreHashValue,
                                     OperationEquivalence::ignoreHashValue,
                                     OperationEquivalence::IgnoreLocations));
  return hash;
}

/// The kinds of loops, in the order of their first ones.
static SmallVector<Kind> findKinds(ArrayRef<Operation *> loops,
                                   unsigned minOps) {
  llvm::MapVector<size_t, SmallVector<Kind>> kinds;
  for (Operation *loop : loops) {
    SmallVector<Operation *> ops = collectOps(loop);
    if (ops.size() < minOps || loop->getNumResults() > 0)
      continue;
    SmallVector<Kind> &alike = kinds[hashLoop(ops)];
    bool isKnown = llvm::any_of(alike, [&](Kind &kind) {
      std::optional<Member> member = match(kind.first, loop);
      if (member)
        kind.others.push_back(std::move(*member));
      return member.has_value();
    });
    if (!isKnown)
      alike.push_back({loop, {}});
  }
  SmallVector<Kind> result;
  for (auto &entry : kinds)
    for (Kind &kind : entry.second)
      if (!kind.others.empty())
        result.push_back(std::move(kind));
  return result;
}

static SetVector<Value> collectOutside(Operation *loop) {
  SetVector<Value> outside(loop->operand_begin(), loop->operand_end());
  for (Region &region : loop->getRegions())
    getUsedValuesDefinedAbove(region, outside);
  return outside;
}

/// The values that a loop reads, but for constants that all loops of its kind
/// have.
static SmallVector<Value> collectArguments(const Kind &kind) {
  SmallVector<Value> arguments;
  for (Value value : collectOutside(kind.first)) {
    Attribute constant = getConstant(value);
    bool isSame =
        constant && llvm::all_of(kind.others, [&](const Member &member) {
          return getConstant(member.outside.lookup(value)) == constant;
        });
    if (!isSame)
      arguments.push_back(value);
  }
  return arguments;
}

/// The function of a loop without results, in no module yet.
static func::FuncOp createFunction(RewriterBase &rewriter, StringRef name,
                                   Operation *loop, ArrayRef<Value> arguments) {
  OpBuilder::InsertionGuard guard(rewriter);
  Location loc = loop->getLoc();
  auto function = func::FuncOp::create(
      loc, name,
      rewriter.getFunctionType(ValueRange(arguments).getTypes(), {}));
  Block *body = function.addEntryBlock();
  rewriter.setInsertionPointToStart(body);
  IRMapping mapping;
  mapping.map(arguments, body->getArguments());
  // Constants of all loops.
  for (Value value : collectOutside(loop))
    if (!mapping.contains(value))
      mapping.map(value, rewriter.clone(*value.getDefiningOp())->getResult(0));
  rewriter.clone(*loop, mapping);
  func::ReturnOp::create(rewriter, loc);
  makeInternal(function);
  forbidInlining(function);
  return function;
}

void mlir::qdq::shareLoops(RewriterBase &rewriter, SymbolTable &symbols,
                           func::FuncOp function, ArrayRef<Operation *> loops,
                           unsigned minOps) {
  for (Kind &kind : findKinds(loops, minOps)) {
    SmallVector<Value> arguments = collectArguments(kind);
    func::FuncOp shared =
        createFunction(rewriter, (function.getName() + ".shared").str(),
                       kind.first, arguments);
    symbols.insert(shared);
    auto call = [&](Operation *loop, ValueRange operands) {
      rewriter.setInsertionPoint(loop);
      rewriter.replaceOpWithNewOp<func::CallOp>(loop, shared, operands);
    };
    for (const Member &member : kind.others)
      call(member.loop, llvm::map_to_vector(arguments, [&](Value value) {
             return member.outside.lookup(value);
           }));
    call(kind.first, arguments);
  }
}
