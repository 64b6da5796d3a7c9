// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constant columns in parts whose products fit in i16.

#include "BytePanel.h"
#include "llvm/ADT/STLExtras.h"
#include <functional>

using namespace mlir;
using namespace mlir::qdq;

/// 255 * 128 and 255 * -128 fit in i16.
static constexpr int kMaxSum = 128;

/// The most fours of a group: more gain little.
static constexpr int64_t kMaxGroup = 16;

/// The time of a four without a group, and the units of times here, as measured
/// on Zen 3.
static constexpr int64_t kFour = 100;
/// The same with pairs of i16.
static constexpr int64_t kWideFour = 145;
/// The time of a four that is left over: of another one, and its index.
static constexpr int64_t kRest = 180;

/// The time of a four of a group: vpmaddubsw and vpaddw, and a part of what
/// widens the sums of the group to i32.
static int64_t getTime(int64_t group) {
  if (group <= 2)
    return group == 2 ? 79 : kFour;
  return 59 + 72 / group;
}

namespace {
/// The sums of the positive and of the negative ones of two bytes, or of more.
struct SignedSums {
  int positive = 0, negative = 0;

  void add(ArrayRef<char> pair) {
    for (int8_t byte : pair) {
      positive += std::max<int>(byte, 0);
      negative += std::min<int>(byte, 0);
    }
  }
  bool fit() const { return positive <= kMaxSum && negative >= -kMaxSum; }
  /// The part of the excess of these sums that two bytes can lose, as another
  /// four whose pairs fit in i16.
  SignedSums getLoss(ArrayRef<char> pair) const {
    SignedSums own;
    own.add(pair);
    return {
        std::min({std::max(positive - kMaxSum, 0), own.positive, kMaxSum}),
        std::max({std::min(negative + kMaxSum, 0), own.negative, -kMaxSum})};
  }
  int getSize() const { return positive - negative; }
};
} // namespace

/// Takes as much off two bytes, the second one first. Returns the loss of each.
static std::array<char, 2> take(MutableArrayRef<char> pair, SignedSums loss) {
  std::array<char, 2> taken = {0, 0};
  for (size_t i : {1, 0}) {
    int byte = static_cast<int8_t>(pair[i]);
    int &left = byte > 0 ? loss.positive : loss.negative;
    int part = byte > 0 ? std::min(byte, left) : std::max(byte, left);
    left -= part;
    taken[i] = part;
    pair[i] = byte - part;
  }
  return taken;
}

/// Adds bytes to the sums of the positive and of the negative ones, which hold
/// those of kMaxGroup. Vectors, because a network has millions.
static void addSigns(const char *__restrict bytes,
                     MutableArrayRef<int16_t> positive,
                     MutableArrayRef<int16_t> negative) {
  int16_t *__restrict above = positive.data();
  int16_t *__restrict below = negative.data();
  for (size_t at = 0, end = positive.size(); at < end; ++at) {
    int16_t byte = static_cast<int8_t>(bytes[at]);
    above[at] += std::max<int16_t>(byte, 0);
    below[at] += std::min<int16_t>(byte, 0);
  }
}

/// Takes the excess off a group of fours: `add` gets the four that loses most,
/// and its loss, again and again.
static void splitGroup(MutableArrayRef<char> group, int64_t fourBytes,
                       function_ref<void(int64_t, ArrayRef<char>)> add) {
  int64_t fours = group.size() / fourBytes;
  auto getPair = [&](int64_t four, int64_t at) {
    return group.slice(four * fourBytes + at, 2);
  };
  SmallVector<SignedSums> sums(fourBytes / 2);
  SmallVector<int16_t> positive(fourBytes), negative(fourBytes);
  SmallVector<char> rest(fourBytes);
  while (true) {
    int64_t most = 0, chosen = 0;
    llvm::fill(positive, 0);
    llvm::fill(negative, 0);
    for (int64_t four = 0; four < fours; ++four)
      addSigns(group.data() + four * fourBytes, positive, negative);
    for (int64_t at = 0; at < fourBytes; at += 2)
      sums[at / 2] = {positive[at] + positive[at + 1],
                      negative[at] + negative[at + 1]};
    if (llvm::all_of(sums, std::mem_fn(&SignedSums::fit)))
      return;
    for (int64_t four = 0; four < fours; ++four) {
      int64_t loss = 0;
      for (int64_t at = 0; at < fourBytes; at += 2)
        loss += sums[at / 2].getLoss(getPair(four, at)).getSize();
      if (loss > most)
        std::tie(most, chosen) = std::pair(loss, four);
    }
    for (int64_t at = 0; at < fourBytes; at += 2)
      llvm::copy(
          take(getPair(chosen, at), sums[at / 2].getLoss(getPair(chosen, at))),
          rest.begin() + at);
    add(chosen, rest);
  }
}

/// Splits all bytes in groups of `group` fours. Gives up, with nothing, at more
/// than `most` fours that are left over.
static std::optional<PairRests> splitGroups(MutableArrayRef<char> bytes,
                                            int64_t panels, int64_t fourBytes,
                                            int64_t group, int64_t most) {
  PairRests rests{group, {}, {}, {}};
  int64_t size = bytes.size() / panels, step = group * fourBytes;
  for (int64_t panel = 0; panel < panels; ++panel) {
    rests.starts.push_back(rests.fours.size());
    for (int64_t at = 0; at < size; at += step) {
      splitGroup(bytes.slice(panel * size + at, step), fourBytes,
                 [&](int64_t four, ArrayRef<char> rest) {
                   rests.fours.push_back(at / fourBytes + four);
                   llvm::append_range(rests.bytes, rest);
                 });
      if (int64_t(rests.fours.size()) > most)
        return std::nullopt;
    }
  }
  rests.starts.push_back(rests.fours.size());
  return rests;
}

std::optional<PairRests> mlir::qdq::splitPairs(MutableArrayRef<char> bytes,
                                               int64_t panels,
                                               int64_t fourBytes,
                                               int64_t depthFours) {
  int64_t fours = bytes.size() / fourBytes, least = kWideFour * fours;
  std::optional<PairRests> best;
  SmallVector<char> split;
  for (int64_t group = 1; group <= std::min(depthFours, kMaxGroup); ++group) {
    int64_t time = getTime(group) * fours;
    if (depthFours % group != 0 || time >= least)
      continue;
    SmallVector<char> copy(bytes);
    std::optional<PairRests> rests =
        splitGroups(copy, panels, fourBytes, group, (least - time - 1) / kRest);
    if (!rests)
      continue;
    least = time + kRest * rests->fours.size();
    best = std::move(rests);
    split = std::move(copy);
  }
  if (best)
    llvm::copy(split, bytes.begin());
  return best;
}
