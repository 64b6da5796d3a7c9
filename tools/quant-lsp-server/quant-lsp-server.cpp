// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mlir-lsp-server with the qdq dialect: errors, hovers and definitions in
// editors. Foreign dialects parse unregistered.

#include "CommandLine.h"
#include "Tools.h"
#include "mlir/IR/Dialect.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "qdq/InitAll.h"
#include "llvm/Support/CommandLine.h"

namespace cl = llvm::cl;

namespace {
enum class Style { Standard, Delimited };
enum class Level { Error, Info, Verbose };
} // namespace

/// Upstream's options, which it registers and parses in one go: parsed here
/// first, for errors of one line and a help that lists nothing else.
static void checkOptions(llvm::ArrayRef<char *> arguments) {
  cl::OptionCategory category("quant-lsp-server options");
  cl::opt<Style> style(
      "input-style", cl::desc("How messages are divided"),
      cl::values(
          clEnumValN(Style::Standard, "standard", "the protocol's way"),
          clEnumValN(Style::Delimited, "delimited", "by lines with // -----")),
      cl::init(Style::Standard), cl::cat(category));
  cl::opt<bool> test("lit-test",
                     cl::desc("-input-style=delimited -pretty -log=verbose"),
                     cl::cat(category));
  cl::opt<Level> level(
      "log", cl::desc("Messages on standard error"),
      cl::values(clEnumValN(Level::Error, "error", "errors"),
                 clEnumValN(Level::Info, "info", "requests, too (the default)"),
                 clEnumValN(Level::Verbose, "verbose", "all")),
      cl::init(Level::Info), cl::cat(category));
  cl::opt<bool> pretty("pretty", cl::desc("JSON with spaces and lines"),
                       cl::cat(category));
  cl::HideUnrelatedOptions(category);
  mlir::qdq::parseCommandLine(arguments, R"(mlir-qdq: language server of MLIR

An editor starts it, and speaks with it on standard input and output. Neovim:

  vim.lsp.config.mlir = {cmd = {"quant-lsp-server"}, filetypes = {"mlir"}}

docs/Editors.md has other editors.
)",
                              /*maxInputs=*/0);
  for (cl::Option *option :
       std::initializer_list<cl::Option *>{&style, &test, &level, &pretty})
    option->removeArgument();
  cl::ResetAllOptionOccurrences();
}

int mlir::qdq::runQuantLSPServer(int argc, char **argv) {
  checkOptions({argv, size_t(argc)});
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::qdq::registerAllDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
