// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What LLVM's parser of options leaves open: errors of one line, with the
// nearest word.

#include "CommandLine.h"
#include "mlir/Pass/PassRegistry.h"
#include "qdq/Numerics/PassOptions.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdio>
#include <unistd.h>

using namespace mlir;
using namespace mlir::qdq;
namespace cl = llvm::cl;

static SmallVector<char *> givenArguments;

static StringRef getProgram() {
  return llvm::sys::path::stem(givenArguments.front());
}

void mlir::qdq::exitWithError(const Twine &message) {
  llvm::errs() << getProgram() << ": error: " << message << "\n";
  exit(1);
}

/// What `run` writes to a file descriptor, 1 or 2.
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

// --- values
// --------------------------------------------------------------------

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
  for (StringRef argument : givenArguments)
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

// --- what LLVM says, in one line
// -------------------------------------------------

/// `--option: what is wrong`, from the first line of LLVM's own words.
static std::string explain(StringRef said) {
  StringRef text = said.trim().split('\n').first;
  text.consume_front(givenArguments.front());
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

// --- the words of a command line
// ---------------------------------------------------

static std::string explainUnknown(StringRef argument) {
  StringRef name = argument.ltrim('-').split('=').first;
  SmallVector<StringRef> names;
  for (const auto &option : cl::getRegisteredOptions())
    if (option.second->getOptionHiddenFlag() == cl::NotHidden)
      names.push_back(option.first);
  llvm::sort(names); // a hash map has no order
  StringRef nearest = findNearest(name, names);
  return "unknown option '" + argument.str() + "': " +
         (nearest.size() < 2 ? "see --help"
                             : "did you mean '--" + nearest.str() + "'?");
}

/// `-O3` and such.
static bool isPrefixed(StringRef name) {
  return llvm::any_of(cl::getRegisteredOptions(), [&](const auto &option) {
    auto formatting = option.second->getFormattingFlag();
    return (formatting == cl::Prefix || formatting == cl::AlwaysPrefix) &&
           !option.first.empty() && name.starts_with(option.first);
  });
}

/// For a word that looks like an option of the pass before it.
static std::string getQuotesHint(StringRef word) {
  if (!word.contains('=') || llvm::sys::fs::exists(word))
    return "";
  auto at = llvm::find(givenArguments, word);
  for (auto it = std::make_reverse_iterator(at); it != givenArguments.rend();
       ++it) {
    StringRef before(*it);
    if (!before.starts_with("-"))
      continue;
    auto [name, value] = before.split('=');
    if (!PassPipelineInfo::lookup(name.ltrim('-')) &&
        !PassInfo::lookup(name.ltrim('-')) && !name.ends_with("-options"))
      return "";
    return "'" + word.str() + "' is no file: options of " + name.str() +
           " stand in quotes: " + name.str() + "=\"" +
           (value.empty() ? "" : value.str() + " ") + word.str() + "\"";
  }
  return "";
}

/// What LLVM would accept, or refuse in several lines.
static void checkWords(unsigned maxInputs) {
  SmallVector<StringRef> inputs;
  SmallPtrSet<cl::Option *, 16> seen;
  auto &options = cl::getRegisteredOptions();
  for (size_t i = 1; i < givenArguments.size(); ++i) {
    StringRef word = givenArguments[i];
    if (word == "--") {
      inputs.append(givenArguments.begin() + i + 1, givenArguments.end());
      break;
    }
    if (word == "-" || !word.starts_with("-")) {
      inputs.push_back(word);
      continue;
    }
    auto [name, value] = word.ltrim('-').split('=');
    bool hasValue = word.contains('=');
    cl::Option *option = options.lookup(name);
    if (!option && isPrefixed(name))
      continue;
    if (!option)
      exitWithError(explainUnknown(word));
    bool isRepeated = option->getNumOccurrencesFlag() == cl::ZeroOrMore ||
                      option->getNumOccurrencesFlag() == cl::OneOrMore;
    StringRef spelled = word.split('=').first;
    if (!seen.insert(option).second && !isRepeated)
      exitWithError(spelled + " is given twice");
    if (option->getValueExpectedFlag() == cl::ValueDisallowed && hasValue)
      exitWithError(spelled + " takes no value");
    if (option->getValueExpectedFlag() != cl::ValueRequired || hasValue)
      continue;
    if (++i == givenArguments.size())
      exitWithError(spelled + " needs a value");
    StringRef next = givenArguments[i];
    if (next.starts_with("-") && next != "-" &&
        options.count(next.ltrim('-').split('=').first))
      exitWithError(spelled + " needs a value before '" + next + "'");
  }
  for (StringRef input : inputs)
    if (std::string hint = getQuotesHint(input); !hint.empty())
      exitWithError(hint);
  if (inputs.size() > maxInputs)
    exitWithError(maxInputs ? "one input at most: '" + inputs[maxInputs - 1] +
                                  "' and '" + inputs[maxInputs] + "' are two"
                            : "'" + inputs[0] + "' is no option: see --help");
}

void mlir::qdq::parseCommandLine(ArrayRef<char *> arguments, StringRef overview,
                                 unsigned maxInputs) {
  givenArguments.assign(arguments.begin(), arguments.end());
  cl::SetVersionPrinter([](raw_ostream &os) {
    os << "mlir-qdq version " QDQ_VERSION "\nLLVM version " LLVM_VERSION_STRING
          "\n";
  });
  checkWords(maxInputs);
  runOptionParser([&] {
    return success(cl::ParseCommandLineOptions(
        arguments.size(), arguments.data(), overview, &llvm::errs()));
  });
}

// --- files
// -------------------------------------------------------------------------

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
