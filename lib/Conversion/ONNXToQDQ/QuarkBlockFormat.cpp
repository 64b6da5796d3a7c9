// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading of the attributes. Defaults are those of Quark's kernels.

#include "QuarkBlockFormat.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::qdq;

/// A tensor of one dimension has no other axis, whatever the node says.
static FailureOr<int64_t> readAxis(const ForeignOp &node,
                                   RankedTensorType input) {
  FailureOr<int64_t> axis = node.getInteger("axis", 1);
  int64_t rank = input.getRank();
  if (failed(axis))
    return failure();
  if (rank < 2)
    return 0;
  if (*axis < -rank || *axis >= rank)
    return node.refuse("axis is ", *axis, ", out of range for input ", input,
                       ": expected ", -rank, " to ", rank - 1);
  return *axis < 0 ? *axis + rank : *axis;
}

static FailureOr<int64_t> readBlock(const ForeignOp &node, int64_t fallback) {
  FailureOr<int64_t> block = node.getInteger("block_size", fallback);
  if (succeeded(block) && *block < 1)
    return node.refuse("block_size is ", *block, ": expected 1 or more");
  return block;
}

/// Quark's names: STD_ROUND, DPU_ROUND, PY3_ROUND.
static FailureOr<Rounding> readRounding(const ForeignOp &node) {
  constexpr Rounding kModes[] = {Rounding::NearestAway, Rounding::NearestUp,
                                 Rounding::NearestEven};
  FailureOr<int64_t> mode = node.getInteger("rounding_mode", 0);
  if (failed(mode))
    return failure();
  if (*mode < 0 || *mode >= int64_t(std::size(kModes)))
    return node.refuse("rounding_mode is ", *mode,
                       ": expected 0 (half away from zero), 1 (half up) or 2 "
                       "(half to even)");
  return kModes[*mode];
}

/// How the kernels' roundings of floats to integers leave the sign of zero.
static ZeroSign getZeroSign(Rounding rounding) {
  return rounding == Rounding::NearestEven ? ZeroSign::OfZeroInput
                                           : ZeroSign::OfInput;
}

/// The sub-blocks of BFP prime.
static LogicalResult readSubBlocks(const ForeignOp &node,
                                   QuarkBlockFormat &format) {
  FailureOr<int64_t> size = node.getInteger("sub_block_size", 2);
  FailureOr<int64_t> shiftBits = node.getInteger("sub_block_shift_bits", 1);
  if (failed(size) || failed(shiftBits))
    return failure();
  if (*size < 1 || format.block % *size != 0)
    return node.refuse("sub_block_size is ", *size,
                       ": expected a divisor of block_size, which is ",
                       format.block);
  if (*shiftBits < 0 || *shiftBits > 30)
    return node.refuse("sub_block_shift_bits is ", *shiftBits,
                       ": expected 0 to 30");
  format.subBlock = *size;
  // Exponents of f32 differ by less than 255.
  format.maxShift = std::min<int64_t>((int64_t(1) << *shiftBits) - 1, 255);
  format.zeroSign = ZeroSign::OfInput;
  return success();
}

FailureOr<QuarkBlockFormat> mlir::qdq::readBFPFormat(const ForeignOp &node,
                                                     RankedTensorType input) {
  FailureOr<StringRef> method = node.getString("bfp_method", "to_bfp");
  FailureOr<int64_t> axis = readAxis(node, input);
  FailureOr<int64_t> width = node.getInteger("bit_width", 16);
  FailureOr<int64_t> block = readBlock(node, 8);
  FailureOr<Rounding> rounding = readRounding(node);
  FailureOr<int64_t> bfloat =
      node.getInteger("convert_to_bfloat_before_bfp", 0);
  FailureOr<int64_t> raised =
      node.getInteger("use_compiler_version_cpu_kernel", 0);
  if (failed(method) || failed(axis) || failed(width) || failed(block) ||
      failed(rounding) || failed(bfloat) || failed(raised))
    return failure();
  bool isPrime = *method == "to_bfp_prime" || *method == "to_bfp_prime_shared";
  if (!isPrime && *method != "to_bfp")
    return node.refuse("bfp_method is '", *method,
                       "': expected to_bfp or to_bfp_prime");
  // A sign, 8 bits of the shared exponent, and the magnitude.
  if (*width < 10 || *width > 32)
    return node.refuse("bit_width is ", *width, ": expected 10 to 32");
  int64_t magnitude = *width - 9;
  // The kernel compares with 128, whatever the width.
  bool isRaised = !isPrime && *raised != 0;
  if (isRaised && *width != 16)
    return node.refuse("bit_width is ", *width,
                       " with use_compiler_version_cpu_kernel: expected 16");

  QuarkBlockFormat format;
  Builder &b = node.getRewriter();
  format.axis = *axis;
  format.block = *block;
  format.storage = b.getIntegerType(magnitude + 1);
  int64_t highest = (int64_t(1) << magnitude) - 1;
  if (!isRaised)
    format.clamp = b.getDenseI64ArrayAttr({-highest, highest});
  format.exponent = magnitude - 1;
  format.rounding = *rounding;
  format.zeroSign = getZeroSign(*rounding);
  format.isBFloat = *bfloat != 0;
  format.isRaised = isRaised;
  if (isPrime && failed(readSubBlocks(node, format)))
    return failure();
  return format;
}

FailureOr<QuarkBlockFormat> mlir::qdq::readMXFormat(const ForeignOp &node,
                                                    RankedTensorType input) {
  FailureOr<StringRef> element = node.getString("element_dtype", "int8");
  FailureOr<int64_t> axis = readAxis(node, input);
  FailureOr<int64_t> block = readBlock(node, 32);
  FailureOr<Rounding> rounding = readRounding(node);
  if (failed(element) || failed(axis) || failed(block) || failed(rounding))
    return failure();
  MLIRContext *ctx = input.getContext();
  struct Element {
    Type type;
    int64_t exponent; // of its largest value, or of the codes of 2^0
  };
  auto known = llvm::StringSwitch<Element>(*element)
                   .Case("int8", {IntegerType::get(ctx, 8), 6})
                   .Case("fp8_e5m2", {Float8E5M2Type::get(ctx), 15})
                   .Case("fp8_e4m3", {Float8E4M3FNType::get(ctx), 8})
                   .Case("fp6_e3m2", {Float6E3M2FNType::get(ctx), 4})
                   .Case("fp6_e2m3", {Float6E2M3FNType::get(ctx), 2})
                   .Case("fp4_e2m1", {Float4E2M1FNType::get(ctx), 2})
                   .Default({nullptr, 0});
  if (!known.type)
    return node.refuse("element_dtype is '", *element,
                       "': expected int8, fp8_e5m2, fp8_e4m3, fp6_e3m2, "
                       "fp6_e2m3 or fp4_e2m1");
  QuarkBlockFormat format;
  format.axis = *axis;
  format.block = *block;
  format.storage = known.type;
  format.exponent = known.exponent;
  // Floats know one rounding.
  bool isFloat = isa<FloatType>(known.type);
  format.rounding = isFloat ? Rounding::NearestEven : *rounding;
  format.zeroSign = isFloat ? ZeroSign::Positive : getZeroSign(*rounding);
  return format;
}
