// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The last word of lower-quant: nothing quantized is left.

#include "mlir/IR/Diagnostics.h"
#include "qdq/Conversion/QuantToQDQ/QuantizedTypes.h"
#include "qdq/Transforms/Passes.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_VERIFYLOWEREDPASS
#include "qdq/Transforms/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;

namespace {
/// A source op as it is spelled: its name, and the string attributes that tell
/// it from others of the name.
struct SourceOp {
  struct Attribute {
    StringLiteral name, value;
  };
  StringLiteral name;
  Attribute first = {"", ""}, second = {"", ""};
};
} // namespace

// clang-format off
static constexpr SourceOp kSourceOps[] = {
    {"onnx.QuantizeLinear"},
    {"onnx.DequantizeLinear"},
    {"onnx.DynamicQuantizeLinear"},
    {"torch.operator", {"name", "onnx.QuantizeLinear"}},
    {"torch.operator", {"name", "onnx.DequantizeLinear"}},
    {"torch.operator", {"name", "onnx.DynamicQuantizeLinear"}},
    {"torch.operator", {"name", "onnx.ExtendedQuantizeLinear"}},
    {"torch.operator", {"name", "onnx.ExtendedDequantizeLinear"}},
    {"torch.operator", {"name", "onnx.VitisQuantizeLinear"}},
    {"torch.operator", {"name", "onnx.VitisDequantizeLinear"}},
    {"onnx.Custom", {"domain_name", "com.microsoft"}, {"function_name", "QuantizeLinear"}},
    {"onnx.Custom", {"domain_name", "com.microsoft"}, {"function_name", "DequantizeLinear"}},
    {"onnx.Custom", {"domain_name", "com.amd.quark"}, {"function_name", "ExtendedQuantizeLinear"}},
    {"onnx.Custom", {"domain_name", "com.amd.quark"}, {"function_name", "ExtendedDequantizeLinear"}},
    {"onnx.Custom", {"domain_name", "com.vai.quantize"}, {"function_name", "VitisQuantizeLinear"}},
    {"onnx.Custom", {"domain_name", "com.vai.quantize"}, {"function_name", "VitisDequantizeLinear"}},
    {"onnx.Custom", {"domain_name", "pmx"}, {"function_name", "DequantizeLinear"}},
    {"onnx.Custom", {"domain_name", "opmx"}, {"function_name", "DequantizeLinear"}},
    {"onednn_graph.quantize"},
    {"onednn_graph.dequantize"},
    {"onednn_graph.dynamic_quantize"},
    {"onednn_graph.dynamic_dequantize"},
};
// clang-format on

static bool hasAttribute(Operation *op, const SourceOp::Attribute &attribute) {
  if (attribute.name.empty())
    return true;
  auto value = op->getAttrOfType<StringAttr>(attribute.name);
  return value && value.getValue() == attribute.value;
}

static bool isSourceOp(Operation *op) {
  return llvm::any_of(kSourceOps, [&](const SourceOp &source) {
    return op->getName().getStringRef() == source.name &&
           hasAttribute(op, source.first) && hasAttribute(op, source.second);
  });
}

/// More errors than this tell nothing new.
static constexpr unsigned kMaxErrors = 10;

namespace {
struct VerifyLoweredPass : qdq::impl::VerifyLoweredPassBase<VerifyLoweredPass> {
  using VerifyLoweredPassBase::VerifyLoweredPassBase;

  void runOnOperation() override {
    qdq::QuantizedTypeFinder finder;
    unsigned errors = 0;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      StringRef dialect = op->getName().getDialectNamespace();
      bool isLeft = dialect == "quant" || dialect == "qdq" || isSourceOp(op);
      quant::QuantizedType type = isLeft ? nullptr : finder.find(op);
      if ((!isLeft && !type) || ++errors > kMaxErrors)
        return;
      if (isLeft)
        op->emitOpError("is not lowered");
      else
        op->emitOpError() << "still has the quantized type "
                          << qdq::describe(type);
    });
    if (errors > kMaxErrors)
      emitError(getOperation().getLoc())
          << errors - kMaxErrors << " more ops are not lowered";
    if (errors)
      signalPassFailure();
  }
};
} // namespace
