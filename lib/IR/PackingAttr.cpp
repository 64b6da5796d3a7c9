// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text form of #qdq.packing.

#include "AttributeText.h"
#include "mlir/IR/DialectImplementation.h"
#include "qdq/IR/QDQ.h"
#include "llvm/Support/InterleavedRange.h"

using namespace mlir;
using namespace mlir::qdq;

namespace {
/// The parameters that have been read so far.
struct Parameters {
  std::optional<PackingPreset> preset;
  std::optional<PackingPart> part;
  IntegerType container;
  std::optional<int64_t> bits, axis, block, record, at, offset;
  SmallVector<int64_t> order;
  bool positiveZero = false;

  /// The integer parameters, in the order in which all print.
  std::pair<StringRef, std::optional<int64_t> *> integers[6] = {
      {"bits", &bits},     {"axis", &axis}, {"block", &block},
      {"record", &record}, {"at", &at},     {"offset", &offset}};
};
} // namespace

static ParseResult parseOrder(AsmParser &parser,
                              SmallVectorImpl<int64_t> &order) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(order.emplace_back());
  });
}

/// `name = value`, after the name.
static ParseResult parseValue(AsmParser &parser, SMLoc loc, StringRef name,
                              Parameters &result) {
  for (auto [known, value] : result.integers) {
    if (name != known)
      continue;
    if (*value)
      return parser.emitError(loc) << "'" << name << "' is given twice";
    return parser.parseInteger(value->emplace());
  }
  if (name == "order")
    return parseOrder(parser, result.order);
  if (name == "container")
    return parser.parseType(result.container);
  if (name == "part") {
    SMLoc valueLoc = parser.getCurrentLocation();
    std::string text;
    return failure(parseDashedKeyword(parser, text) ||
                   toEnum(parser, valueLoc, name, text, result.part));
  }
  return parser.emitError(loc)
         << "'" << name
         << "' is not a parameter of #qdq.packing: expected one of bits, "
            "container, axis, block, order, record, at, offset, part, "
            "positive_zero";
}

Attribute PackingAttr::parse(AsmParser &parser, Type) {
  Parameters result;
  SMLoc begin = parser.getCurrentLocation();
  bool isFirst = true;
  auto parseOne = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    std::string word;
    if (parseDashedKeyword(parser, word))
      return failure();
    bool mayBePreset = std::exchange(isFirst, false);
    if (word == "positive_zero") {
      result.positiveZero = true;
      return success();
    }
    if (succeeded(parser.parseOptionalEqual()))
      return parseValue(parser, loc, word, result);
    if (!mayBePreset)
      return parser.emitError(loc) << "expected '=' after '" << word << "'";
    return toEnum(parser, loc, "packing", word, result.preset);
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseOne))
    return {};
  auto emitError = [&] { return parser.emitError(begin); };
  return getChecked(function_ref<InFlightDiagnostic()>(emitError),
                    parser.getContext(), result.preset,
                    result.part.value_or(PackingPart::Codes), result.bits,
                    result.container, result.axis, result.block,
                    ArrayRef<int64_t>(result.order), result.record, result.at,
                    result.offset, result.positiveZero);
}

void PackingAttr::print(AsmPrinter &printer) const {
  StringRef separator = "";
  auto start = [&]() -> AsmPrinter & {
    printer << separator;
    separator = ", ";
    return printer;
  };
  auto printInteger = [&](StringRef name, std::optional<int64_t> value) {
    if (value)
      start() << name << " = " << *value;
  };
  printer << "<";
  if (getPreset())
    start() << stringifyEnum(*getPreset());
  if (getPart() != PackingPart::Codes)
    start() << "part = " << stringifyEnum(getPart());
  printInteger("bits", getBits());
  if (getContainer())
    start() << "container = " << getContainer();
  printInteger("axis", getAxis());
  printInteger("block", getBlock());
  if (!getOrder().empty())
    start().getStream() << "order = [" << llvm::interleaved(getOrder()) << "]";
  printInteger("record", getRecord());
  printInteger("at", getAt());
  printInteger("offset", getOffset());
  if (getPositiveZero())
    start() << "positive_zero";
  printer << ">";
}
