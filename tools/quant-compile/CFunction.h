// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A compiled function in C: plain pointers, sizes and scalars.

#ifndef QDQ_TOOLS_QUANTCOMPILE_CFUNCTION_H
#define QDQ_TOOLS_QUANTCOMPILE_CFUNCTION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "qdq/CodeGen/Passes.h"

namespace mlir::qdq {

/// An element type in C.
struct CElement {
  /// `float`, `uint8_t`.
  StringRef name;
  /// The width of the C type.
  unsigned bits;
  /// True if the C type is a floating-point type.
  bool isFloat;
  /// True for elements below a byte: tensors of them are packed bytes.
  bool isPacked;
};

/// One parameter of a C function.
struct CParameter {
  /// `const float *`, `int64_t `: the name follows it.
  std::string type;
  std::string name;
};

/// An argument or a result.
struct CValue {
  /// As in the model, but signless: a ranked tensor or a scalar.
  Type type;
  /// As in the model.
  std::string spelling;
  CElement element;
  /// `arg0`, `result1`.
  std::string name;
  /// Its name in the model, or empty.
  std::string label;
  /// How a result leaves, and for a packed one each of its dynamic sizes.
  ResultPassing passing = ResultPassing::Destination;
  SmallVector<ResultPassing> sizePassing;

  RankedTensorType getTensor() const {
    return dyn_cast<RankedTensorType>(type);
  }
  bool isPacked() const { return getTensor() && element.isPacked; }
  /// The dimensions with dynamic sizes.
  SmallVector<int64_t> getDynamicDims() const;
  /// `arg0_size1`.
  std::string getSizeName(int64_t dim) const;
};

/// A public function of the model.
struct CFunction {
  std::string name;
  LLVM::LLVMFuncOp body;
  /// Checks, and computes sizes, before the call. May be null.
  LLVM::LLVMFuncOp companion;
  SmallVector<CValue, 0> arguments, results;
  /// The message of each check of the companion.
  SmallVector<std::string> checks;

  /// The entries of the companion's list but its first, as texts such as
  /// "bytes of result0" or "result0, dimension 1".
  SmallVector<std::string> getListed() const;
  /// In the order of the C function.
  SmallVector<CParameter> getArgumentParameters() const;
  SmallVector<CParameter> getResultParameters() const;
  /// The name of the function that tells sizes, or empty if none is dynamic.
  std::string getSizesName() const;
};

/// Facts about a public function that lowering drops.
struct SourceFunction {
  Location location;
  std::string name;
  FunctionType type;
  SmallVector<std::string> argumentLabels, resultLabels;
};

/// The public functions that have a body.
SmallVector<SourceFunction> collectPublicFunctions(ModuleOp module);

/// The C functions of a lowered module, each named `prefix` and its own name.
/// Fails, with errors, for types and names that C cannot express.
FailureOr<SmallVector<CFunction, 0>>
describeFunctions(ModuleOp lowered, ArrayRef<SourceFunction> sources,
                  StringRef prefix);

/// Gives `lowered` the C functions. Every other function becomes internal.
LogicalResult addWrappers(ModuleOp lowered,
                          MutableArrayRef<CFunction> functions);

/// A header for C and C++. `origin` says in a comment where it comes from.
std::string printHeader(ArrayRef<CFunction> functions, StringRef path,
                        StringRef origin);

} // namespace mlir::qdq

#endif // QDQ_TOOLS_QUANTCOMPILE_CFUNCTION_H
