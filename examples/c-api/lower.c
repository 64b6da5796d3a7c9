/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads IR from standard input, and lowers what is quantized with the numerics
 * of ONNX Runtime, but for the rounding that is given. */

#include "mlir-c/Dialect/Func.h"
#include "mlir-c/IR.h"
#include "mlir-c/Pass.h"
#include "qdq-c/QDQ.h"
#include <stdio.h>
#include <string.h>

enum { kLargestInput = 1 << 20 };

static void print(MlirStringRef text, void *stream) {
  fwrite(text.data, 1, text.length, stream);
}

static MlirStringRef ref(const char *text) {
  return mlirStringRefCreateFromCString(text);
}

/* The module of `text` lowered to standard output; 0 if all went well. */
static int lower(MlirContext context, const char *text, const char *rounding) {
  MlirModule module = mlirModuleCreateParse(context, ref(text));
  if (mlirModuleIsNull(module))
    return 1;
  char pipeline[256];
  snprintf(pipeline, sizeof pipeline, "lower-quant{profile=ort rounding=%s}",
           rounding);
  MlirPassManager passes = mlirPassManagerCreate(context);
  MlirLogicalResult result = mlirOpPassManagerAddPipeline(
      mlirPassManagerGetAsOpPassManager(passes), ref(pipeline), print, stderr);
  if (mlirLogicalResultIsSuccess(result))
    result = mlirPassManagerRunOnOp(passes, mlirModuleGetOperation(module));
  if (mlirLogicalResultIsSuccess(result))
    mlirOperationPrint(mlirModuleGetOperation(module), print, stdout);
  mlirPassManagerDestroy(passes);
  mlirModuleDestroy(module);
  return mlirLogicalResultIsFailure(result);
}

int main(int argc, char **argv) {
  static char text[kLargestInput + 1];
  size_t length = fread(text, 1, kLargestInput, stdin);
  text[length] = 0;

  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mlirDialectHandleInsertDialect(mlirGetDialectHandle__func__(), registry);
  qdqRegisterAllDialects(registry);
  qdqRegisterAllPasses();
  MlirContext context = mlirContextCreateWithRegistry(registry, false);
  mlirContextSetAllowUnregisteredDialects(context, true);
  mlirContextLoadAllAvailableDialects(context);

  MlirStringRef field = ref("rounding");
  MlirStringRef value = ref(argc > 1 ? argv[1] : "nearest-even");
  MlirAttribute semantics = qdqSemanticsAttrGet(context, 1, &field, &value);
  int failed = mlirAttributeIsNull(semantics);
  if (!failed) {
    MlirStringRef rounding = qdqSemanticsAttrGetField(semantics, field);
    char name[64] = {0};
    memcpy(name, rounding.data, rounding.length);
    failed = lower(context, text, name);
  }
  mlirContextDestroy(context);
  mlirDialectRegistryDestroy(registry);
  return failed;
}
