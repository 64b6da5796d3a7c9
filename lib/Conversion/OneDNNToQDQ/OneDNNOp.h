// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the translations of oneDNN Graph ops share: operands, attributes, and
// refusal with a reason.

#ifndef QDQ_LIB_CONVERSION_ONEDNNTOQDQ_ONEDNNOP_H
#define QDQ_LIB_CONVERSION_ONEDNNTOQDQ_ONEDNNOP_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::qdq {

/// A view of an op of the dialect `onednn_graph`, which need not be registered.
class OneDNNOp {
public:
  OneDNNOp(Operation *op, PatternRewriter &rewriter)
      : op(op), rewriter(rewriter) {}

  Location getLoc() const { return op->getLoc(); }
  PatternRewriter &getRewriter() const { return rewriter; }
  bool has(StringRef attribute) const { return op->hasAttr(attribute); }

  /// The match failure that says why the op is not converted; the parts are put
  /// together as in a diagnostic.
  template <typename... Parts>
  LogicalResult refuse(const Parts &...parts) const {
    return rewriter.notifyMatchFailure(
        op, [&](Diagnostic &reason) { (reason << ... << parts); });
  }

  /// Refuses unless there are between `minOperands` and `maxOperands` operands
  /// and one result, all of them tensors.
  LogicalResult checkSignature(unsigned minOperands,
                               unsigned maxOperands) const;

  /// An operand, or null. After `checkSignature`.
  TypedValue<TensorType> getOperand(unsigned index) const;
  TensorType getResultType() const;

  /// Attributes as oneDNN types them: s64, string, and lists of s64 and f32.
  /// Lists are `array<…>`, `dense<…>` or `[…]`.
  FailureOr<int64_t> getInteger(StringRef name, int64_t fallback) const;
  FailureOr<StringRef> getString(StringRef name, StringRef fallback) const;
  FailureOr<SmallVector<int64_t>> getIntegers(StringRef name) const;
  FailureOr<SmallVector<float>> getFloats(StringRef name) const;

  /// Replaces the op; a value that knows more about its shape than the op's
  /// result is cast.
  void replace(Value value) const;

  /// A tensor of one element, of any static shape, as a scalar constant where
  /// it is a constant that arith can hold, else with rank 0.
  Value toSingle(TypedValue<TensorType> value) const;

private:
  Operation *op;
  PatternRewriter &rewriter;
};

/// True for a tensor whose shape says that it has one element.
bool isSingle(TensorType type);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_ONEDNNTOQDQ_ONEDNNOP_H
