// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// malloc and free of compiled code, which keep large blocks for the next call.

#ifndef QDQ_PYTHON_SCRATCHMEMORY_H
#define QDQ_PYTHON_SCRATCHMEMORY_H

#include <cstddef>

namespace mlir::qdq::python {

/// As malloc. The C library would return a large block to the system when it is
/// freed, and each call would fault its pages in again, which takes longer than
/// the kernels that use it. A block of the last calls of this thread is taken
/// instead, if one is there that is not much too large.
void *allocateScratch(size_t size);

/// As free, of any block of the C library, which may also free what
/// `allocateScratch` gave. Keeps large ones, of some MiB in all, until the
/// thread ends.
void freeScratch(void *block);

} // namespace mlir::qdq::python

#endif // QDQ_PYTHON_SCRATCHMEMORY_H
