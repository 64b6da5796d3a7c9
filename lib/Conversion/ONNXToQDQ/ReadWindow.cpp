// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The attributes of ONNX's convolutions and pools.

#include "ReadWindow.h"

using namespace mlir;
using namespace mlir::qdq;

/// Beyond this, sums of sizes might overflow.
static constexpr int64_t kMaxStep = int64_t(1) << 31;

FailureOr<SmallVector<int64_t>>
mlir::qdq::readSteps(const ForeignOp &node, StringRef name, size_t count,
                     int64_t lowest, int64_t fallback) {
  SmallVector<int64_t> result(count, fallback);
  if (!node.has(name))
    return result;
  FailureOr<SmallVector<int64_t>> list = node.getIntegers(name);
  if (failed(list))
    return failure();
  if (list->empty())
    return result;
  if (list->size() != count)
    return node.refuse("attribute '", name, "' has ", list->size(),
                       " numbers: expected ", count);
  for (int64_t value : *list)
    if (value < lowest || value > kMaxStep)
      return node.refuse("attribute '", name, "' has ", value,
                         ": expected numbers from ", lowest, " to 2^31");
  return list;
}

static LogicalResult readKernel(const ForeignOp &node, Window &window,
                                ArrayRef<int64_t> kernel) {
  auto given = readSteps(node, "kernel_shape", window.getRank(), 1,
                         ShapedType::kDynamic);
  if (failed(given))
    return failure();
  window.kernel = *given;
  for (auto [dim, size] : llvm::enumerate(kernel)) {
    int64_t &known = window.kernel[dim];
    if (differ(known, size))
      return node.refuse("kernel_shape has ", known, " in dimension ", dim,
                         ": expected ", size, ", as in the filter");
    if (ShapedType::isDynamic(known))
      known = size;
  }
  if (ShapedType::isDynamicShape(window.kernel) && kernel.empty())
    return node.refuse("has no attribute 'kernel_shape'");
  return success();
}

FailureOr<Window> mlir::qdq::readWindow(const ForeignOp &node,
                                        ArrayRef<int64_t> sizes,
                                        ArrayRef<int64_t> kernel) {
  size_t rank = sizes.size();
  if (rank < 1 || rank > 3)
    return node.refuse("has ", rank, " spatial dimensions: expected 1 to 3");
  Reader read;
  Window window;
  window.strides = read(readSteps(node, "strides", rank, 1, 1));
  window.dilations = read(readSteps(node, "dilations", rank, 1, 1));
  auto pads = read(readSteps(node, "pads", 2 * rank, 0, 0));
  StringRef autoPad = read(node.getString("auto_pad", "NOTSET"));
  window.hasCeilMode = read(node.getInteger("ceil_mode", 0)) != 0;
  if (failed(read))
    return failure();
  if (failed(readKernel(node, window, kernel)))
    return failure();
  window.padLow.assign(rank, 0);
  window.padHigh.assign(rank, 0);
  if (autoPad == "NOTSET" || autoPad.empty()) {
    window.padLow.assign(pads.begin(), pads.begin() + rank);
    window.padHigh.assign(pads.begin() + rank, pads.end());
  } else if (autoPad == "SAME_UPPER" || autoPad == "SAME_LOWER") {
    window.isLower = autoPad == "SAME_LOWER";
    if (failed(setSamePadding(node, window, sizes)))
      return failure();
  } else if (autoPad != "VALID") {
    return node.refuse("auto_pad is '", autoPad,
                       "': expected NOTSET, SAME_UPPER, SAME_LOWER or VALID");
  }
  if (failed(checkWindow(node, window, sizes)))
    return failure();
  return window;
}
