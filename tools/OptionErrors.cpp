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

/// The help of passes and pipelines.
static std::string getHelpOf(ArrayRef<StringRef> names) {
  return capture(STDOUT_FILENO, [&] {
    for (StringRef name : names) {
      if (const PassPipelineInfo *pipeline = PassPipelineInfo::lookup(name))
        pipeline->printHelpStr(/*indent=*/2, /*descIndent=*/40);
      else if (const PassInfo *pass = PassInfo::lookup(name))
        pass->printHelpStr(/*indent=*/2, /*descIndent=*/40);
    }
  });
}

/// The same for every pass that the command line names, then the pipelines.
static std::string getHelpOfPasses() {
  SmallVector<StringRef> names;
  for (StringRef argument : getArguments())
    names.push_back(argument.ltrim('-').split('=').first);
  names.append({"lower-quant", "quant-to-llvm"});
  return getHelpOf(names);
}

/// The option that a help text lists with this value, in its own lines or in
/// the words behind it.
static StringRef findOptionWithValue(StringRef help, StringRef value) {
  SmallVector<StringRef> lines, words;
  help.split(lines, '\n');
  StringRef option;
  for (StringRef line : lines) {
    auto [head, said] = line.trim().split(" - ");
    head = head.rtrim();
    if (head.consume_front("--"))
      option = head.split('=').first;
    words.clear();
    said.trim().split(words, ", ");
    if (head == ("=" + value).str() ||
        (head.ends_with("=<value>") && llvm::is_contained(words, value)))
      return option;
  }
  return {};
}

/// `write --option="given text"` if `pass` has the option.
static std::string explainOptionOf(StringRef pass, StringRef option,
                                   StringRef given, StringRef text) {
  std::string help = getHelpOf(pass);
  StringRef name = text.split('=').first;
  if (!llvm::is_contained(findOptions(help), name) || option == name)
    return "";
  bool lacksValue =
      name == text && StringRef(help).contains(("--" + name + "=<").str());
  return "write --" + option.str() + "=\"" +
         (given.empty() ? "" : given.str() + " ") + text.str() +
         (lacksValue ? "=...\"" : "\"");
}

std::string mlir::qdq::explainPipelineOption(StringRef word) {
  StringRef text = word.ltrim('-');
  bool isCompiling = cl::getRegisteredOptions().count("pipeline-options");
  for (StringRef argument : getArguments()) {
    auto [name, given] = argument.split('=');
    name = name.ltrim('-');
    if (name == "pipeline-options")
      return explainOptionOf("quant-to-llvm", name, given, text);
    if (PassPipelineInfo::lookup(name))
      return explainOptionOf(name, name, given, text);
  }
  if (isCompiling)
    return explainOptionOf("quant-to-llvm", "pipeline-options", "", text);
  std::string said = explainOptionOf("lower-quant", "lower-quant", "", text);
  return said.empty()
             ? explainOptionOf("quant-to-llvm", "quant-to-llvm", "", text)
             : said;
}

static std::string expectOneOf(StringRef value, ArrayRef<StringRef> values) {
  StringRef nearest = findNearest(value, values);
  return "expected one of " + llvm::join(values, ", ") +
         (nearest.empty() ? "" : "; did you mean '" + nearest.str() + "'?");
}

/// `'ort' is not an option: did you mean 'profile=ort'?`
static std::string explainValueAlone(StringRef text) {
  auto [before, after] = text.split("' is not an option: ");
  StringRef word = before.rsplit('\'').second;
  if (after.empty())
    return text.str();
  std::string help = getHelpOfPasses();
  StringRef option = findOptionWithValue(help, word);
  if (option.empty())
    return text.str();
  return before.str() + "' is not an option: did you mean '" + option.str() +
         "=" + word.str() + "'?";
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
           (nearest.size() < 2 ? ""
                               : ": did you mean '" + nearest.str() + "'?");
  }
  if (text.starts_with("<Pass-Options-Parser>")) {
    std::string help = getHelpOfPasses();
    return explainValueAlone(explainOptionError(text, findOptions(help)));
  }
  if (!text.consume_front("for the "))
    return explainValueAlone(text);
  auto [option, reason] = text.split(" option: ");
  StringRef name = option.ltrim('-');
  StringRef value = reason.split('\'').second.split('\'').first;
  if (reason.contains("' is not a value of "))
    return reason.str() + (value.find_first_of(",;") != StringRef::npos
                               ? "; spaces separate options"
                               : "");
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
           (reason.contains(" uint ")    ? ", 0 or more, of 32 bits"
            : reason.contains(" ulong ") ? ", 0 or more, of 64 bits"
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
