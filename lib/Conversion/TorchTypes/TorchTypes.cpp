// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text of torch-mlir's tensor types, and the casts.

#include "qdq/Conversion/TorchTypes/TorchTypes.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::qdq;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// `!torch.…` as torch-mlir prints it, from the registered type or from the
/// opaque one. Empty for other types.
static std::string getTorchText(Type type) {
  bool isBuiltin = isa<BuiltinDialect>(type.getDialect());
  if (isBuiltin && !isa<OpaqueType>(type))
    return "";
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return StringRef(text).starts_with("!torch.") ? text : "";
}

bool mlir::qdq::isTorchNone(Type type) {
  return getTorchText(type) == "!torch.none";
}

bool mlir::qdq::isTorchTensor(Type type) {
  std::string text = getTorchText(type);
  StringRef rest = text;
  return (rest.consume_front("!torch.vtensor") ||
          rest.consume_front("!torch.tensor")) &&
         (rest.empty() || rest.starts_with("<"));
}

/// Null where the text is no type, or no element of a builtin tensor that
/// torch-mlir has casts for.
static Type parseElementType(StringRef text, MLIRContext *ctx) {
  ScopedDiagnosticHandler silent(ctx, [](Diagnostic &) { return success(); });
  Type type = parseType(text, ctx);
  if (auto integer = dyn_cast_or_null<IntegerType>(type))
    return integer.isUnsigned() ? type
                                : IntegerType::get(ctx, integer.getWidth());
  return isa_and_nonnull<FloatType>(type) ? type : nullptr;
}

/// `2,?` as sizes.
static std::optional<SmallVector<int64_t>> parseSizes(StringRef text) {
  SmallVector<int64_t> sizes;
  if (text.empty())
    return sizes;
  for (StringRef part : llvm::split(text, ',')) {
    int64_t size = ShapedType::kDynamic;
    if (part != "?" && (part.getAsInteger(10, size) || size < 0))
      return std::nullopt;
    sizes.push_back(size);
  }
  return sizes;
}

TensorType mlir::qdq::getBuiltinTensor(Type vtensor, std::string &reason) {
  MLIRContext *ctx = vtensor.getContext();
  std::string buffer = getTorchText(vtensor);
  StringRef text = buffer;
  auto refuse = [&](StringRef why) {
    reason = why;
    return TensorType();
  };
  if (!text.consume_front("!torch.vtensor"))
    return refuse("expected a tensor with value semantics, '!torch.vtensor'");
  if (text.empty())
    return refuse("expected a '!torch.vtensor' with an element type");
  if (!text.consume_front("<") || !text.consume_back(">"))
    return refuse("expected a '!torch.vtensor'");

  bool isRanked = text.consume_front("[");
  std::optional<SmallVector<int64_t>> sizes;
  if (isRanked) {
    sizes = parseSizes(text.take_until([](char c) { return c == ']'; }));
    if (!sizes)
      return refuse("expected sizes that are integers or '?'");
    text = text.drop_until([](char c) { return c == ']'; }).drop_front();
  } else if (!text.consume_front("*")) {
    return refuse("expected sizes or '*'");
  }
  if (!text.consume_front(",") || text == "unk")
    return refuse("expected a '!torch.vtensor' with an element type");
  Type elementType = parseElementType(text, ctx);
  if (!elementType)
    return refuse("expected an integer or float element type and no encoding");
  if (!isRanked)
    return UnrankedTensorType::get(elementType);
  return RankedTensorType::get(*sizes, elementType);
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

/// torch-mlir's casts and its type conversion know integers without signedness
/// only.
static TensorType getSignlessTensor(TensorType type) {
  auto integer = dyn_cast<IntegerType>(type.getElementType());
  if (!integer || integer.isSignless())
    return type;
  return type.clone(IntegerType::get(type.getContext(), integer.getWidth()));
}

static Value bitcastTensor(OpBuilder &b, Location loc, Value value,
                           TensorType type) {
  if (value.getType() == type)
    return value;
  auto previous = value.getDefiningOp<tensor::BitcastOp>();
  if (previous && previous.getSource().getType() == type)
    return previous.getSource();
  return tensor::BitcastOp::create(b, loc, type, value);
}

static Value createCast(OpBuilder &b, Location loc, StringRef name, Value value,
                        Type type) {
  OperationState state(loc, name, value, type);
  return b.create(state)->getResult(0);
}

Value mlir::qdq::castToBuiltinTensor(OpBuilder &b, Location loc, Value vtensor,
                                     TensorType type) {
  Operation *def = vtensor.getDefiningOp();
  TensorType signless = getSignlessTensor(type);
  bool isCast = def && def->getName().getStringRef() == kFromBuiltinTensor &&
                def->getNumOperands() == 1 &&
                def->getOperand(0).getType() == signless;
  Value tensor = isCast
                     ? def->getOperand(0)
                     : createCast(b, loc, kToBuiltinTensor, vtensor, signless);
  return bitcastTensor(b, loc, tensor, type);
}

Value mlir::qdq::castFromBuiltinTensor(OpBuilder &b, Location loc, Value tensor,
                                       Type vtensor) {
  auto type = cast<TensorType>(tensor.getType());
  return createCast(b, loc, kFromBuiltinTensor,
                    bitcastTensor(b, loc, tensor, getSignlessTensor(type)),
                    vtensor);
}
