// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every translation of an ONNX node shares: operands, attributes, results,
// and refusal with a reason.

#ifndef QDQ_LIB_CONVERSION_ONNXTOQDQ_ONNXNODE_H
#define QDQ_LIB_CONVERSION_ONNXTOQDQ_ONNXNODE_H

#include "mlir/IR/PatternMatch.h"
#include <optional>

namespace mlir::qdq {

/// An operand: the value as the graph has it, and its type as a builtin tensor.
/// They differ in torch-mlir's spelling.
struct ONNXTensor {
  Value value;
  TensorType type;

  explicit operator bool() const { return bool(value); }
  TensorType getType() const { return type; }
};

/// A view of an op that stands for an ONNX node: `onnx.…` on builtin tensors,
/// or `torch.operator` on `!torch.vtensor`. Nothing here needs these dialects
/// to be registered.
class ONNXNode {
public:
  ONNXNode(Operation *op, PatternRewriter &rewriter)
      : op(op), rewriter(rewriter) {}

  Location getLoc() const { return op->getLoc(); }
  PatternRewriter &getRewriter() const { return rewriter; }
  Operation *getOperation() const { return op; }

  /// The match failure that says why the node is not converted; the parts are
  /// put together as in a diagnostic.
  template <typename... Parts>
  LogicalResult refuse(const Parts &...parts) const {
    return rewriter.notifyMatchFailure(
        op, [&](Diagnostic &reason) { (reason << ... << parts); });
  }

  /// Refuses unless the node has between `minOperands` and `maxOperands`
  /// operands and `results` results.
  LogicalResult checkArity(unsigned minOperands, unsigned maxOperands,
                           unsigned results) const;

  /// An operand; null where the node leaves it out: too few operands, an
  /// `onnx.NoValue`, or the type `none` or `!torch.none`.
  Value getOperand(unsigned index) const;

  /// An operand that has to be there, as a tensor. `name` is for the reason.
  FailureOr<ONNXTensor> getTensor(unsigned index, StringRef name) const;

  /// The type of a result, which has to be a tensor, as a builtin one.
  FailureOr<TensorType> getResultType(unsigned index) const;

  /// An attribute of the ONNX node, without the prefix of the spelling; null
  /// where it is absent.
  Attribute getAttr(StringRef name) const;

  bool has(StringRef attribute) const { return bool(getAttr(attribute)); }

  /// An integer attribute, of any width and signedness; `fallback` where it is
  /// absent.
  FailureOr<int64_t> getInteger(StringRef name, int64_t fallback) const;

  /// A string attribute; nothing where it is absent.
  FailureOr<std::optional<StringRef>> getString(StringRef name) const;

  /// An attribute that holds a `TensorProto.DataType`, as the MLIR type; null
  /// where it is absent or 0.
  FailureOr<Type> getElementType(StringRef name) const;

  /// Replaces the node; a value that knows more about its shape than the node's
  /// result is cast, and to the spelling's own type.
  void replace(ValueRange values) const;

  /// The value for a qdq op, of the builtin type: the operand itself, or an
  /// `arith.constant` where a foreign constant holds it.
  Value materialize(ONNXTensor tensor) const;

  /// A value of shape [] or [1], without its dimension: a scalar constant where
  /// arith has one, else a tensor of rank 0.
  Value materializeSingle(ONNXTensor tensor) const;

private:
  FailureOr<TensorType> getTensorType(const Twine &name, Type type) const;

  Operation *op;
  PatternRewriter &rewriter;
};

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_ONNXTOQDQ_ONNXNODE_H
