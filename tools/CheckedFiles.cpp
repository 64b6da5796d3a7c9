// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inputs and outputs, checked before work begins.

#include "CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <cstring>
#include <fcntl.h>
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
  if (begin.starts_with("\xef\xbb\xbf"))
    exitWithError("cannot read '" + path +
                  "': it begins with a byte order mark, which MLIR does not "
                  "read");
  return begin.starts_with("ML\xefR") || !begin.contains('\0');
}

void mlir::qdq::checkInput(StringRef path) {
  if (path == "-") {
    if (fcntl(STDIN_FILENO, F_GETFD) < 0)
      exitWithError("cannot read standard input: " + Twine(strerror(errno)));
    return;
  }
  auto fail = [&](const Twine &reason) {
    exitWithError("cannot read '" + path + "': " + reason);
  };
  llvm::sys::fs::file_status status;
  if (std::error_code error = llvm::sys::fs::status(path, status))
    fail(error.message());
  if (llvm::sys::fs::is_directory(status))
    fail("Is a directory");
  if (status.type() == llvm::sys::fs::file_type::socket_file)
    fail("Is a socket");
  if (access(path.str().c_str(), R_OK))
    fail(std::error_code(errno, std::generic_category()).message());
  // A pipe has no name that says what it holds.
  std::string suffix = llvm::sys::path::extension(path).lower();
  if (llvm::is_contained({".onnx", ".pb", ".onnxtxt", ".textproto", ".gguf",
                          ".safetensors", ".tflite", ".json"},
                         StringRef(suffix)))
    fail("no MLIR; quant-import reads it: quant-import " + path + " | " +
         getProgram());
  if (llvm::is_contained({".npy", ".npz"}, StringRef(suffix)))
    fail("arrays are for quant-run");
  if (llvm::sys::fs::is_regular_file(status) && !isMLIR(path, status.getSize()))
    fail("neither text nor bytecode of MLIR");
}

std::string mlir::qdq::getTemporaryName(StringRef path) {
  // A name of 255 bytes leaves no room for more.
  SmallString<64> name = llvm::sys::path::parent_path(path);
  llvm::sys::path::append(
      name, "." + llvm::sys::path::filename(path).take_front(40) + ".%%%%%%");
  return name.str().str();
}

bool mlir::qdq::isSameFile(StringRef left, StringRef right) {
  if (left == "-" || right == "-")
    return left == right;
  if (llvm::sys::fs::is_regular_file(left) &&
      llvm::sys::fs::equivalent(left, right))
    return true;
  SmallString<64> paths[] = {left, right};
  for (SmallString<64> &path : paths) {
    llvm::sys::fs::make_absolute(path);
    llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  }
  return paths[0] == paths[1];
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
  llvm::sys::fs::file_status status;
  std::error_code error = llvm::sys::fs::status(path, status);
  if (!error)
    return;
  if (error != std::errc::no_such_file_or_directory) // too long a name
    fail(error.message());
  // Some folders take no file from the one who may write to them: /proc.
  llvm::Expected<llvm::sys::fs::TempFile> probe =
      llvm::sys::fs::TempFile::create(getTemporaryName(path));
  if (!probe)
    fail(llvm::errorToErrorCode(probe.takeError()).message());
  llvm::consumeError(probe->discard());
}
