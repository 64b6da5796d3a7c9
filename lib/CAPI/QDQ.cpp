// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C API: registration, and the attribute of numeric choices.

#include "qdq-c/QDQ.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"
#include "qdq/IR/QDQ.h"
#include "qdq/InitAll.h"

using namespace mlir;
using namespace mlir::qdq;

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(QDQ, qdq, QDQDialect)

void qdqRegisterAllDialects(MlirDialectRegistry registry) {
  registerAllDialects(*unwrap(registry));
}

void qdqRegisterAllPasses(void) { registerAllPasses(); }

bool qdqAttributeIsASemantics(MlirAttribute attribute) {
  return isa<SemanticsAttr>(unwrap(attribute));
}

MlirAttribute qdqSemanticsAttrGet(MlirContext context, intptr_t count,
                                  const MlirStringRef *fields,
                                  const MlirStringRef *values) {
  MLIRContext *ctx = unwrap(context);
  ctx->getOrLoadDialect<QDQDialect>();
  std::string text = "#qdq.semantics<";
  for (intptr_t i = 0; i < count; ++i)
    text +=
        ((i ? ", " : "") + unwrap(fields[i]) + " = " + unwrap(values[i])).str();
  return wrap(parseAttribute(text + ">", ctx));
}

MlirStringRef qdqSemanticsAttrGetField(MlirAttribute semantics,
                                       MlirStringRef field) {
  StringRef value;
  SemanticsFields fields = cast<SemanticsAttr>(unwrap(semantics)).getFields();
  SemanticsFields::forEach(fields, [&](StringRef name, const auto &given) {
    if (name == unwrap(field) && given)
      value = stringifyEnum(*given);
  });
  return wrap(value);
}
