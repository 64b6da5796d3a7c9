// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Command-line spelling of the semantics fields: an enumeration that may be
// left out; and what is said of an option that there is not.

#ifndef QDQ_NUMERICS_PASSOPTIONS_H
#define QDQ_NUMERICS_PASSOPTIONS_H

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassOptions.h"
#include "qdq/Numerics/Semantics.h"
#include "llvm/Support/CommandLine.h"
#include <optional>

namespace mlir::qdq {

/// Errors of upstream's parser of options, with the nearest of `names` where
/// one is no option.
std::string explainOptionError(StringRef error, ArrayRef<StringRef> names);

/// The names in `options`, which reads `a=1 b= c=x`, as a pass prints them.
SmallVector<StringRef> getOptionNames(StringRef options);

/// A pass on `OpT`, or on any op, that explains errors in its options. Its
/// declaration in TableGen is a `QDQ_Pass`.
template <typename OpT = void>
class OptionsPass : public OperationPass<OpT> {
public:
  LogicalResult initializeOptions(
      StringRef text,
      function_ref<LogicalResult(const Twine &)> emitError) override {
    return OperationPass<OpT>::initializeOptions(
        text, [&](const Twine &message) -> LogicalResult {
          std::string error = message.str();
          if (error.empty()) // a value, which its parser has explained
            return failure();
          std::string pipeline;
          llvm::raw_string_ostream stream(pipeline);
          this->printAsTextualPipeline(stream);
          StringRef options = StringRef(pipeline).split('{').second;
          options.consume_back("}");
          return emitError(explainOptionError(error, getOptionNames(options)));
        });
  }

protected:
  OptionsPass(TypeID id) : OperationPass<OpT>(id) {}
  OptionsPass(const OptionsPass &) = default;
};

/// Parses `rounding=floor` into a set optional; an empty value leaves it open,
/// so that printed pipelines parse again.
template <typename Enum>
class OptionalEnumParser : public llvm::cl::basic_parser<std::optional<Enum>> {
public:
  using llvm::cl::basic_parser<std::optional<Enum>>::basic_parser;

  bool parse(llvm::cl::Option &option, StringRef, StringRef text,
             std::optional<Enum> &value) {
    value = symbolizeEnum<Enum>(text);
    if (!value && !text.empty())
      return option.error(Twine("'") + text + "' is not a value of '" +
                          option.ArgStr + "': " + expectOneOf<Enum>(text));
    return false;
  }

  void printOptionDiff(const llvm::cl::Option &option,
                       const std::optional<Enum> &,
                       const llvm::cl::OptionValue<std::optional<Enum>> &,
                       size_t globalWidth) const {
    this->printOptionNoValue(option, globalWidth);
  }
};

} // namespace mlir::qdq

// For every enumeration: the parser that llvm::cl looks up, and a printer that
// leaves an open field empty.
#define QDQ_OPTIONAL_ENUM(Enum)                                                \
  namespace mlir::qdq {                                                        \
  inline raw_ostream &operator<<(raw_ostream &os,                              \
                                 const std::optional<Enum> &value) {           \
    return value ? os << stringifyEnum(*value) : os;                           \
  }                                                                            \
  }                                                                            \
  template <>                                                                  \
  class llvm::cl::parser<std::optional<mlir::qdq::Enum>>                       \
      : public mlir::qdq::OptionalEnumParser<mlir::qdq::Enum> {                \
  public:                                                                      \
    using mlir::qdq::OptionalEnumParser<mlir::qdq::Enum>::OptionalEnumParser;  \
  };
QDQ_OPTIONAL_ENUM(Profile)
QDQ_OPTIONAL_ENUM(Rescale)
QDQ_OPTIONAL_ENUM(ContractionRescale)
#define QDQ_SEMANTICS_FIELD(Enum, name, attribute, option)                     \
  QDQ_OPTIONAL_ENUM(Enum)
#include "qdq/Numerics/SemanticsFields.def"
#undef QDQ_OPTIONAL_ENUM

#endif // QDQ_NUMERICS_PASSOPTIONS_H
