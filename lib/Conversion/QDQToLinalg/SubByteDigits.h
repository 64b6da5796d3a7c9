// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A bit layout as digits of an element's index: which loops choose the
// storage word, and which the sub-byte element in it.

#ifndef QDQ_LIB_CONVERSION_QDQTOLINALG_SUBBYTEDIGITS_H
#define QDQ_LIB_CONVERSION_QDQTOLINALG_SUBBYTEDIGITS_H

#include "IterationSpace.h"
#include "qdq/IR/BitLayout.h"

namespace mlir::qdq {

/// Exists for layouts where no element crosses containers, and whose order only
/// swaps two digits: all presets but 3 bits. Then containers are an operand
/// with a projected permutation for a map, which tiles, fuses and vectorizes.
/// Also for elements that cross containers, such as 6 bits in bytes, in
/// ascending order: the few containers that hold whole elements together, their
/// parts, make one word, and each is an operand of its own. A block is one
/// word.
class SubByteDigits {
public:
  /// For a layout along an axis. With `keepsOps` bodies hold field ops instead
  /// of shifts.
  static std::optional<SubByteDigits> get(const BitLayout &layout,
                                          bool keepsOps = false);

  const BitLayout &getLayout() const { return layout; }

  /// The lengths at which the packed dimension is split, for `IterationSpace`.
  IterationSpace::Splits getSplits(int64_t rank) const;

  /// The elements that fill whole containers, or whole blocks.
  int64_t getUnit() const { return digits.front().stride; }

  /// The containers that make a word: 1 where no element crosses them.
  int64_t getNumParts() const { return parts; }
  /// The integers that hold the bits of one word.
  IntegerType getWordType(ImplicitLocOpBuilder &b) const;

  /// The parts of the words of a value over `space`, lowest first, and how its
  /// loops index them.
  SmallVector<MappedParameter> mapContainers(ImplicitLocOpBuilder &b,
                                             const IterationSpace &space,
                                             Value containers) const;

  /// A loop that counts slots, and the slots of one step.
  struct SlotLoop {
    int64_t loop, extent, slots;
  };
  SmallVector<SlotLoop> getSlotLoops(const IterationSpace &space) const;

  /// In the body of a generic over `space`: the element in the current slot of
  /// the word of these parts.
  Value emitUnpack(ImplicitLocOpBuilder &b, const IterationSpace &space,
                   ValueRange parts, Type element) const;

  /// In the body of a generic over `space`: `word` with `element` in the
  /// current slot, which was empty.
  Value emitPack(ImplicitLocOpBuilder &b, const IterationSpace &space,
                 Value element, Value word) const;

  /// In the body of a generic: part `index` of a word.
  Value emitPart(ImplicitLocOpBuilder &b, Value word, Value index) const;

private:
  /// The unit that a digit of the index counts, from the most significant on.
  enum class Kind { Unit, Container, Slot };
  struct Digit {
    Kind kind;
    /// Elements of one step.
    int64_t stride;
    /// Slots of one step.
    int64_t slots = 0;
  };

  BitLayout layout;
  bool keepsOps = false;
  int64_t parts = 1;
  SmallVector<Digit> digits;

  /// Calls `fn(digit, loop, stride, extent)` for the loops of the packed
  /// dimension; the outermost has no extent (0).
  template <typename Fn>
  void forEachLoop(const IterationSpace &space, Fn fn) const;
};

/// In a body: the code of an element from its stored bits, and back. The
/// layout's offset, and what it says of -0; as `element`.
Value emitFromStored(ImplicitLocOpBuilder &b, const BitLayout &layout,
                     Value stored, Type element);
Value emitToStored(ImplicitLocOpBuilder &b, const BitLayout &layout,
                   Value element);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_QDQTOLINALG_SUBBYTEDIGITS_H
