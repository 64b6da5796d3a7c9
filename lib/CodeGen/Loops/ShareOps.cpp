// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that are alike as calls of one function.

#include "ShareOps.h"
#include "OutlineRegion.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::qdq;

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

/// True for constants that passes of vectors look into.
static bool isPattern(Attribute constant) {
  auto elements = dyn_cast<DenseElementsAttr>(constant);
  return elements && isa<VectorType>(elements.getType()) && !elements.isSplat();
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
  return constant == another || (isNumber(own.getType()) &&
                                 !isPattern(constant) && !isPattern(another));
}

static OpRun collectOps(ArrayRef<Operation *> run) {
  OpRun ops;
  for (Operation *outer : run)
    outer->walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  return ops;
}

llvm::hash_code mlir::qdq::hashNestedOps(Operation *op, unsigned &numOps) {
  OpRun ops = collectOps(op);
  numOps = ops.size();
  llvm::hash_code hash(ops.size());
  for (Operation *nested : ops)
    hash = llvm::hash_combine(hash,
                              OperationEquivalence::computeHash(
                                  nested, OperationEquivalence::ignoreHashValue,
                                  OperationEquivalence::ignoreHashValue,
                                  OperationEquivalence::IgnoreLocations));
  return hash;
}

bool AlikeRuns::add(OpRun run) {
  if (run.size() != first.size())
    return false;
  DenseMap<Value, Value> inside, outside;
  auto mark = [&](Value own, Value another) { inside[own] = another; };
  for (auto [own, theirs] : llvm::zip_equal(first, run))
    if (!OperationEquivalence::isEquivalentTo(
            own, theirs, OperationEquivalence::ignoreValueEquivalence, mark,
            OperationEquivalence::IgnoreLocations))
      return false;
  // Upstream asks nothing of operands that are the same value in both.
  for (auto [own, theirs] : llvm::zip_equal(collectOps(first), collectOps(run)))
    for (auto [value, another] :
         llvm::zip_equal(own->getOperands(), theirs->getOperands())) {
      if (Value expected = inside.lookup(value)) {
        if (expected != another)
          return false;
        continue;
      }
      if (!isExchangeable(value, another))
        return false;
      auto [entry, isNew] = outside.try_emplace(value, another);
      Attribute constant = getConstant(another);
      if (entry->second != another &&
          (!constant || getConstant(entry->second) != constant))
        return false;
    }
  others.push_back({std::move(run), std::move(outside)});
  return true;
}

/// The values that ops read and do not define.
static SetVector<Value> collectOutside(ArrayRef<Operation *> run) {
  SetVector<Value> read;
  DenseSet<Value> defined;
  for (Operation *op : run) {
    read.insert(op->operand_begin(), op->operand_end());
    for (Region &region : op->getRegions())
      getUsedValuesDefinedAbove(region, read);
    defined.insert(op->result_begin(), op->result_end());
  }
  read.remove_if([&](Value value) { return defined.contains(value); });
  return read;
}

SmallVector<Value> AlikeRuns::collectArguments() const {
  SmallVector<Value> arguments;
  for (Value value : collectOutside(first)) {
    Attribute constant = getConstant(value);
    bool isSame = constant && llvm::all_of(others, [&](const Run &run) {
                    return getConstant(run.outside.lookup(value)) == constant;
                  });
    if (!isSame)
      arguments.push_back(value);
  }
  return arguments;
}

/// The results, as numbers of an op and of its result, that ops outside of one
/// of the runs read.
SmallVector<std::pair<unsigned, unsigned>> AlikeRuns::collectResults() const {
  SetVector<std::pair<unsigned, unsigned>> results;
  auto collect = [&](ArrayRef<Operation *> run) {
    Block *block = run.front()->getBlock();
    DenseSet<Operation *> inside(run.begin(), run.end());
    for (auto [index, op] : llvm::enumerate(run))
      for (OpResult result : op->getResults())
        if (llvm::any_of(result.getUsers(), [&](Operation *user) {
              return !inside.contains(block->findAncestorOpInBlock(*user));
            }))
          results.insert({index, result.getResultNumber()});
  };
  collect(first);
  for (const Run &run : others)
    collect(run.ops);
  return results.takeVector();
}

bool AlikeRuns::returnBuffers() const {
  return llvm::all_of(collectResults(), [&](auto result) {
    Type type = first[result.first]->getResult(result.second).getType();
    return isa<TensorType, BaseMemRefType, IndexType>(type);
  });
}

void AlikeRuns::share(RewriterBase &rewriter, SymbolTable &symbols,
                      func::FuncOp function, StringRef suffix) const {
  SmallVector<Value> arguments = collectArguments();
  SmallVector<std::pair<unsigned, unsigned>> results = collectResults();
  auto getResults = [&](ArrayRef<Operation *> run) {
    return llvm::map_to_vector(results, [&](auto result) -> Value {
      return run[result.first]->getResult(result.second);
    });
  };
  Location loc = first.front()->getLoc();
  SmallVector<Value> own = getResults(first);
  auto shared = func::FuncOp::create(
      loc, (function.getName() + suffix).str(),
      rewriter.getFunctionType(ValueRange(arguments).getTypes(),
                               ValueRange(own).getTypes()));
  {
    OpBuilder::InsertionGuard guard(rewriter);
    Block *body = shared.addEntryBlock();
    rewriter.setInsertionPointToStart(body);
    IRMapping mapping;
    mapping.map(arguments, body->getArguments());
    for (Value value : collectOutside(first))
      if (!mapping.contains(value))
        mapping.map(value,
                    rewriter.clone(*value.getDefiningOp())->getResult(0));
    for (Operation *op : first)
      rewriter.clone(*op, mapping);
    func::ReturnOp::create(rewriter, loc,
                           llvm::map_to_vector(own, [&](Value result) {
                             return mapping.lookup(result);
                           }));
  }
  makeInternal(shared);
  forbidInlining(shared);
  symbols.insert(shared);

  auto call = [&](ArrayRef<Operation *> run, ValueRange operands) {
    rewriter.setInsertionPoint(run.back());
    auto call =
        func::CallOp::create(rewriter, run.back()->getLoc(), shared, operands);
    for (auto [result, value] :
         llvm::zip_equal(getResults(run), call.getResults()))
      rewriter.replaceAllUsesWith(result, value);
    for (Operation *op : llvm::reverse(run))
      rewriter.eraseOp(op);
  };
  // The last first: it may read results of the others.
  for (const Run &run : llvm::reverse(others))
    call(run.ops, llvm::map_to_vector(arguments, [&](Value value) {
           return run.outside.lookup(value);
         }));
  call(first, arguments);
}
