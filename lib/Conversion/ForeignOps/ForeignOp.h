// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared parts of every translation of an op of another dialect: operands,
// attributes, results, and refusal with a reason.

#ifndef QDQ_LIB_CONVERSION_FOREIGNOPS_FOREIGNOP_H
#define QDQ_LIB_CONVERSION_FOREIGNOPS_FOREIGNOP_H

#include "mlir/IR/PatternMatch.h"
#include "qdq/Numerics/Semantics.h"

namespace mlir::qdq {

/// An operand: the value as its graph has it, and its type as a builtin tensor.
/// They differ in torch-mlir's spelling. An attribute of the op that is read
/// like an operand has a `constant` and no value.
struct ForeignTensor {
  Value value;
  TensorType type;
  DenseElementsAttr constant;

  explicit operator bool() const { return value || constant; }
  TensorType getType() const { return type; }
};

/// A builtin tensor as an operand, and the elements of one.
inline ForeignTensor toForeign(Value tensor) {
  return {tensor, cast<TensorType>(tensor.getType()), nullptr};
}
inline ForeignTensor toForeign(DenseElementsAttr elements) {
  return {nullptr, cast<TensorType>(elements.getType()), elements};
}

/// The elements of a constant, or of a folded one; null for others.
TypedAttr getConstant(const ForeignTensor &tensor);

/// No bound on a number of operands or results.
inline constexpr unsigned kMany = ~0u;

/// The most entries of a list, such as axes or sizes, that is read one by one.
/// A splat of a few bytes may have more of them than memory.
inline constexpr int64_t kMaxListLength = 1 << 16;

/// The numbers of operands, from `least` to `most`, and of results.
struct Arity {
  unsigned least = 0, most = least, results = 1;
};

/// Takes what is read of one op, and remembers if any of it was refused: its
/// place has a default value then, and the op is given up when all is read.
///
///   Reader read;
///   node.a = read(op.getTensor(0, "A"));
///   node.b = read(op.getTensor(1, "B"));
///   if (failed(read))
///     return failure();
class Reader {
public:
  template <typename T>
  T operator()(FailureOr<T> value) {
    isRefused |= failed(value);
    return succeeded(value) ? std::move(*value) : T();
  }

  operator LogicalResult() const { return failure(isRefused); }

private:
  bool isRefused = false;
};

/// A view of an op that is matched by name, on builtin tensors or, where it is
/// a `torch.operator`, on `!torch.vtensor`. Its dialect need not be registered.
class ForeignOp {
public:
  /// With `checksSizes`, translations assert what open sizes leave in doubt:
  /// SizeChecks.h. `profile` names the system whose functions of floats are
  /// wanted: Functions.h.
  ForeignOp(Operation *op, PatternRewriter &rewriter, bool checksSizes = false,
            std::optional<Profile> profile = {})
      : op(op), rewriter(rewriter), sizesAreChecked(checksSizes),
        profile(profile) {}

  Location getLoc() const { return op->getLoc(); }
  PatternRewriter &getRewriter() const { return rewriter; }
  Operation *getOperation() const { return op; }
  StringRef getName() const { return op->getName().getStringRef(); }
  bool checksSizes() const { return sizesAreChecked; }
  std::optional<Profile> getProfile() const { return profile; }

  /// The match failure that says why the op is not converted; the parts are put
  /// together as in a diagnostic.
  template <typename... Parts>
  LogicalResult refuse(const Parts &...parts) const {
    return rewriter.notifyMatchFailure(
        op, [&](Diagnostic &reason) { (reason << ... << parts); });
  }

  /// Runs `translate`, which leaves no ops behind if it fails: greedy drivers
  /// would not come to an end.
  LogicalResult attempt(function_ref<LogicalResult()> translate) const;

  /// Refuses other numbers of operands and results, a region, and an op that
  /// stands for a terminator.
  LogicalResult checkArity(const Arity &arity) const;

  /// An operand; null where the op leaves it out: too few operands, an
  /// `onnx.NoValue`, or the type `none` or `!torch.none`.
  Value getOperand(unsigned index) const;

  /// An operand that has to be there, as a tensor. `name` is for the reason.
  FailureOr<ForeignTensor> getTensor(unsigned index, StringRef name) const;

  /// The same of a ranked tensor that `fits`. Else the reason says that the
  /// parts, put together, are expected.
  template <typename... Parts>
  FailureOr<ForeignTensor> getTensor(unsigned index, StringRef name,
                                     function_ref<bool(RankedTensorType)> fits,
                                     const Parts &...expected) const {
    FailureOr<ForeignTensor> tensor = getTensor(index, name);
    if (failed(tensor))
      return failure();
    auto type = dyn_cast<RankedTensorType>(tensor->type);
    if (type && fits(type))
      return tensor;
    return refuse(name, " has type ", tensor->type, ": expected ", expected...);
  }

  /// Either of them, of an operand that may be left out; null where it is.
  template <typename... Checks>
  FailureOr<ForeignTensor> getOptional(unsigned index, StringRef name,
                                       const Checks &...checks) const {
    if (!getOperand(index))
      return ForeignTensor();
    return getTensor(index, name, checks...);
  }

  /// The type of a result, which has to be a tensor, as a builtin one.
  FailureOr<TensorType> getResultType(unsigned index) const;

  /// An attribute, without the prefix that torch-mlir puts before the name;
  /// null where it is absent.
  Attribute getAttr(StringRef name) const;

  bool has(StringRef attribute) const { return bool(getAttr(attribute)); }

  /// True for a flag that is there and set.
  bool isSet(StringRef flag) const;

  /// An integer attribute, of any width and signedness; `fallback` where it is
  /// absent.
  FailureOr<int64_t> getInteger(StringRef name, int64_t fallback) const;

  /// An f32 attribute; `fallback` where it is absent.
  FailureOr<float> getFloat(StringRef name, float fallback) const;

  /// A string attribute; `fallback` where it is absent.
  FailureOr<StringRef> getString(StringRef name, StringRef fallback) const;

  /// Attributes that have to be there: lists as `array<…>`, `dense<…>` of rank
  /// 1, or `[…]`.
  FailureOr<SmallVector<int64_t>> getIntegers(StringRef name) const;
  FailureOr<SmallVector<float>> getFloats(StringRef name) const;

  /// Makes an op in the place of this one: at its location, with the
  /// discardable attributes that belong to neither its dialect nor its
  /// spelling.
  template <typename OpTy, typename... Args>
  OpTy create(Args &&...args) const {
    OperationState state(getLoc(), OpTy::getOperationName());
    OpTy::build(rewriter, state, std::forward<Args>(args)...);
    addCarriedAttributes(state);
    return cast<OpTy>(rewriter.create(state));
  }

  /// Replaces the op; a value that knows more about its shape than the op's
  /// result is cast, and to the spelling's own type. Fails for no value.
  LogicalResult replace(ValueRange values) const;
  LogicalResult replace(Value value) const {
    return replace(ValueRange(value));
  }
  LogicalResult replace(FailureOr<Value> value) const {
    return failed(value) ? failure() : replace(*value);
  }

  /// The value for a qdq op, of the builtin type: the operand itself, or an
  /// `arith.constant` where a foreign constant or an attribute holds it. Null
  /// where there is none, as in the next two.
  Value materialize(ForeignTensor tensor) const;

  /// A value of one element, without its dimensions: a scalar constant where
  /// arith has one, else a tensor of rank 0.
  Value materializeSingle(ForeignTensor tensor) const;

  /// A parameter, as `materializeSingle` where it has one element.
  Value materializeParameter(const ForeignTensor &tensor) const;

private:
  FailureOr<TensorType> getTensorType(const Twine &name, Type type) const;
  void addCarriedAttributes(OperationState &state) const;

  Operation *op;
  PatternRewriter &rewriter;
  bool sizesAreChecked;
  std::optional<Profile> profile;
};

/// Refuses a list of more than `kMaxListLength` entries.
LogicalResult checkListLength(const ForeignOp &node, Value list,
                              StringRef name);

/// An axis from -rank to rank - 1, as one from 0 on. The reason begins with the
/// parts, put together.
template <typename... Parts>
FailureOr<int64_t> normalizeAxis(const ForeignOp &node, int64_t axis,
                                 int64_t rank, const Parts &...reason) {
  if (axis < -rank || axis >= rank)
    return node.refuse(reason..., ": expected ", -rank, " to ", rank - 1);
  return axis < 0 ? axis + rank : axis;
}
inline FailureOr<int64_t> normalizeAxis(const ForeignOp &node, int64_t axis,
                                        int64_t rank) {
  return normalizeAxis(node, axis, rank, "axis is ", axis);
}

/// The attribute `axis`.
FailureOr<int64_t> getAxis(const ForeignOp &node, int64_t fallback,
                           int64_t rank);

/// True for a tensor whose shape says that it has one element.
bool isSingle(TensorType type);

/// One number, of rank 0.
ForeignTensor getSingle(FloatType type, double value);

/// Refuses two tensors whose shapes cannot be the same.
LogicalResult checkSameShape(const ForeignOp &node, StringRef lhsName,
                             TensorType lhs, StringRef rhsName, TensorType rhs);

/// True for f16, bf16 and f32.
bool isReal(Type type);

/// True for two sizes that are known and not the same.
bool differ(int64_t lhs, int64_t rhs);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_FOREIGNOPS_FOREIGNOP_H
