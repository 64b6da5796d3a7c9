// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// malloc and free of compiled code, which keep large blocks for the next call.

#include "ScratchMemory.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdlib>
#include <iterator>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

using namespace mlir::qdq::python;

namespace {
/// Below, the C library keeps blocks itself.
constexpr size_t kSmallest = 64 << 10;
/// Bytes that a thread keeps at most.
constexpr size_t kMost = 64 << 20;

/// The room in a block of the C library; 0 if it cannot be told.
size_t getSize(void *block) {
#if defined(__GLIBC__)
  return malloc_usable_size(block);
#else
  return 0;
#endif
}

/// The blocks that a thread keeps, the oldest first.
class Blocks {
public:
  ~Blocks() { shrinkTo(0); }

  void *take(size_t size) {
    for (auto it = blocks.rbegin(); it != blocks.rend(); ++it) {
      size_t room = getSize(*it);
      if (room < size || room / 2 > size)
        continue;
      void *block = *it;
      blocks.erase(std::next(it).base());
      total -= room;
      return block;
    }
    return nullptr;
  }

  void keep(void *block, size_t room) {
    shrinkTo(kMost - room);
    blocks.push_back(block);
    total += room;
  }

private:
  void shrinkTo(size_t most) {
    auto end = blocks.begin();
    for (; end != blocks.end() && total > most; ++end) {
      total -= getSize(*end);
      std::free(*end);
    }
    blocks.erase(blocks.begin(), end);
  }

  llvm::SmallVector<void *> blocks;
  size_t total = 0;
};

thread_local Blocks kept;
} // namespace

void *mlir::qdq::python::allocateScratch(size_t size) {
  if (size >= kSmallest)
    if (void *block = kept.take(size))
      return block;
  return std::malloc(size);
}

void mlir::qdq::python::freeScratch(void *block) {
  size_t room = block ? getSize(block) : 0;
  if (room >= kSmallest && room <= kMost)
    kept.keep(block, room);
  else
    std::free(block);
}
