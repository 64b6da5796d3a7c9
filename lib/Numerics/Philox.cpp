// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Philox4x32-10, on numbers and as ops.

#include "Philox.h"
#include "RealOps.h"

using namespace mlir;
using namespace mlir::qdq;

static constexpr uint32_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
static constexpr uint32_t kKeyStep0 = 0x9E3779B9, kKeyStep1 = 0xBB67AE85;
static constexpr int kRounds = 10;

uint32_t mlir::qdq::evaluatePhilox(uint64_t index, uint64_t seed) {
  uint32_t counter[4] = {uint32_t(index), uint32_t(index >> 32), 0, 0};
  uint32_t key0 = uint32_t(seed), key1 = uint32_t(seed >> 32);
  for (int round = 0; round < kRounds; ++round) {
    uint64_t product0 = uint64_t(kMultiplier0) * counter[0];
    uint64_t product1 = uint64_t(kMultiplier1) * counter[2];
    uint32_t next0 = uint32_t(product1 >> 32) ^ counter[1] ^ key0;
    uint32_t next2 = uint32_t(product0 >> 32) ^ counter[3] ^ key1;
    counter[1] = uint32_t(product1);
    counter[3] = uint32_t(product0);
    counter[0] = next0;
    counter[2] = next2;
    key0 += kKeyStep0;
    key1 += kKeyStep1;
  }
  return counter[0];
}

namespace {
/// One word of the key, which grows by a constant each round: a number, or a
/// value known at run time only.
class KeyWord {
public:
  KeyWord(uint32_t number, uint32_t step) : number(number), step(step) {}
  KeyWord(Value value, uint32_t step) : value(value), step(step) {}

  Value get(ImplicitLocOpBuilder &b, int round, Type type) const {
    uint32_t sum = number + round * step;
    return value ? Value(Scalar(b, value) + sum) : createNumber(b, type, sum);
  }

private:
  Value value;
  uint32_t number = 0;
  uint32_t step;
};
} // namespace

/// The low and the high 32 bits of an i64.
static std::pair<Value, Value> splitWords(const Scalar &v) {
  Type word = v.getBuilder().getI32Type();
  Scalar high = shiftRight(v, 32), low = v.to(word);
  return {low, high.to(word)};
}

/// The low and the high word of a product. Not `arith.mului_extended`, which
/// becomes the same in LLVM, but not on vectors of two or more dimensions
/// (MLIR 22.1: docs/upstream/mului-extended-vectors).
static std::pair<Value, Value> multiplyWords(ImplicitLocOpBuilder &b,
                                             uint32_t multiplier, Value word) {
  return splitWords(Scalar(b, word).toUnsigned(b.getI64Type()) * multiplier);
}

Value mlir::qdq::emitPhilox(ImplicitLocOpBuilder &b, Value index, uint64_t seed,
                            Value runtimeSeed) {
  Type word = withShapeOf(b.getI32Type(), index.getType());
  auto mix = [&](Value high, Value other, Value key) -> Value {
    return Scalar(b, high) ^ other ^ key;
  };
  Value zero = createNumber(b, word, 0);
  auto [low, high] = splitWords({b, index});
  Value counter[4] = {low, high, zero, zero};
  KeyWord key0(uint32_t(seed), kKeyStep0);
  KeyWord key1(uint32_t(seed >> 32), kKeyStep1);
  if (runtimeSeed) {
    auto [low, high] = splitWords({b, runtimeSeed});
    key0 = KeyWord(low, kKeyStep0);
    key1 = KeyWord(high, kKeyStep1);
  }
  for (int round = 0; round < kRounds; ++round) {
    auto [low0, high0] = multiplyWords(b, kMultiplier0, counter[0]);
    auto [low1, high1] = multiplyWords(b, kMultiplier1, counter[2]);
    Value next0 = mix(high1, counter[1], key0.get(b, round, word));
    Value next2 = mix(high0, counter[3], key1.get(b, round, word));
    counter[1] = low1;
    counter[3] = low0;
    counter[0] = next0;
    counter[2] = next2;
  }
  return counter[0];
}
