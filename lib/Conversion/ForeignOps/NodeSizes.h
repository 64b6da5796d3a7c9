// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sizes of ONNX nodes that quantize or multiply codes: conversions of the
// nodes around them need those, too.

#ifndef QDQ_LIB_CONVERSION_FOREIGNOPS_NODESIZES_H
#define QDQ_LIB_CONVERSION_FOREIGNOPS_NODESIZES_H

#include "SizeSource.h"

namespace mlir::qdq {

/// The op that stands for operators of other domains than ONNX's.
inline constexpr StringLiteral kCustomOp = "onnx.Custom";

/// The name of an operator: of another domain than ONNX's, "domain.name".
std::string getOperatorName(Operation *node);

/// True for nodes whose result 0 has the sizes of operand 0.
bool keepsSizes(Operation *node);

/// The names of ops that may be such nodes.
ArrayRef<StringLiteral> getNamesThatKeepSizes();

/// The operand that a size of result 0 is told by, and its dimension there;
/// nothing for other nodes.
std::optional<SizeSource> stepThroughNode(Operation *node, int64_t dim);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_FOREIGNOPS_NODESIZES_H
