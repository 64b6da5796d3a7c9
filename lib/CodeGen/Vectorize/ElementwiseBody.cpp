// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bodies that are computed lane by lane, along one loop of their op.

#include "ElementwiseBody.h"
#include "../Analysis/MayTrap.h"
#include "../Plan/Tiles.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::qdq;

bool mlir::qdq::isElementwiseBody(linalg::GenericOp op, unsigned lane) {
  auto isElementwise = [&](Operation &nested) {
    if (auto index = dyn_cast<linalg::IndexOp>(nested))
      return index.getDim() != lane;
    return isa<linalg::YieldOp>(nested) ||
           nested.hasTrait<OpTrait::ConstantLike>() ||
           (OpTrait::hasElementwiseMappableTraits(&nested) &&
            !mayTrap(&nested) &&
            llvm::all_of(nested.getOperandTypes(), [](Type type) {
              return type.isSignlessInteger() || type.isIndex() ||
                     isa<Float16Type, BFloat16Type, Float32Type>(type);
            }));
  };
  return llvm::all_of(*op.getBody(), isElementwise);
}

std::optional<int64_t> mlir::qdq::getLaneStride(AffineMap map, unsigned lane) {
  int64_t stride = 0;
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    std::optional<int64_t> step = getStride(expr, lane, map.getNumDims());
    bool isInnermost = i + 1 == map.getNumResults();
    if (!step || *step < 0 || *step > (isInnermost ? 2 : 0))
      return std::nullopt;
    stride = *step;
  }
  return stride;
}

SmallVector<Value>
mlir::qdq::computeLanes(TileNest &nest, int64_t lanes, ValueRange inits,
                        function_ref<Value(OpOperand &)> read) {
  ImplicitLocOpBuilder &b = nest.b;
  Block *body = nest.op.getBody();
  IRMapping mapping;
  mapping.map(nest.op.getRegionOutputArgs(), inits);
  for (OpOperand *input : nest.op.getDpsInputOperands()) {
    BlockArgument argument = nest.op.getMatchingBlockArgument(input);
    if (argument.use_empty())
      continue;
    Value vector = read(*input);
    mapping.map(argument, vector ? vector : nest.readScalar(*input));
  }
  auto toVector = [&](Value value) -> Value {
    Value computed = mapping.lookupOrDefault(value);
    if (isa<VectorType>(computed.getType()))
      return computed;
    return vector::BroadcastOp::create(
        b, VectorType::get(lanes, value.getType()), computed);
  };
  auto isShared = [&](Value value) {
    return !isa<VectorType>(mapping.lookupOrDefault(value).getType());
  };
  for (Operation &op : body->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(op)) {
      mapping.map(index.getResult(),
                  nest.createIndex(nest.offsets[index.getDim()]));
      continue;
    }
    if (llvm::all_of(op.getOperands(), isShared)) {
      b.clone(op, mapping);
      continue;
    }
    for (Value operand : op.getOperands())
      mapping.map(operand, toVector(operand));
    Operation *clone = op.clone(mapping);
    for (auto [from, to] :
         llvm::zip_equal(op.getResults(), clone->getResults())) {
      to.setType(VectorType::get(lanes, from.getType()));
      mapping.map(from, to);
    }
    b.insert(clone);
  }
  return llvm::map_to_vector(body->getTerminator()->getOperands(), toVector);
}
