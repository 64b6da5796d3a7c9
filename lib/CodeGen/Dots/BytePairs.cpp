// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constant columns in parts of which two products fit in i16.

#include "BytePairs.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::qdq;

/// 255 * 128 and 255 * -128 fit in i16.
static constexpr int kMaxSum = 128;

/// A four that is left over takes the time of another one, and its index. As
/// measured on Zen 3, pairs of i16 take 1.45 times as long as pairs of bytes.
static constexpr int64_t kFoursPerRest = 4;

/// The excess of the sum of two bytes over kMaxSum: 0 if their signs differ.
static int getRest(int8_t first, int8_t second) {
  int sum = first + second;
  if ((first > 0) != (second > 0))
    return 0;
  return sum > kMaxSum ? sum - kMaxSum : sum < -kMaxSum ? sum + kMaxSum : 0;
}

static bool hasRest(ArrayRef<char> four) {
  for (size_t i = 0; i < four.size(); i += 2)
    if (getRest(four[i], four[i + 1]) != 0)
      return true;
  return false;
}

std::optional<PairRests> mlir::qdq::splitPairs(MutableArrayRef<char> bytes,
                                               int64_t panels,
                                               int64_t fourBytes) {
  PairRests rests;
  int64_t size = bytes.size() / panels, fours = size / fourBytes;
  for (int64_t panel = 0; panel < panels; ++panel) {
    rests.starts.push_back(rests.fours.size());
    for (int64_t four = 0; four < fours; ++four)
      if (hasRest(bytes.slice(panel * size + four * fourBytes, fourBytes)))
        rests.fours.push_back(four);
  }
  rests.starts.push_back(rests.fours.size());
  if (int64_t(rests.fours.size()) * kFoursPerRest > panels * fours)
    return std::nullopt;
  rests.bytes.assign(rests.fours.size() * fourBytes, 0);
  char *rest = rests.bytes.data();
  for (int64_t panel = 0; panel < panels; ++panel)
    for (int64_t i = rests.starts[panel]; i < rests.starts[panel + 1]; ++i) {
      char *four = bytes.data() + panel * size + rests.fours[i] * fourBytes;
      for (int64_t byte = 0; byte < fourBytes; byte += 2, rest += 2) {
        rest[1] = getRest(four[byte], four[byte + 1]);
        four[byte + 1] -= rest[1];
      }
    }
  return rests;
}
