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

Value mlir::qdq::emitPhilox(ImplicitLocOpBuilder &b, Value index,
                            uint64_t seed) {
  Type word = withShapeOf(b.getI32Type(), index.getType());
  auto constant = [&](uint32_t value) { return intConstant(b, value, word); };
  auto mix = [&](Value high, Value other, uint32_t key) -> Value {
    return arith::XOrIOp::create(b, arith::XOrIOp::create(b, high, other),
                                 constant(key));
  };
  Value thirtyTwo = intConstant(b, 32, index.getType());
  Value zero = constant(0);
  Value counter[4] = {arith::TruncIOp::create(b, word, index),
                      arith::TruncIOp::create(
                          b, word, arith::ShRUIOp::create(b, index, thirtyTwo)),
                      zero, zero};
  uint32_t key0 = uint32_t(seed), key1 = uint32_t(seed >> 32);
  Value multiplier0 = constant(kMultiplier0);
  Value multiplier1 = constant(kMultiplier1);
  for (int round = 0; round < kRounds; ++round) {
    auto product0 = arith::MulUIExtendedOp::create(b, multiplier0, counter[0]);
    auto product1 = arith::MulUIExtendedOp::create(b, multiplier1, counter[2]);
    Value next0 = mix(product1.getHigh(), counter[1], key0);
    Value next2 = mix(product0.getHigh(), counter[3], key1);
    counter[1] = product1.getLow();
    counter[3] = product0.getLow();
    counter[0] = next0;
    counter[2] = next2;
    key0 += kKeyStep0;
    key1 += kKeyStep1;
  }
  return counter[0];
}
