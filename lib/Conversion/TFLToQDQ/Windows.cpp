// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Windows over [batch, height, width, channels].

#include "Windows.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::qdq;

FailureOr<Window> mlir::qdq::readWindow2D(const ForeignOp &op,
                                          RankedTensorType input,
                                          ArrayRef<int64_t> kernel) {
  if (input.getRank() != 4)
    return op.refuse("input has type ", input,
                     ": expected [batch, height, width, channels]");
  Window window;
  window.kernel.assign(kernel.begin(), kernel.end());
  for (auto [list, names] :
       {std::pair(&window.strides, std::pair("stride_h", "stride_w")),
        {&window.dilations,
         std::pair("dilation_h_factor", "dilation_w_factor")}})
    for (StringRef name : {names.first, names.second}) {
      FailureOr<int64_t> step = op.getInteger(name, 1);
      if (failed(step))
        return failure();
      if (*step < 1 || *step > INT32_MAX)
        return op.refuse("attribute '", name, "' is ", *step,
                         ": expected a positive number of 32 bits");
      list->push_back(*step);
    }
  FailureOr<StringRef> padding = op.getString("padding", "SAME");
  if (failed(padding))
    return failure();
  window.padLow.assign(2, 0);
  window.padHigh.assign(2, 0);
  ArrayRef<int64_t> sizes = input.getShape().slice(1, 2);
  if (*padding == "SAME") {
    if (failed(setSamePadding(op, window, sizes)))
      return failure();
  } else if (*padding != "VALID") {
    return op.refuse("padding is '", *padding, "': expected SAME or VALID");
  }
  if (failed(checkWindow(op, window, sizes)))
    return failure();
  return window;
}

FailureOr<Window> mlir::qdq::readPoolWindow(const ForeignOp &op,
                                            RankedTensorType input) {
  SmallVector<int64_t> kernel;
  for (StringRef name : {"filter_height", "filter_width"}) {
    FailureOr<int64_t> size = op.getInteger(name, 0);
    if (failed(size))
      return failure();
    if (*size < 1 || *size > INT16_MAX)
      return op.refuse("attribute '", name, "' is ", *size,
                       ": expected a positive number of 15 bits");
    kernel.push_back(*size);
  }
  return readWindow2D(op, input, kernel);
}

Windowed mlir::qdq::padWindows(const ForeignOp &op, Value codes,
                               const Window &window,
                               const ForeignTensor &padding) {
  WindowSizes sizes = getWindowSizes(op, window, codes, /*first=*/1);
  return {padCodes(op, codes, padding, /*first=*/1, sizes.low, sizes.high),
          llvm::to_vector(ArrayRef(sizes.result).slice(1, 2))};
}

LogicalResult mlir::qdq::checkWindowResult(const ForeignOp &op,
                                           const CodeType &input,
                                           const Window &window,
                                           int64_t channels,
                                           const CodeType &result) {
  ArrayRef<int64_t> sizes = input.type.getShape();
  int64_t shape[] = {sizes[0], window.getOutputSize(0, sizes[1]),
                     window.getOutputSize(1, sizes[2]), channels};
  if (succeeded(verifyCompatibleShape(shape, result.type.getShape())))
    return success();
  return op.refuse("result has type ", result.type, ": expected the shape ",
                   RankedTensorType::get(shape, result.getStorage()));
}

std::optional<SmallVector<int64_t>>
mlir::qdq::countInside(const Window &window, int64_t dim, int64_t size) {
  int64_t kernel = window.kernel[dim];
  if (window.padLow[dim] == 0 && window.padHigh[dim] == 0)
    return SmallVector<int64_t>{kernel};
  if (ShapedType::isDynamic(size))
    return std::nullopt;
  SmallVector<int64_t> counts;
  for (int64_t place = 0; place < window.getOutputSize(dim, size); ++place) {
    int64_t begin = place * window.strides[dim] - window.padLow[dim];
    counts.push_back(std::min(begin + kernel, size) -
                     std::max<int64_t>(begin, 0));
  }
  if (llvm::all_equal(counts))
    counts.truncate(1);
  return counts;
}
