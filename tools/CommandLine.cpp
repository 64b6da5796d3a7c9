// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The words of a command line, checked before LLVM parses them.

#include "CommandLine.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "qdq/Numerics/Semantics.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <fcntl.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::qdq;
namespace cl = llvm::cl;

static SmallVector<char *> givenArguments;

ArrayRef<char *> mlir::qdq::getArguments() { return givenArguments; }

StringRef mlir::qdq::getProgram() {
  return llvm::sys::path::stem(givenArguments.front());
}

void mlir::qdq::exitWithError(const Twine &message) {
  llvm::errs() << getProgram() << ": error: " << message << "\n";
  exit(1);
}

static std::string outputName;
/// Standard error, while runOptionParser captures what is written there.
static int errorStream = STDERR_FILENO;

/// LLVM's streams end the process where they cannot write; at its end, too,
/// where destructors run.
static void explainFatalError(void *, const char *reason, bool) {
  StringRef said(reason);
  bool isOutput = said.consume_front("IO failure on output stream: ");
  llvm::raw_fd_ostream os(errorStream, /*shouldClose=*/false);
  os << getProgram()
     << ": error: " << (isOutput ? "cannot write '" + outputName + "': " : "")
     << said << "\n";
  os.flush();
  _exit(1);
}

void mlir::qdq::explainWriteErrors(StringRef path) {
  outputName = path.str();
  if (errorStream == STDERR_FILENO)
    errorStream = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
  llvm::install_fatal_error_handler(explainFatalError);
}

static std::string explainUnknown(StringRef argument) {
  if (std::string said = explainPipelineOption(argument); !said.empty())
    return "unknown option '" + argument.str() + "': " + said;
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

/// Options of a pass of ours, `a=1 b=x`, that LLVM's parser accepts: one
/// without a value, as a printed pipeline has it, or one that is given twice.
static void checkPassOptions(StringRef option, StringRef text) {
  StringRef pass = option == "pipeline-options" ? "quant-to-llvm" : option;
  bool isOurs = pass.contains("qdq") || pass.contains("quant");
  if (!isOurs || (!PassPipelineInfo::lookup(pass) && !PassInfo::lookup(pass)))
    return;
  SmallVector<StringRef> words;
  text.split(words, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  llvm::StringSet<> names;
  for (StringRef word : words) {
    auto [name, value] = word.split('=');
    if (word.contains('=') && name.empty())
      exitWithError("--" + option + ": '" + word +
                    "' has no option before it: name=value has no spaces");
    if (word.contains('=') && value.empty())
      exitWithError("--" + option + ": " + name +
                    " has no value: give one, or leave the option out");
    if (word.contains('=') && !names.insert(name).second)
      exitWithError("--" + option + ": " + name + " is given twice");
  }
}

/// A plugin that does not load, which upstream would leave out.
static void checkPlugin(StringRef option, StringRef file) {
  auto check = [](auto plugin) {
    if (!plugin)
      exitWithError(llvm::toString(plugin.takeError()));
  };
  if (option == "load-pass-plugin")
    check(PassPlugin::load(file.str()));
  else if (option == "load-dialect-plugin")
    check(DialectPlugin::load(file.str()));
}

/// Checks words that LLVM would accept, or refuse in several lines.
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
    if (word.starts_with("@")) { // a file of arguments, which LLVM reads
      if (!llvm::sys::fs::exists(word.drop_front()))
        exitWithError("cannot read '" + word.drop_front() +
                      "': No such file or directory");
      continue;
    }
    if (word == "-" || !word.starts_with("-")) {
      inputs.push_back(word);
      continue;
    }
    StringRef name, value;
    std::tie(name, value) = word.ltrim('-').split('=');
    bool hasValue = word.contains('=');
    cl::Option *option = options.lookup(name);
    if (!option && isPrefixed(name)) {
      if (!seen.insert(options.lookup(name.take_front())).second)
        exitWithError("-" + name.take_front() + " is given twice");
      continue;
    }
    // LLVM's libraries have options of their own, `--threads`, which do nothing
    // here.
    if (!option || (option->getOptionHiddenFlag() == cl::ReallyHidden &&
                    (!maxInputs || !explainPipelineOption(word).empty())))
      exitWithError(explainUnknown(word));
    auto checkValue = [&](StringRef given) {
      checkPassOptions(name, given);
      checkPlugin(name, given);
    };
    if (hasValue || option->getValueExpectedFlag() != cl::ValueRequired)
      checkValue(value);
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
    checkValue(next);
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
  static char help[] = "--help";
  explainWriteErrors("-");
  for (char *argument : arguments)
    givenArguments.push_back(StringRef(argument) == "-h" ? help : argument);
  cl::SetVersionPrinter([](raw_ostream &os) {
    os << "mlir-qdq version " QDQ_VERSION "\nLLVM version " LLVM_VERSION_STRING
          "\n";
  });
  checkWords(maxInputs);
  runOptionParser([&] {
    return success(cl::ParseCommandLineOptions(
        givenArguments.size(), givenArguments.data(), overview, &llvm::errs()));
  });
}
