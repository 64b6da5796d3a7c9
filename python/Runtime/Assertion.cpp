// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Assertions of compiled code as errors of Python.

#include "Assertion.h"

#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <string>

using namespace mlir::qdq::python;

/// Where a failed assertion of this thread returns to.
static thread_local std::jmp_buf *caller = nullptr;
static thread_local std::string failed;

bool mlir::qdq::python::callCode(Code code, void **arguments) {
  std::jmp_buf here;
  std::jmp_buf *volatile outer = caller;
  if (setjmp(here)) {
    caller = outer;
    return false;
  }
  caller = &here;
  code(arguments);
  caller = outer;
  return true;
}

const char *mlir::qdq::python::getFailedAssertion() { return failed.c_str(); }

int mlir::qdq::python::putAssertion(const char *message) {
  failed = message;
  return 0;
}

/// The other threads of a parallel loop would wait for this one.
static bool isInParallel() {
  auto ask =
      reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "omp_in_parallel"));
  return ask && ask();
}

void mlir::qdq::python::stopCode() {
  if (caller && !isInParallel())
    std::longjmp(*caller, 1);
  std::fprintf(stderr, "%s\n", failed.c_str());
  std::abort();
}
