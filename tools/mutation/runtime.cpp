// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The mutant that QDQ_MUTANT or a caller chooses, and the mutants that a
// process reaches, which it appends to the file QDQ_MUTANT_TRACE.

#include <atomic>
#include <cstdio>
#include <cstdlib>

static constexpr int kMutants = 1 << 14;
static std::atomic<bool> reached[kMutants];

extern "C" __attribute__((visibility("default"))) void
qdqWriteReached(const char *path) {
  FILE *file = fopen(path, "a");
  if (!file)
    return;
  for (int i = 0; i < kMutants; ++i)
    if (reached[i].exchange(false))
      fprintf(file, "%d\n", i);
  fclose(file);
}

static std::atomic<int> &getChosen() {
  static std::atomic<int> chosen = [] {
    if (getenv("QDQ_MUTANT_TRACE"))
      atexit([] { qdqWriteReached(getenv("QDQ_MUTANT_TRACE")); });
    const char *number = getenv("QDQ_MUTANT");
    return number ? atoi(number) : -1;
  }();
  return chosen;
}

extern "C" __attribute__((visibility("default"))) void
qdqChooseMutant(int mutant) {
  getChosen() = mutant;
}

bool qdqMutant(int mutant) {
  reached[mutant].store(true, std::memory_order_relaxed);
  return mutant == getChosen().load(std::memory_order_relaxed);
}
