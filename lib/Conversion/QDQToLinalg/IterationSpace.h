// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loops of a qdq op on a ranked tensor: which dimensions are split into
// blocks, and how parameters are indexed.

#ifndef QDQ_LIB_CONVERSION_QDQTOLINALG_ITERATIONSPACE_H
#define QDQ_LIB_CONVERSION_QDQTOLINALG_ITERATIONSPACE_H

#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "qdq/Conversion/QDQToLinalg/QDQToLinalg.h"
#include "qdq/IR/Granularity.h"

namespace mlir::qdq {

/// A parameter as an operand of a `linalg.generic`.
struct MappedParameter {
  Value tensor;
  AffineMap map;
};

/// One dimension of a parameter: its index is that of dimension `dim` of the
/// value over `length`. Length 0: all indices share one.
struct ParameterDim {
  int64_t dim, length;
};

class IterationSpace {
public:
  /// How one dimension of the value meets the parameters.
  enum class Role {
    /// All indices share one parameter.
    Whole,
    /// Each index has its own.
    Each,
    /// Blocks of a length that divides: the dimension becomes (blocks, block
    /// length).
    Split,
    /// Blocks that do not divide the dimension, or may not: `floordiv` in the
    /// parameter's map.
    Floor
  };

  /// For each dimension, the lengths at which it is split.
  using Splits = SmallVector<SmallVector<int64_t>>;

  /// For a value of this type with parameters of this granularity;
  /// `parameterType` is that of a parameter with one element per group. The
  /// dimensions are also split at those of `wishes` that fit the blocks and the
  /// static size. With `isPadded` all blocks are known to divide, dynamic
  /// dimensions included. Fails, with a `reason`, only where
  /// `BlockForm::Expand` cannot be met.
  static FailureOr<IterationSpace>
  get(RankedTensorType type, const Granularity &granularity, Type parameterType,
      BlockForm form, std::string &reason, const Splits &wishes = {},
      bool isPadded = false);

  /// Without parameters. `lengths` divide each other and the dimensions.
  static IterationSpace get(RankedTensorType type, const Splits &lengths,
                            const Splits &wishes);

  int64_t getNumLoops() const { return numLoops; }
  Role getRole(int64_t dim) const { return dims[dim].role; }
  /// The loops of a dimension of the value, outermost first.
  ArrayRef<int64_t> getLoops(int64_t dim) const { return dims[dim].loops; }
  /// For each loop of a dimension, what one step of it adds to the index.
  ArrayRef<int64_t> getStrides(int64_t dim) const { return dims[dim].strides; }
  /// The static extents of all loops of a dimension but the outermost.
  SmallVector<int64_t> getInnerExtents(int64_t dim) const;

  /// Reshapes a tensor of the value's shape to the loops. Free where nothing is
  /// split.
  Value expand(ImplicitLocOpBuilder &b, Value value) const;
  /// The inverse, to `type`.
  Value collapse(ImplicitLocOpBuilder &b, Value expanded,
                 RankedTensorType type) const;
  /// The extents of the loops, for a value of these sizes.
  SmallVector<OpFoldResult> getExtents(ImplicitLocOpBuilder &b,
                                       ArrayRef<OpFoldResult> sizes) const;

  /// How the dimensions of a parameter with one element per group lie in the
  /// value.
  SmallVector<ParameterDim> getParameterDims() const;

  /// True if the parameter's map is a projected permutation.
  bool isProjected(ArrayRef<ParameterDim> parameterDims) const;

  /// The parameter without the dimensions that all indices share, and its map
  /// from the loops.
  MappedParameter mapParameter(ImplicitLocOpBuilder &b, Value parameter,
                               ArrayRef<ParameterDim> parameterDims) const;

private:
  struct Dimension {
    Role role = Role::Whole;
    /// Of a block; 0 without one.
    int64_t length = 0;
    ReassociationIndices loops;
    SmallVector<int64_t> strides;
  };
  /// Gives a dimension its loops.
  void split(int64_t dim, SmallVector<int64_t> strides);

  SmallVector<Dimension> dims;
  int64_t numLoops = 0;
  bool expanded = false;
  /// The dimension of a per-axis parameter, or nothing.
  std::optional<int64_t> axis;
};

/// Splits each dimension into a first one and these static inner ones, which
/// divide it.
Value splitDims(ImplicitLocOpBuilder &b, Value value,
                ArrayRef<SmallVector<int64_t>> innerExtents);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_QDQTOLINALG_ITERATIONSPACE_H
