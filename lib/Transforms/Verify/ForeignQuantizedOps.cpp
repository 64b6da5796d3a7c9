// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How quantized ops of other systems are called.

#include "ForeignQuantizedOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::qdq;

static StringRef getString(Operation *op, StringRef name) {
  auto attr = op->getAttrOfType<StringAttr>(name);
  return attr ? attr.getValue() : StringRef();
}

ForeignOperator ForeignOperator::get(Operation *op) {
  StringRef name = op->getName().getStringRef();
  if (name == "onnx.Custom") {
    StringRef domain = getString(op, "domain_name");
    return {domain.empty() ? "onnx" : domain, getString(op, "function_name")};
  }
  if (name == "torch.operator")
    name = getString(op, "name");
  auto [dialect, inner] = name.split('.');
  if (dialect == "torch")
    return {dialect, inner};
  if (dialect != "onnx")
    return {};
  // torch-mlir's importer may put the domain before the name.
  auto [domain, function] = inner.rsplit('.');
  return function.empty() ? ForeignOperator{dialect, inner}
                          : ForeignOperator{domain, function};
}

bool ForeignOperator::isOfKnownDomain() const {
  return llvm::is_contained({"onnx", "", "ai.onnx", "pmx", "opmx", "torch",
                             "com.amd.quark", "com.vai.quantize"},
                            domain) ||
         domain.starts_with("com.microsoft") || domain.starts_with("com.ms.");
}

bool ForeignOperator::isQuantized() const {
  // Domains of a quantizer: all they hold is quantized.
  if (domain == "com.amd.quark" || domain == "com.vai.quantize")
    return true;
  static constexpr StringLiteral kParts[] = {
      "uantiz",                    // Quantize, Dequantize, Quantized
      "Integer",                   // MatMulInteger, ConvInteger
      "NBits",     "Bnb4", "FpQ4", // MatMulNBits and its kin
      "FixNeuron",                 // Quark's block formats
  };
  static constexpr StringLiteral kPrefixes[] = {
      "QLinear", "QGemm", "QMoE", "QAttention", "QEmbed", "QOrdered"};
  auto isPart = [&](StringRef part) { return name.contains(part); };
  auto isPrefix = [&](StringRef prefix) { return name.starts_with(prefix); };
  if (domain == "torch")
    return name.contains("quantiz") || name.starts_with("torchao.");
  return llvm::any_of(kParts, isPart) || llvm::any_of(kPrefixes, isPrefix) ||
         name.ends_with("Quant"); // QONNX, Brevitas
}

InFlightDiagnostic Tally::report(DiagnosticSeverity severity,
                                 StringRef text) const {
  Location loc = kinds.front().second.first->getLoc();
  InFlightDiagnostic diagnostic =
      severity == DiagnosticSeverity::Error ? emitError(loc) : emitRemark(loc);
  diagnostic << text;
  llvm::interleaveComma(kinds, diagnostic, [&](const auto &entry) {
    diagnostic << entry.second.count << " " << entry.first.getValue();
  });
  return diagnostic;
}
