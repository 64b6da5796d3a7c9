// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Command-line spelling of the semantics fields: an enumeration that may be
// left out.

#ifndef QDQ_NUMERICS_PASSOPTIONS_H
#define QDQ_NUMERICS_PASSOPTIONS_H

#include "mlir/Pass/PassOptions.h"
#include "qdq/Numerics/Semantics.h"
#include "llvm/Support/CommandLine.h"
#include <optional>

namespace mlir::qdq {

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
