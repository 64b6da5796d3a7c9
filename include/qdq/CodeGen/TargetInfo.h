// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The processor that code is generated for.

#ifndef QDQ_CODEGEN_TARGETINFO_H
#define QDQ_CODEGEN_TARGETINFO_H

#include "mlir/IR/BuiltinOps.h"
#include "qdq/CodeGen/ByteDots.h"
#include "qdq/Pipelines/NativeTarget.h"
#include "llvm/ADT/EnumeratedArray.h"

namespace mlir::qdq {

/// Code that some processors have better instructions for. No strategy changes
/// a bit of a result.
enum class Strategy {
  /// Products of bytes, added in pairs or fours.
  ByteDots,
  /// Look-ups of codes as permutations of lanes.
  LookupTables,
  /// Casts of floats of 8 bits by instructions.
  NativeCasts,
  /// Divisions by a scale as products with its reciprocal, corrected.
  Reciprocals,
  /// Bytes made by packs that saturate.
  SaturatingPacks,
  /// Stores of large results past the caches.
  StreamStores,
  /// Floats of 8 bits converted by way of f16.
  ThroughF16,
  Last = ThroughF16
};

/// The facts about a processor that code generation asks for. LLVM's tables
/// tell them.
class TargetInfo {
public:
  /// An unknown processor.
  TargetInfo() : strategies(false) {}

  /// The processor that `llvm.target` names on the module around `op`, without
  /// the strategies that `qdq.without` lists there. No strategy applies to a
  /// module without `llvm.target`. Fails, with an error at the module, if LLVM
  /// does not know the triple, the processor or a feature.
  static FailureOr<TargetInfo> get(Operation *op);

  bool uses(Strategy strategy) const { return strategies[strategy]; }

  /// The bits of vectors for `Strategy::ByteDots`, at most `vectorBits`. 0
  /// without the strategy.
  int64_t getByteDotBits(int64_t vectorBits) const {
    return uses(Strategy::ByteDots) ? std::min(vectorBits, byteDotBits) : 0;
  }

  /// The instructions for `Strategy::ByteDots`.
  ByteDots getByteDots() const { return byteDots; }

  /// The vector registers of the processor.
  int64_t getVectorRegisters() const { return vectorRegisters; }

  /// The instructions for `Strategy::NativeCasts`.
  NativeTarget getNativeCasts() const { return nativeCasts; }

  /// False if LLVM calls a library to convert f16 from and to f32. True for an
  /// unknown processor.
  bool hasF16Casts() const { return f16Casts; }

  /// False if LLVM calls a library to multiply and add f32 with one rounding.
  /// True for an unknown processor.
  bool hasFma() const { return fma; }

private:
  llvm::EnumeratedArray<bool, Strategy> strategies;
  int64_t byteDotBits = 0;
  int64_t vectorRegisters = 32;
  ByteDots byteDots = ByteDots::None;
  NativeTarget nativeCasts = NativeTarget::None;
  bool f16Casts = true;
  bool fma = true;
};

/// A processor, as LLVM's tools name it.
struct TargetNames {
  /// Empty: that of the module's `llvm.target`, or else of this machine.
  std::string triple;
  /// A processor, or `native` for this machine's. Empty: the plainest.
  std::string cpu;
  /// `+avx2,-fma`: features on top of those of `cpu`.
  std::string features;
  /// `lookup-tables,byte-dots`: strategies not to use.
  std::string without;
};

/// Writes `llvm.target` and `qdq.without` to `module`. `native` is resolved. A
/// module keeps its `llvm.target` if `names` names no processor. Fails as
/// `TargetInfo::get`, and for an unknown strategy.
LogicalResult attachTarget(ModuleOp module, const TargetNames &names);

} // namespace mlir::qdq

#endif // QDQ_CODEGEN_TARGETINFO_H
