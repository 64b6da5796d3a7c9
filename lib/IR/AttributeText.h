// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parsing of the values that the dialect's attributes share.

#ifndef QDQ_LIB_IR_ATTRIBUTETEXT_H
#define QDQ_LIB_IR_ATTRIBUTETEXT_H

#include "mlir/IR/OpImplementation.h"
#include "qdq/Numerics/Semantics.h"

namespace mlir::qdq {

/// A value such as `nearest-even`: keywords with dashes between them, or a
/// string.
inline ParseResult parseDashedKeyword(AsmParser &parser, std::string &text) {
  if (parser.parseKeywordOrString(&text))
    return failure();
  while (succeeded(parser.parseOptionalMinus())) {
    StringRef part;
    if (parser.parseKeyword(&part))
      return failure();
    text += ("-" + part).str();
  }
  return success();
}

/// The value of the enumeration that `text`, read at `loc`, spells.
template <typename Enum>
ParseResult toEnum(AsmParser &parser, SMLoc loc, StringRef name, StringRef text,
                   std::optional<Enum> &value) {
  value = symbolizeEnum<Enum>(text);
  if (!value)
    return parser.emitError(loc) << "'" << text << "' is not a value of '"
                                 << name << "': " << expectOneOf<Enum>(text);
  return success();
}

/// The same as the parameter of an attribute.
template <typename Enum>
FailureOr<Enum> parseDashedEnum(AsmParser &parser, StringRef name) {
  std::optional<Enum> value;
  std::string text;
  SMLoc loc = parser.getCurrentLocation();
  if (parseDashedKeyword(parser, text) ||
      toEnum(parser, loc, name, text, value))
    return failure();
  return *value;
}

} // namespace mlir::qdq

#endif // QDQ_LIB_IR_ATTRIBUTETEXT_H
