// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Python extension mlir_qdq._mlir_libs._qdq: puts our dialect and passes
// into the MLIR of the caller's `mlir` package, with which it shares
// libMLIR.so.

#include "CodeBinding.h"
#include "EvaluatorBinding.h"
#include "mlir/Bindings/Python/NanobindAdaptors.h"
#include "mlir/CAPI/IR.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/MLIRContext.h"
#include "qdq/InitAll.h"

#include <mutex>

namespace nb = nanobind;
using namespace mlir;

NB_MODULE(_qdq, m) {
  m.doc() = "Registration of the qdq dialect and its passes";
  // Where a daemon thread lives at exit, Python never frees its globals.
  nb::set_leak_warnings(false);

  m.def(
      "register_passes",
      [] {
        static std::once_flag once;
        std::call_once(once, qdq::registerAllPasses);
      },
      "Adds the passes and pipelines to the registry of the process, once.");

  m.def(
      "register_dialects",
      [](MlirContext pythonContext) {
        MLIRContext *context = unwrap(pythonContext);
        // A second MLIR in the process knows the builtin dialect by another id.
        Dialect *builtin = context->getLoadedDialect("builtin");
        if (!builtin || builtin->getTypeID() != TypeID::get<BuiltinDialect>())
          throw nb::import_error(
              "the 'mlir' package does not use the libMLIR.so "
              "that mlir_qdq was built with");
        // Contexts lock themselves for passes, but not for registration.
        static std::mutex mutex;
        std::lock_guard<std::mutex> lock(mutex);
        DialectRegistry registry;
        qdq::registerAllDialects(registry);
        context->appendDialectRegistry(registry);
        context->getOrLoadDialect("qdq");
      },
      nb::arg("context"),
      "Adds the dialect, and what its passes create, to a context and loads "
      "the dialect. Does nothing the second time.");

  qdq::addCode(m);
  qdq::addEvaluator(m);
}
