// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inputs and outputs, checked before work begins.

#include "CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <unistd.h>

using namespace mlir;
using namespace mlir::qdq;

/// By the first bytes of a file. Text has no zeros.
static bool isMLIR(StringRef path, uint64_t size) {
  auto file = llvm::MemoryBuffer::getFileSlice(
      path, std::min<uint64_t>(size, 512), /*Offset=*/0);
  if (!file)
    return true; // MLIR's parser says what is wrong
  StringRef begin = (*file)->getBuffer();
  return begin.starts_with("ML\xefR") || !begin.contains('\0');
}

void mlir::qdq::checkInput(StringRef path) {
  if (path == "-")
    return;
  auto fail = [&](const Twine &reason) {
    exitWithError("cannot read '" + path + "': " + reason);
  };
  llvm::sys::fs::file_status status;
  if (std::error_code error = llvm::sys::fs::status(path, status))
    fail(error.message());
  if (llvm::sys::fs::is_directory(status))
    fail("Is a directory");
  if (access(path.str().c_str(), R_OK))
    fail(std::error_code(errno, std::generic_category()).message());
  // A pipe has no name that says what it holds.
  StringRef suffix = llvm::sys::path::extension(path);
  if (llvm::is_contained({".onnx", ".pb", ".onnxtxt", ".textproto", ".gguf",
                          ".safetensors", ".tflite", ".json"},
                         suffix))
    fail("no MLIR; quant-import reads it: quant-import " + path + " | " +
         getProgram());
  if (llvm::is_contained({".npy", ".npz"}, suffix))
    fail("arrays are for quant-run");
  if (llvm::sys::fs::is_regular_file(status) && !isMLIR(path, status.getSize()))
    fail("neither text nor bytecode of MLIR");
}

void mlir::qdq::checkOutput(StringRef path) {
  if (path == "-")
    return;
  auto fail = [&](const Twine &reason) {
    exitWithError("cannot write '" + path + "': " + reason);
  };
  StringRef folder = llvm::sys::path::parent_path(path);
  if (path.empty())
    fail("a name is needed");
  if (llvm::sys::fs::is_directory(path))
    fail("Is a directory");
  if (!folder.empty() && !llvm::sys::fs::exists(folder))
    fail("No such file or directory");
  if (!folder.empty() && !llvm::sys::fs::is_directory(folder))
    fail("Not a directory");
  std::string written = llvm::sys::fs::exists(path) ? path.str()
                        : folder.empty()            ? "."
                                                    : folder.str();
  if (access(written.c_str(), W_OK))
    fail(std::error_code(errno, std::generic_category()).message());
}
