// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sources of open sizes.

#include "SizeSource.h"
#include "NodeSizes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "qdq/IR/QDQ.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::qdq;

static constexpr StringLiteral kDimParams = "onnx.dim_params";

/// The name of a dimension of an argument, in "0:batch,1:length"; empty where
/// it has none.
static StringRef getDimName(BlockArgument argument, int64_t dim) {
  auto function =
      dyn_cast_or_null<FunctionOpInterface>(argument.getOwner()->getParentOp());
  if (!function || !argument.getOwner()->isEntryBlock())
    return "";
  auto names = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                     kDimParams);
  SmallVector<StringRef> items;
  if (names)
    names.getValue().split(items, ',');
  for (StringRef item : items) {
    auto [place, name] = item.split(':');
    int64_t own = -1;
    if (!place.trim().getAsInteger(10, own) && own == dim)
      return name.trim();
  }
  return "";
}

/// The first dimension of an argument with the name of the one given.
static SizeSource findNamed(const SizeSource &source) {
  auto argument = dyn_cast<BlockArgument>(source.value);
  StringRef name = argument ? getDimName(argument, source.dim) : "";
  if (name.empty())
    return source;
  for (BlockArgument other : argument.getOwner()->getArguments()) {
    auto type = dyn_cast<RankedTensorType>(other.getType());
    for (int64_t dim = 0; type && dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim) && getDimName(other, dim) == name)
        return {other, dim};
  }
  return source;
}

/// One step from a size to its source; nothing from a constant.
static std::optional<SizeSource> fromSize(OpFoldResult size) {
  auto value = dyn_cast<Value>(size);
  if (!value)
    return std::nullopt;
  // Shapes as tensors hold i64.
  if (auto cast = value.getDefiningOp<arith::IndexCastOp>())
    if (auto inner = cast.getIn().getDefiningOp<arith::IndexCastOp>())
      if (inner.getIn().getType().isIndex())
        return fromSize(inner.getIn());
  if (auto op = value.getDefiningOp<tensor::DimOp>())
    if (std::optional<int64_t> index = op.getConstantIndex())
      return SizeSource{op.getSource(), *index};
  return SizeSource{value, -1};
}

/// The source of a size of a loop's result, unless an iteration changes it.
static std::optional<SizeSource> stepOutOf(scf::ForOp loop,
                                           const SizeSource &source) {
  OpOperand *init = loop.getTiedLoopInit(cast<OpResult>(source.value));
  BlockArgument carried = loop.getTiedLoopRegionIterArg(init);
  Value yielded = loop.getTiedLoopYieldedValue(carried)->get();
  if (findSizeSource(yielded, source.dim) != SizeSource{carried, source.dim})
    return std::nullopt;
  return SizeSource{init->get(), source.dim};
}

/// One step from a size of an op's result to its source.
static std::optional<SizeSource> stepBack(Operation *op,
                                          const SizeSource &source) {
  using Step = std::optional<SizeSource>;
  int64_t dim = source.dim;
  return llvm::TypeSwitch<Operation *, Step>(op)
      .Case([&](DestinationStyleOpInterface styled) {
        auto result = cast<OpResult>(source.value);
        return SizeSource{styled.getTiedOpOperand(result)->get(), dim};
      })
      .Case<tensor::CastOp, tensor::BitcastOp, QuantizeOp, DequantizeOp,
            RequantizeOp>(
          [&](auto) { return SizeSource{op->getOperand(0), dim}; })
      .Case([&](ChooseParamsOp chosen) -> Step {
        // Of blocks: as many as elements where a block has one of them.
        std::optional<ArrayRef<int64_t>> blocks = chosen.getBlockShape();
        if (!blocks || (*blocks)[dim] != 1)
          return std::nullopt;
        return SizeSource{chosen.getInput(), dim};
      })
      .Case([&](scf::ForOp loop) { return stepOutOf(loop, source); })
      .Case([&](tensor::EmptyOp empty) {
        return fromSize(empty.getMixedSizes()[dim]);
      })
      .Case([&](tensor::SplatOp splat) -> Step {
        if (!splat.getType().isDynamicDim(dim))
          return std::nullopt;
        unsigned index = splat.getType().getDynamicDimIndex(dim);
        return fromSize(splat.getDynamicSizes()[index]);
      })
      .Case([&](tensor::ExpandShapeOp expand) {
        return fromSize(expand.getMixedOutputShape()[dim]);
      })
      .Case([&](tensor::ReshapeOp reshape) -> Step {
        auto list = reshape.getShape().getDefiningOp<tensor::FromElementsOp>();
        return list ? fromSize(list.getElements()[dim]) : std::nullopt;
      })
      .Case([&](tensor::CollapseShapeOp collapse) -> Step {
        ArrayRef<int64_t> shape = collapse.getSrcType().getShape();
        ReassociationIndices group = collapse.getReassociationIndices()[dim];
        llvm::erase_if(group, [&](int64_t inner) { return shape[inner] == 1; });
        if (group.size() != 1)
          return std::nullopt;
        return SizeSource{collapse.getSrc(), group[0]};
      })
      .Case([&](tensor::ExtractSliceOp slice) {
        llvm::SmallBitVector dropped = slice.getDroppedDims();
        int64_t own = dim;
        for (int64_t i = 0; i <= own; ++i)
          own += dropped[i];
        return fromSize(slice.getMixedSizes()[own]);
      })
      .Case([&](tensor::PadOp pad) -> Step {
        if (!isConstantIntValue(pad.getMixedLowPad()[dim], 0) ||
            !isConstantIntValue(pad.getMixedHighPad()[dim], 0))
          return std::nullopt;
        return SizeSource{pad.getSource(), dim};
      })
      .Case([&](tensor::ConcatOp concat) -> Step {
        if (static_cast<int64_t>(concat.getDim()) == dim)
          return std::nullopt;
        return SizeSource{concat.getInputs()[0], dim};
      })
      .Default([&](Operation *node) -> Step {
        bool isFirst = source.value == node->getResult(0);
        return isFirst ? stepThroughNode(node, dim) : std::nullopt;
      });
}

SizeSource mlir::qdq::findSizeSource(Value tensor, int64_t dim) {
  SizeSource source{tensor, dim};
  while (source.dim >= 0) {
    Operation *op = source.value.getDefiningOp();
    if (!op)
      return findNamed(source);
    std::optional<SizeSource> next = stepBack(op, source);
    if (!next || !next->value ||
        (next->dim >= 0 && !isa<RankedTensorType>(next->value.getType())))
      break;
    source = *next;
  }
  return source;
}

OpFoldResult mlir::qdq::getSourceSize(ImplicitLocOpBuilder &b, Value tensor,
                                      int64_t dim) {
  SizeSource source = findSizeSource(tensor, dim);
  if (source.dim < 0)
    return source.value;
  return tensor::getMixedSize(b, b.getLoc(), source.value, source.dim);
}

SizeSource mlir::qdq::findSizeSource(Value size) {
  SizeSource source = *fromSize(size);
  bool isDim = source.dim >= 0 && isa<RankedTensorType>(source.value.getType());
  return isDim ? findSizeSource(source.value, source.dim) : source;
}

/// Numbers that equal ops compute of equal sizes. What is deeper than `depth`
/// counts as different.
static bool areSame(const SizeSource &lhs, const SizeSource &rhs,
                    int depth = 3) {
  if (lhs == rhs)
    return true;
  Operation *left = lhs.value.getDefiningOp();
  Operation *right = rhs.value.getDefiningOp();
  if (depth == 0 || lhs.dim >= 0 || rhs.dim >= 0 || !left || !right ||
      left->getName() != right->getName() ||
      left->getAttrDictionary() != right->getAttrDictionary() ||
      left->getNumOperands() != right->getNumOperands() ||
      left->getNumResults() != 1 || left->getNumRegions() || !isPure(left))
    return false;
  auto isIndex = [](Value value) { return value.getType().isIndex(); };
  return llvm::all_of(
      llvm::zip(left->getOperands(), right->getOperands()), [&](auto pair) {
        auto [own, other] = pair;
        return own == other ||
               (isIndex(own) && isIndex(other) &&
                areSame(findSizeSource(own), findSizeSource(other), depth - 1));
      });
}

bool mlir::qdq::isSameSize(OpFoldResult lhs, OpFoldResult rhs) {
  if (isEqualConstantIntOrValue(lhs, rhs))
    return true;
  auto left = dyn_cast<Value>(lhs), right = dyn_cast<Value>(rhs);
  return left && right && areSame(findSizeSource(left), findSizeSource(right));
}

/// The size of which this one is the smaller with a number above 1.
static Value getClampedSize(Value size) {
  auto least = size.getDefiningOp<affine::AffineMinOp>();
  if (!least || least.getNumOperands() != 1)
    return size;
  for (AffineExpr expr : least.getMap().getResults()) {
    auto bound = dyn_cast<AffineConstantExpr>(expr);
    bool isSize = isa<AffineDimExpr, AffineSymbolExpr>(expr);
    if (!isSize && (!bound || bound.getValue() < 2))
      return size;
  }
  return least.getOperand(0);
}

bool mlir::qdq::areSameIfBroadcast(const SizeSource &lhs,
                                   const SizeSource &rhs) {
  auto unclamp = [](const SizeSource &source) {
    Value size = source.dim < 0 ? getClampedSize(source.value) : source.value;
    return size == source.value ? source : findSizeSource(size);
  };
  return areSame(unclamp(lhs), unclamp(rhs));
}
