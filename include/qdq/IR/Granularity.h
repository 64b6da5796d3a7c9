// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which scale and zero point belong to which element: the one view of
// per-tensor, per-axis and blocked parameters.

#ifndef QDQ_IR_GRANULARITY_H
#define QDQ_IR_GRANULARITY_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include <optional>

namespace mlir::qdq {

class Granularity {
public:
  enum class Kind { Tensor, Axis, Block };

  /// From the attributes of an op. No axis and no block shape means per tensor.
  /// `rank` is the rank of the value, or nothing for an unranked tensor. Errors
  /// name the attribute and the rank.
  static FailureOr<Granularity>
  get(std::optional<int64_t> rank, std::optional<int64_t> axis,
      std::optional<ArrayRef<int64_t>> blockShape,
      function_ref<InFlightDiagnostic()> emitError);

  /// Per axis, of a ranked value.
  static Granularity alongAxis(int64_t axis) {
    Granularity result;
    result.kind = Kind::Axis;
    result.axis = axis;
    return result;
  }

  /// In blocks, of a value of as many dimensions.
  static Granularity inBlocks(ArrayRef<int64_t> blockShape) {
    Granularity result;
    result.kind = Kind::Block;
    result.blockShape.assign(blockShape.begin(), blockShape.end());
    return result;
  }

  Kind getKind() const { return kind; }
  bool isTensor() const { return kind == Kind::Tensor; }
  bool isAxis() const { return kind == Kind::Axis; }
  bool isBlock() const { return kind == Kind::Block; }

  /// The dimension of `Axis`: counted from the front, or negative on an
  /// unranked value.
  int64_t getAxis() const { return axis; }

  /// The block length of each dimension of `Block`; 0: the whole dimension is
  /// one block.
  ArrayRef<int64_t> getBlockShape() const { return blockShape; }

  /// The elements of a ranked value that share a parameter along dimension
  /// `dim`; 0: all of them.
  int64_t getGroupLength(int64_t dim) const {
    return isBlock() ? blockShape[dim] : isAxis() && axis == dim ? 1 : 0;
  }

  /// The rank of the parameters.
  int64_t getParameterRank() const {
    return isTensor() ? 0 : isAxis() ? 1 : blockShape.size();
  }

  /// The shape that parameters of a ranked value of this shape have; dynamic
  /// where it depends on a dynamic dimension.
  SmallVector<int64_t> getParameterShape(ArrayRef<int64_t> shape) const;

  /// The same as a map of the sizes: `(d0, d1) -> (d0, d1 ceildiv 32)`.
  AffineMap getParameterShapeMap(int64_t rank, MLIRContext *ctx) const;

  /// Element index to parameter index, for a value of this rank: `(d0, d1) ->
  /// (d0, d1 floordiv 32)`.
  AffineMap getParameterMap(int64_t rank, MLIRContext *ctx) const;

  /// Checks the type of a parameter against the type of the value. `name` is
  /// "scale" or "zero point". A parameter with one element for the whole value
  /// is always right if `allowsTensor`.
  LogicalResult
  verifyParameter(StringRef name, Type value, Type parameter, bool allowsTensor,
                  function_ref<InFlightDiagnostic()> emitError) const;

private:
  Kind kind = Kind::Tensor;
  int64_t axis = 0;
  SmallVector<int64_t> blockShape;
};

/// True for scalars, vectors, and tensors without an encoding, ranked or not.
bool isValueType(Type type);

/// True if the type is a scalar, or a tensor or vector of rank 0.
bool isSingleElement(Type type);

} // namespace mlir::qdq

#endif // QDQ_IR_GRANULARITY_H
