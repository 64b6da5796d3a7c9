// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The innermost loops of a linalg.generic as lanes of vectors.

#ifndef QDQ_LIB_CODEGEN_VECTORIZE_LANELOOPS_H
#define QDQ_LIB_CODEGEN_VECTORIZE_LANELOOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::qdq {

/// True if the loop counts the fields of a container: its `linalg.index` is a
/// slot in the body.
bool countsFields(linalg::GenericOp op, unsigned loop);

/// The elements of an operand for the iterations of the lane loops.
enum class LaneOperand {
  /// One element.
  Scalar,
  /// An element for each field.
  PerField,
  /// An element for each container.
  PerContainer,
  /// An element for each iteration.
  Full,
  /// The bytes of words, see `LaneLoops::ofWords`.
  Words,
  /// An element for each iteration of the outermost loop: neighboring
  /// containers share it.
  PerPart,
  /// An element for each iteration, fields before containers.
  FieldsFirst,
  /// An element for each iteration of some loops, see `LaneLoops::getSummed`.
  PerSome,
};

/// The part of a word that a map chooses, its last result, if that is constant.
std::optional<int64_t> getWordPart(AffineMap map);

/// The innermost loops of a generic, whose iterations become lanes. Some count
/// the fields of a container: their `linalg.index` is a slot. The
/// iterations of the others count containers.
class LaneLoops {
public:
  /// The lane loops of `op` with at most `maxLanes` iterations, which may be a
  /// part of the outermost one. Nothing if none counts fields, or if an operand
  /// is indexed in another way than `LaneOperand` tells.
  static std::optional<LaneLoops> get(linalg::GenericOp op, int64_t maxLanes);

  /// The innermost loops of a sum, all of them reductions, with at most
  /// `maxLanes` iterations; fields or none. The outermost may be a part that
  /// divides it. The innermost counts containers if one operand has fields
  /// along it and another one containers: the former's are spread.
  static std::optional<LaneLoops> getSummed(linalg::GenericOp op,
                                            int64_t maxLanes);

  /// The fields of a container, innermost, and at most `maxContainers`
  /// iterations of the loop around them: a multiple of `lanes`, if it has as
  /// many.
  static std::optional<LaneLoops> getFields(linalg::GenericOp op, int64_t lanes,
                                            int64_t maxContainers);

  /// The `count` innermost loops of a tile.
  static LaneLoops ofTile(linalg::GenericOp tile, unsigned count);

  /// A word is a container of as many bytes.
  static constexpr int64_t kWordBytes = 4, kWordBits = 32;
  /// The `count` innermost loops of a tile whose containers are words: the
  /// innermost two, over the bytes of a word and the fields of a byte, both
  /// count fields.
  static LaneLoops ofWords(linalg::GenericOp tile, unsigned count);
  bool hasWords() const { return isWords; }
  /// The byte of a word that has this field.
  int64_t getWordByte(int64_t field) const {
    return field / (numFields / kWordBytes);
  }

  unsigned getNumLoops() const { return sizes.size(); }
  /// The sizes of a tile: 1 for the loops outside, 0 for loops that stay whole.
  SmallVector<int64_t> getTileSizes(linalg::GenericOp op) const;

  int64_t getNumFields() const { return numFields; }
  int64_t getNumContainers() const { return numContainers; }
  int64_t getNumLanes() const { return numFields * numContainers; }

  /// Iterations of a lane loop in one tile.
  int64_t getSize(unsigned loop) const { return sizes[loop - first]; }

  bool isLane(unsigned loop) const { return loop >= first; }
  bool isField(unsigned loop) const { return fields[loop - first]; }

  /// Elements of an operand with this map. A constant behind its other results
  /// chooses one of the containers that make a word.
  std::optional<LaneOperand> classify(AffineMap map) const;
  /// The shape of what an operand with this map holds; of a word, one part.
  SmallVector<int64_t> getShape(AffineMap map) const;

  /// The field and the container of a lane.
  std::pair<int64_t, int64_t> getFieldAndContainer(int64_t lane) const;
  /// The value of a lane loop in a field or container of this number.
  int64_t getIteration(unsigned loop, int64_t number) const;

private:
  explicit LaneLoops(linalg::GenericOp op);
  void add(int64_t size, bool isField);
  /// Takes in the next loop outside, unless an operand does not fit then.
  bool tryAdd(linalg::GenericOp op, int64_t size, bool isField);

  unsigned first = 0;
  /// Outermost first.
  SmallVector<int64_t> sizes;
  SmallVector<bool> fields;
  int64_t numFields = 1, numContainers = 1;
  bool isWords = false;
  /// Operands may be indexed by any of the loops, in their order.
  bool isSum = false;
};

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_VECTORIZE_LANELOOPS_H
