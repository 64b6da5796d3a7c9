// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The quantize of a contraction's result as a requantize of its sums, or, where
// these are reals, as a quantize of them.

#ifndef QDQ_LIB_TRANSFORMS_CONTRACTIONS_REQUANTIZATION_H
#define QDQ_LIB_TRANSFORMS_CONTRACTIONS_REQUANTIZATION_H

#include "Epilogue.h"
#include "IntegerContraction.h"
#include "qdq/Numerics/CodeDifference.h"

namespace mlir::qdq {

/// The requantize that replaces a quantize.
class Requantization {
public:
  /// Fails, with a reason, where `rescale` cannot be done exactly as it is
  /// defined, or where what stands between is no integer bias and bounds.
  static FailureOr<Requantization> get(QuantizeOp op, Epilogue epilogue,
                                       Rescale rescale, std::string &reason);

  /// The largest difference to the codes of the real numbers, over all sums.
  /// Nothing where parameters are no constants, codes do not saturate, or sums
  /// are reals.
  std::optional<CodeDifference> measureDifference();

  /// Builds the sums and their codes.
  Value emit(ImplicitLocOpBuilder &b);

private:
  QuantizeOp op;
  Epilogue epilogue;
  Rescale rescale;
  IntegerContraction integers;
  /// Those of the quantize.
  LoopParameter scale, zeroPoint;
  AffineMap biasMap;
  SemanticsAttr semantics;
  DenseI64ArrayAttr clamp;
  /// Multipliers that are known, by the elements of the space of the
  /// scales: floats,
  /// or integers with shifts.
  SmallVector<Attribute> multipliers, shifts, fractions;
  std::optional<int64_t> limit;
  /// The largest magnitude of a sum.
  uint64_t magnitude = 0;
  /// By block and element of the space of the scales, where they are known: the
  /// multipliers, or what `exact` multiplies the integers of a block by.
  SmallVector<APFloat> blockMultipliers;
  SmallVector<APInt> blockWeights;

  // FloatReductions.cpp
  bool hasFloatReductions();
  LogicalResult findFloatReductions(std::string &reason);
  LogicalResult findBlockWeights(std::string &reason);
  Value emitFloatReductions(ImplicitLocOpBuilder &b);
  Value emitWeightedSums(ImplicitLocOpBuilder &b);
  Value emitCodes(ImplicitLocOpBuilder &b, Value floatReductions);
  template <typename T>
  LoopParameter createBlockConstant(ImplicitLocOpBuilder &b, Type elementType,
                                    ArrayRef<T> elements);

  /// The codes of the bias; null without one.
  Value getIntegerBias() {
    return epilogue.bias ? epilogue.bias.getInput() : Value();
  }

  LogicalResult findParameters(std::string &reason);
  LogicalResult findBias(std::string &reason);
  LogicalResult findIntegerBias(std::string &reason);
  LogicalResult findClamp(std::string &reason);
  std::optional<std::pair<int64_t, int64_t>>
  getBoundCodes(const Semantics &resolved, APFloat step,
                const ZeroPointNumber &zero, std::string &reason);
  LogicalResult findMultipliers(std::string &reason);
  LogicalResult findExactMultipliers(ArrayRef<RescaleScales> channels,
                                     std::string &reason);
  RescaleNumbers getNumbers(const RescaleScales &scales);
  FloatType getMultiplierType();
  APFloat getFloatMultiplier(const RescaleScales &scales);
  SmallVector<LoopParameter> getScales();
  /// The scales at the indices of all loops, and in a block of the sums, where
  /// they are constant; else null.
  std::function<RescaleScales(ArrayRef<int64_t>, int64_t block)>
  getConstantScales();
  ParameterSpace getSpace(ArrayRef<OpFoldResult> sizes,
                          ArrayRef<LoopParameter> parameters);
  /// Sizes that are dynamic are negative.
  ParameterSpace getStaticSpace(ArrayRef<LoopParameter> parameters);
};

} // namespace mlir::qdq

#endif // QDQ_LIB_TRANSFORMS_CONTRACTIONS_REQUANTIZATION_H
