// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of bytes in the raw data of constants.

#ifndef QDQ_IR_RAWBYTES_H
#define QDQ_IR_RAWBYTES_H

#include "llvm/ADT/bit.h"

namespace mlir::qdq {

/// The lowest bit that byte `index` holds of an integer of `numBytes`.
/// `DenseElementsAttr::getRawData` and resources have the order of the host.
constexpr unsigned
getBitOfByte(unsigned index, unsigned numBytes,
             llvm::endianness order = llvm::endianness::native) {
  return 8 * (order == llvm::endianness::big ? numBytes - 1 - index : index);
}

} // namespace mlir::qdq

#endif // QDQ_IR_RAWBYTES_H
