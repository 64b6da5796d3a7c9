// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes of code generation, and those that fix what callers see of a function.

#ifndef QDQ_CODEGEN_PASSES_H
#define QDQ_CODEGEN_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "qdq/CodeGen/ByteDots.h"
#include "qdq/CodeGen/DecomposeTensorOps.h"
#include "qdq/CodeGen/LowerExpandShapes.h"
#include "qdq/CodeGen/MathToIntrinsics.h"
#include "qdq/CodeGen/NativeCasts.h"
#include "qdq/Numerics/PassOptions.h"

namespace mlir::qdq {

/// `qdq-pack-boundaries`: on a function, its type before.
inline constexpr llvm::StringLiteral kUnpackedTypeAttr = "qdq.unpacked_type";

/// `qdq-results-to-destinations`: on a function, its type before, how each
/// result of that type leaves it, and its companion.
inline constexpr llvm::StringLiteral kTensorTypeAttr = "qdq.tensor_type";
inline constexpr llvm::StringLiteral kResultsAttr = "qdq.results";
inline constexpr llvm::StringLiteral kShapeFunctionAttr = "qdq.shape_function";
/// On the companion, the messages of the assertions.
inline constexpr llvm::StringLiteral kAssertionsAttr = "qdq.assertions";
/// The companion's name is the function's, with this and, if need be, a number.
inline constexpr llvm::StringLiteral kShapeFunctionSuffix = ".shapes";

/// The ways of a result: to a trailing argument, to the list of the companion,
/// or back to the caller as before.
enum class ResultPassing { Destination, Shape, Returned };
inline llvm::StringLiteral stringify(ResultPassing passing) {
  switch (passing) {
  case ResultPassing::Destination:
    return "destination";
  case ResultPassing::Shape:
    return "shape";
  case ResultPassing::Returned:
    return "returned";
  }
  llvm_unreachable("unknown ResultPassing");
}

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "qdq/CodeGen/Passes.h.inc"
} // namespace mlir::qdq

#endif // QDQ_CODEGEN_PASSES_H
