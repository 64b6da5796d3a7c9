// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One grammar for the tools: an error is one line that names the program, the
// option or file, and the nearest word. python/mlir_qdq/command/_frame.py is
// its twin.

#ifndef QDQ_TOOLS_COMMANDLINE_H
#define QDQ_TOOLS_COMMANDLINE_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/Twine.h"

namespace mlir::qdq {

/// The arguments of `parseCommandLine`, and the name of the program in them.
ArrayRef<char *> getArguments();
StringRef getProgram();

/// Prints `program: error: message` and ends the process with exit code 1. The
/// program is the one whose options were parsed.
[[noreturn]] void exitWithError(const Twine &message);

/// Parses the options that are registered, by LLVM's parser, and ends the
/// process where it complains. `maxInputs` of the arguments may be no options.
void parseCommandLine(ArrayRef<char *> arguments, StringRef overview,
                      unsigned maxInputs = 1);

/// Ends the process if `run` fails, with the first line of what was said on
/// standard error meanwhile. For options that are parsed later than others.
void runOptionParser(function_ref<LogicalResult()> run);

/// `write --lower-quant="rounding=floor"` for the word `--rounding=floor`, or
/// nothing if no pipeline has the option.
std::string explainPipelineOption(StringRef word);

/// Ends the process if this file cannot be read, or is what other commands
/// read. `-` is standard input.
void checkInput(StringRef path);

/// Ends the process if no file can be made there. `-` is standard output.
void checkOutput(StringRef path);

/// A pattern of names beside `path`, for what becomes `path` when it is whole.
std::string getTemporaryName(StringRef path);

/// Two names of one file, which need not exist.
bool isSameFile(StringRef left, StringRef right);

/// From here on a stream of LLVM's that cannot write ends the process with one
/// line, which names `path`.
void explainWriteErrors(StringRef path);

} // namespace mlir::qdq

#endif // QDQ_TOOLS_COMMANDLINE_H
