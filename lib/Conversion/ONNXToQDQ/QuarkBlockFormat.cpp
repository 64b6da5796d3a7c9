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
  if (failed(axis))
    return failure();
  if (input.getRank() < 2)
    return 0;
  return normalizeAxis(node, *axis, input.getRank(), "axis is ", *axis,
                       ", out of range for input ", input);
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
  Reader read;
  format.subBlock = read(node.getInteger("sub_block_size", 2));
  int64_t shiftBits = read(node.getInteger("sub_block_shift_bits", 1));
  if (failed(read))
    return failure();
  if (format.subBlock < 1 || format.block % format.subBlock != 0)
    return node.refuse("sub_block_size is ", format.subBlock,
                       ": expected a divisor of block_size, which is ",
                       format.block);
  if (shiftBits < 0 || shiftBits > 30)
    return node.refuse("sub_block_shift_bits is ", shiftBits,
                       ": expected 0 to 30");
  // Exponents of f32 differ by less than 255.
  format.maxShift = std::min<int64_t>((int64_t(1) << shiftBits) - 1, 255);
  format.zeroSign = ZeroSign::OfInput;
  return success();
}

FailureOr<QuarkBlockFormat> mlir::qdq::readBFPFormat(const ForeignOp &node,
                                                     RankedTensorType input) {
  Reader read;
  QuarkBlockFormat format;
  StringRef method = read(node.getString("bfp_method", "to_bfp"));
  format.axis = read(readAxis(node, input));
  int64_t width = read(node.getInteger("bit_width", 16));
  format.block = read(readBlock(node, 8));
  format.rounding = read(readRounding(node));
  format.isBFloat =
      read(node.getInteger("convert_to_bfloat_before_bfp", 0)) != 0;
  int64_t raised = read(node.getInteger("use_compiler_version_cpu_kernel", 0));
  if (failed(read))
    return failure();
  bool isPrime = method == "to_bfp_prime" || method == "to_bfp_prime_shared";
  if (!isPrime && method != "to_bfp")
    return node.refuse("bfp_method is '", method,
                       "': expected to_bfp or to_bfp_prime");
  // A sign, 8 bits of the shared exponent, and the magnitude.
  if (width < 10 || width > 32)
    return node.refuse("bit_width is ", width, ": expected 10 to 32");
  int64_t magnitude = width - 9;
  // The kernel compares with 128, whatever the width.
  format.isRaised = !isPrime && raised != 0;
  if (format.isRaised && width != 16)
    return node.refuse("bit_width is ", width,
                       " with use_compiler_version_cpu_kernel: expected 16");

  Builder &b = node.getRewriter();
  format.storage = b.getIntegerType(magnitude + 1);
  int64_t highest = (int64_t(1) << magnitude) - 1;
  if (!format.isRaised)
    format.clamp = b.getDenseI64ArrayAttr({-highest, highest});
  format.exponent = magnitude - 1;
  format.zeroSign = getZeroSign(format.rounding);
  if (isPrime && failed(readSubBlocks(node, format)))
    return failure();
  return format;
}

FailureOr<QuarkBlockFormat> mlir::qdq::readMXFormat(const ForeignOp &node,
                                                    RankedTensorType input) {
  Reader read;
  QuarkBlockFormat format;
  StringRef element = read(node.getString("element_dtype", "int8"));
  format.axis = read(readAxis(node, input));
  format.block = read(readBlock(node, 32));
  format.rounding = read(readRounding(node));
  if (failed(read))
    return failure();
  MLIRContext *ctx = input.getContext();
  struct Element {
    Type type;
    int64_t exponent; // of its largest value, or of the codes of 2^0
  };
  auto known = llvm::StringSwitch<Element>(element)
                   .Case("int8", {IntegerType::get(ctx, 8), 6})
                   .Case("fp8_e5m2", {Float8E5M2Type::get(ctx), 15})
                   .Case("fp8_e4m3", {Float8E4M3FNType::get(ctx), 8})
                   .Case("fp6_e3m2", {Float6E3M2FNType::get(ctx), 4})
                   .Case("fp6_e2m3", {Float6E2M3FNType::get(ctx), 2})
                   .Case("fp4_e2m1", {Float4E2M1FNType::get(ctx), 2})
                   .Default({nullptr, 0});
  if (!known.type)
    return node.refuse("element_dtype is '", element,
                       "': expected int8, fp8_e5m2, fp8_e4m3, fp6_e3m2, "
                       "fp6_e2m3 or fp4_e2m1");
  format.storage = known.type;
  format.exponent = known.exponent;
  format.zeroSign = getZeroSign(format.rounding);
  // Floats know one rounding.
  if (isa<FloatType>(known.type)) {
    format.rounding = Rounding::NearestEven;
    format.zeroSign = ZeroSign::Positive;
  }
  return format;
}
