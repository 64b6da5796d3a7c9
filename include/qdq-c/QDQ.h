/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* mlir-qdq for C, and for languages that speak to MLIR through its C API. A
 * program links QDQCAPI, and MLIRCAPIIR of the same MLIR (examples/c-api). */

#ifndef QDQ_C_QDQ_H
#define QDQ_C_QDQ_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The dialect alone: mlirGetDialectHandle__qdq__. */
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(QDQ, qdq);

/* The dialect, what its ops can do in upstream's transformations, and the ops
 * of transform.apply_patterns. */
MLIR_CAPI_EXPORTED void qdqRegisterAllDialects(MlirDialectRegistry registry);

/* All passes and pipelines, by name, for mlirParsePassPipeline and
 * mlirOpPassManagerAddPipeline. To be called once in a process. */
MLIR_CAPI_EXPORTED void qdqRegisterAllPasses(void);

MLIR_CAPI_EXPORTED bool qdqAttributeIsASemantics(MlirAttribute attribute);

/* #qdq.semantics of `count` fields, spelled as in text: "rounding", "floor".
 * Null, after a diagnostic at the unknown location, where there is no such
 * field or value, or a field is given twice. */
MLIR_CAPI_EXPORTED MlirAttribute
qdqSemanticsAttrGet(MlirContext context, intptr_t count,
                    const MlirStringRef *fields, const MlirStringRef *values);

/* The value of a field; empty where it is left open, or is no field. */
MLIR_CAPI_EXPORTED MlirStringRef
qdqSemanticsAttrGetField(MlirAttribute semantics, MlirStringRef field);

#ifdef __cplusplus
}
#endif

#endif /* QDQ_C_QDQ_H */
