// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors of LLVM's parser of options, in one line and with the values that it
// leaves out.

#include "CommandLine.h"
#include "mlir/Pass/PassRegistry.h"
#include "qdq/Numerics/PassOptions.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdio>
#include <unistd.h>

using namespace mlir;
using namespace mlir::qdq;
namespace cl = llvm::cl;

/// The output of `run` to a file descriptor, 1 or 2.
static std::string capture(int descriptor, function_ref<void()> run) {
  std::FILE *file = std::tmpfile(); // gone with the process, if `run` ends it
  if (!file)
    return run(), "";
  llvm::outs().flush();
  int kept = dup(descriptor);
  dup2(fileno(file), descriptor);
  run();
  llvm::outs().flush();
  dup2(kept, descriptor);
  close(kept);
  // Of the descriptor, as nothing was written through `file`.
  std::string text(lseek(fileno(file), 0, SEEK_END), '\0');
  std::rewind(file);
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  return text;
}

/// The values that a help text lists below `--option=<value>`.
static SmallVector<StringRef> findValues(StringRef help, StringRef option) {
  SmallVector<StringRef> lines, values;
  help.split(lines, '\n');
  bool isInside = false;
  for (StringRef line : lines) {
    StringRef text = line.trim();
    if (text.starts_with("-") && !values.empty())
      break;
    if (text.starts_with("-"))
      isInside = text.ltrim('-').take_until(
                     [](char c) { return c == '=' || c == ' '; }) == option;
    else if (isInside && text.consume_front("="))
      values.push_back(text.split(' ').first);
  }
  return values;
}

/// The options that a help text lists.
static SmallVector<StringRef> findOptions(StringRef help) {
  SmallVector<StringRef> lines, names;
  help.split(lines, '\n');
  for (StringRef line : lines)
    if (StringRef text = line.trim(); text.consume_front("--"))
      names.push_back(
          text.take_until([](char c) { return c == '=' || c == ' '; }));
  return names;
}

/// The help of every pass that the command line names, then of the pipelines.
static std::string getHelpOfPasses() {
  SmallVector<StringRef> names;
  for (StringRef argument : getArguments())
    names.push_back(argument.ltrim('-').split('=').first);
  names.append({"lower-quant", "quant-to-llvm"});
  return capture(STDOUT_FILENO, [&] {
    for (StringRef name : names) {
      if (const PassPipelineInfo *pipeline = PassPipelineInfo::lookup(name))
        pipeline->printHelpStr(/*indent=*/2, /*descIndent=*/40);
      else if (const PassInfo *pass = PassInfo::lookup(name))
        pass->printHelpStr(/*indent=*/2, /*descIndent=*/40);
    }
  });
}

static std::string expectOneOf(StringRef value, ArrayRef<StringRef> values) {
  StringRef nearest = findNearest(value, values);
  return "expected one of " + llvm::join(values, ", ") +
         (nearest.empty() ? "" : "; did you mean '" + nearest.str() + "'?");
}

/// `--option: what is wrong`, from the first line of LLVM's own words.
static std::string explain(StringRef said) {
  StringRef text = said.trim().split('\n').first;
  text.consume_front(getArguments().front());
  text.consume_front(getProgram());
  text.consume_front(": ");
  text = text.split("Textual PassPipeline Parser:").second.empty()
             ? text
             : text.split(" error: ").second;
  if (StringRef name = text; name.consume_front("'") &&
                             name.contains("does not refer to a registered")) {
    name = name.split('\'').first;
    SmallVector<StringRef> names;
    for (const auto &option : cl::getRegisteredOptions())
      names.push_back(option.first);
    llvm::sort(names);
    StringRef nearest = findNearest(name, names);
    return "'" + name.str() + "' is no pass" +
           (nearest.empty() ? "" : ": did you mean '" + nearest.str() + "'?");
  }
  if (text.starts_with("<Pass-Options-Parser>")) {
    std::string help = getHelpOfPasses();
    return explainOptionError(text, findOptions(help));
  }
  if (!text.consume_front("for the "))
    return text.str();
  auto [option, reason] = text.split(" option: ");
  StringRef name = option.ltrim('-');
  StringRef value = reason.split('\'').second.split('\'').first;
  if (reason.contains("' is not a value of "))
    return reason.str();
  if (reason.starts_with("must be specified"))
    return option.str() + " is missing";
  if (reason.starts_with("requires a value"))
    return option.str() + " needs a value";
  if (reason.contains("boolean argument"))
    return option.str() + ": '" + value.str() + "' is not true or false";
  if (reason.contains("' value invalid for"))
    return option.str() + ": '" + value.str() + "': expected a " +
           (reason.contains("float") || reason.contains("double")
                ? "number"
                : "whole number") +
           (reason.contains(" uint ") || reason.contains(" ulong ")
                ? ", 0 or more"
                : "");
  if (reason.starts_with("Cannot find option named")) {
    std::string help;
    if (cl::Option *own = cl::getRegisteredOptions().lookup(name))
      help = capture(STDOUT_FILENO, [&] { own->printOptionInfo(40); });
    SmallVector<StringRef> values = findValues(help, name);
    std::string helpOfPasses;
    if (values.empty()) {
      helpOfPasses = getHelpOfPasses();
      values = findValues(helpOfPasses, name);
    }
    std::string result =
        "'" + value.str() + "' is not a value of '" + name.str() + "'";
    return values.empty() ? result : result + ": " + expectOneOf(value, values);
  }
  return option.str() + ": " + reason.rtrim('!').str();
}

void mlir::qdq::runOptionParser(function_ref<LogicalResult()> run) {
  LogicalResult result = success();
  std::string said = capture(STDERR_FILENO, [&] { result = run(); });
  if (failed(result))
    exitWithError(explain(said));
  llvm::errs() << said;
}
