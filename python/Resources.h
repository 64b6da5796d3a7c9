// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Large resources of modules, which compiled code reads where they are.

#ifndef QDQ_PYTHON_RESOURCES_H
#define QDQ_PYTHON_RESOURCES_H

#include "mlir/IR/BuiltinOps.h"
#include <string>
#include <utility>
#include <vector>

namespace mlir::qdq {

/// The bytes of a resource.
struct ResourceBytes {
  std::string name;
  uint64_t address, size;
};

/// The resources that attributes of the module refer to, in the order of their
/// uses. They live as long as the context.
std::vector<ResourceBytes> listResources(ModuleOp module);

/// The bytecode of a module, with locations and without the bytes of resources.
std::string writeWithoutResources(ModuleOp module);

/// Makes the globals of the LLVM dialect that are resources of `source`, of at
/// least `leastBytes`, external: others are made by passes, and not there when
/// the code is loaded again. Gives the names of each symbol and its resource.
std::vector<std::pair<std::string, std::string>>
declareResources(ModuleOp module, ModuleOp source, uint64_t leastBytes);

} // namespace mlir::qdq

#endif // QDQ_PYTHON_RESOURCES_H
