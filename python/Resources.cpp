// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Large resources of modules, which compiled code reads where they are.

#include "Resources.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::qdq;

std::vector<ResourceBytes> mlir::qdq::listResources(ModuleOp module) {
  std::vector<ResourceBytes> resources;
  llvm::StringSet<> known;
  module->walk([&](Operation *op) {
    op->getAttrDictionary().walk([&](DenseResourceElementsAttr attribute) {
      DenseResourceElementsHandle handle = attribute.getRawHandle();
      AsmResourceBlob *blob = handle.getBlob();
      if (!blob || !known.insert(handle.getKey()).second)
        return;
      ArrayRef<char> data = blob->getData();
      resources.push_back({handle.getKey().str(),
                           reinterpret_cast<uint64_t>(data.data()),
                           data.size()});
    });
  });
  return resources;
}

std::string mlir::qdq::writeWithoutResources(ModuleOp module) {
  BytecodeWriterConfig config;
  config.setElideResourceDataFlag();
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (failed(writeBytecodeToFile(module, stream, config)))
    return {};
  return text;
}

/// The bytes of an element of nested arrays, and 0 if it is none of whole
/// bytes. Multiplies `count` by the sizes.
static uint64_t getElementBytes(Type type, uint64_t &count) {
  while (auto array = dyn_cast<LLVM::LLVMArrayType>(type)) {
    count *= array.getNumElements();
    type = array.getElementType();
  }
  if (!type.isIntOrFloat() || type.getIntOrFloatBitWidth() % 8)
    return 0;
  return type.getIntOrFloatBitWidth() / 8;
}

std::vector<std::pair<std::string, std::string>>
mlir::qdq::declareResources(ModuleOp module, ModuleOp source,
                            uint64_t leastBytes) {
  std::vector<std::pair<std::string, std::string>> declared;
  llvm::StringSet<> known;
  for (const ResourceBytes &resource : listResources(source))
    known.insert(resource.name);
  // The bytes of a resource are little-endian.
  if (llvm::endianness::native != llvm::endianness::little)
    return declared;
  for (auto global : module.getOps<LLVM::GlobalOp>()) {
    auto value =
        dyn_cast_or_null<DenseResourceElementsAttr>(global.getValueOrNull());
    if (!value || !global.getConstant())
      continue;
    DenseResourceElementsHandle handle = value.getRawHandle();
    AsmResourceBlob *blob = handle.getBlob();
    uint64_t count = 1;
    uint64_t bytes = getElementBytes(global.getGlobalType(), count);
    if (!blob || !known.contains(handle.getKey()) || bytes == 0 ||
        blob->getData().size() != count * bytes || count * bytes < leastBytes ||
        reinterpret_cast<uint64_t>(blob->getData().data()) % bytes)
      continue;
    // Resources are as aligned as their elements, and no more.
    declared.emplace_back(global.getSymName().str(), handle.getKey().str());
    global.removeValueAttr();
    global.setAlignment(bytes);
    global.setLinkage(LLVM::Linkage::External);
  }
  return declared;
}
