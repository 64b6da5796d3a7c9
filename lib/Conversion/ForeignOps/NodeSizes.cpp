// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes of results of ONNX nodes.

#include "NodeSizes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mlir::qdq;

namespace {
enum class Sizes {
  /// Those of operand 0.
  Same,
  /// The batch of operand 0; the others follow from it in no simple way.
  Batch,
  /// Those of operand 0 but the last one.
  Rows,
  /// Those of a product of matrices.
  Product,
};

struct Node {
  StringLiteral name;
  Sizes sizes;
  /// The right operand of a product.
  unsigned other = 0;
};
} // namespace

static constexpr Node kNodes[] = {
    {"onnx.QuantizeLinear", Sizes::Same},
    {"onnx.DequantizeLinear", Sizes::Same},
    {"onnx.DynamicQuantizeLinear", Sizes::Same},
    {"onnx.ConvInteger", Sizes::Batch},
    {"onnx.QLinearConv", Sizes::Batch},
    {"onnx.MatMulInteger", Sizes::Product, 1},
    {"onnx.QLinearMatMul", Sizes::Product, 3},
    {"com.microsoft.QuantizeLinear", Sizes::Same},
    {"com.microsoft.DequantizeLinear", Sizes::Same},
    {"com.microsoft.QLinearLeakyRelu", Sizes::Same},
    {"com.microsoft.QLinearSigmoid", Sizes::Same},
    {"com.microsoft.QLinearSoftmax", Sizes::Same},
    {"qonnx.custom_op.general.Quant", Sizes::Same},
    {"qonnx.custom_op.general.IntQuant", Sizes::Same},
    {"qonnx.custom_op.general.BipolarQuant", Sizes::Same},
    {"qonnx.custom_op.general.Trunc", Sizes::Same},
    {"com.microsoft.QLinearConv", Sizes::Batch},
    {"com.microsoft.QLinearAveragePool", Sizes::Batch},
    {"com.microsoft.QLinearGlobalAveragePool", Sizes::Batch},
    {"com.microsoft.MatMulBnb4", Sizes::Rows},
    {"com.microsoft.MatMulNBits", Sizes::Rows},
    {"com.microsoft.DynamicQuantizeMatMul", Sizes::Product, 1},
    {"com.microsoft.MatMulIntegerToFloat", Sizes::Product, 1},
};

std::string mlir::qdq::getOperatorName(Operation *node) {
  StringRef name = node->getName().getStringRef();
  auto domain = node->getAttrOfType<StringAttr>("domain_name");
  auto function = node->getAttrOfType<StringAttr>("function_name");
  if (name != kCustomOp || !domain || !function)
    return name.str();
  return (domain.getValue() + "." + function.getValue()).str();
}

ArrayRef<StringLiteral> mlir::qdq::getNamesThatKeepSizes() {
  static constexpr StringLiteral names[] = {
      "onnx.QuantizeLinear", "onnx.DequantizeLinear",
      "onnx.DynamicQuantizeLinear", kCustomOp};
  return names;
}

/// The name with the domain that QONNX has today in the place of older ones.
static std::string getNewestName(StringRef name) {
  for (StringRef older : {"onnx.brevitas", "finn.custom_op.general"})
    if (name.consume_front(older))
      return ("qonnx.custom_op.general" + name).str();
  return name.str();
}

static const Node *findNode(Operation *op) {
  if (op->getName().getDialectNamespace() != "onnx" ||
      op->getNumOperands() == 0 || op->getNumResults() == 0)
    return nullptr;
  std::string name = getNewestName(getOperatorName(op));
  const Node *node =
      llvm::find_if(kNodes, [&](const Node &own) { return own.name == name; });
  return node == std::end(kNodes) ? nullptr : node;
}

bool mlir::qdq::keepsSizes(Operation *node) {
  const Node *known = findNode(node);
  return known && known->sizes == Sizes::Same;
}

static int64_t getRank(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getRank() : -1;
}

/// A size of lhs * rhs, whose ranks are 2 or more.
static std::optional<SizeSource> stepThroughProduct(Value lhs, Value rhs,
                                                    int64_t dim) {
  int64_t left = getRank(lhs), right = getRank(rhs);
  if (left < 2 || right < 2)
    return std::nullopt;
  int64_t rank = std::max(left, right);
  SizeSource ofLeft{lhs, dim - (rank - left)};
  SizeSource ofRight{rhs, dim - (rank - right)};
  if (dim == rank - 1 || ofLeft.dim < 0)
    return ofRight;
  if (dim == rank - 2 || ofRight.dim < 0)
    return ofLeft;
  // Batches broadcast.
  bool isSame = findSizeSource(ofLeft.value, ofLeft.dim) ==
                findSizeSource(ofRight.value, ofRight.dim);
  return isSame ? ofLeft : std::optional<SizeSource>();
}

std::optional<SizeSource> mlir::qdq::stepThroughNode(Operation *op,
                                                     int64_t dim) {
  const Node *node = findNode(op);
  int64_t rank = node ? getRank(op->getResult(0)) : -1;
  if (dim >= rank)
    return std::nullopt;
  Value first = op->getOperand(0);
  bool hasRank = getRank(first) == rank;
  switch (node->sizes) {
  case Sizes::Same:
    break;
  case Sizes::Batch:
    hasRank &= dim == 0;
    break;
  case Sizes::Rows:
    hasRank &= dim < rank - 1;
    break;
  case Sizes::Product:
    if (node->other >= op->getNumOperands())
      return std::nullopt;
    return stepThroughProduct(first, op->getOperand(node->other), dim);
  }
  return hasRank ? std::optional<SizeSource>({first, dim}) : std::nullopt;
}
