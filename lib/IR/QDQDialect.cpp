// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registration of the qdq dialect, and the text form of its attributes.

#include "AttributeText.h"
#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "qdq/IR/QDQ.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::qdq;

#include "qdq/IR/QDQDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "qdq/IR/QDQAttributes.cpp.inc"

namespace {
/// Every op may be inlined: none has a region or an effect.
struct QDQInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  using DialectInlinerInterface::isLegalToInline;

  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
};

/// Of the bytecode. 1: quantize has a position.
struct QDQDialectVersion : DialectVersion {
  static constexpr uint64_t kCurrent = 1;
  uint64_t number = kCurrent;
};

/// Bytecode carries the version of the dialect, so that a newer file is refused
/// before its ops are read wrongly. Attributes go as text.
struct QDQBytecodeInterface : BytecodeDialectInterface {
  QDQBytecodeInterface(Dialect *dialect) : BytecodeDialectInterface(dialect) {}

  void writeVersion(DialectBytecodeWriter &writer) const final {
    writer.writeVarInt(QDQDialectVersion::kCurrent);
  }

  std::unique_ptr<DialectVersion>
  readVersion(DialectBytecodeReader &reader) const final {
    auto version = std::make_unique<QDQDialectVersion>();
    if (failed(reader.readVarInt(version->number)))
      return nullptr;
    if (version->number <= QDQDialectVersion::kCurrent)
      return version;
    reader.emitError() << "has version " << version->number
                       << " of the qdq dialect: expected at most "
                       << QDQDialectVersion::kCurrent;
    return nullptr;
  }
};
} // namespace

void QDQDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "qdq/IR/QDQOps.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "qdq/IR/QDQAttributes.cpp.inc"
      >();
  addInterfaces<QDQInlinerInterface, QDQBytecodeInterface>();
}

Operation *QDQDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                           Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

template <typename Enum>
static ParseResult parseField(AsmParser &parser, StringRef name,
                              std::optional<Enum> &field) {
  SMLoc loc = parser.getCurrentLocation();
  std::string text;
  if (field)
    return parser.emitError(loc) << "field '" << name << "' is given twice";
  if (parseDashedKeyword(parser, text))
    return failure();
  return toEnum(parser, loc, name, text, field);
}

Attribute SemanticsAttr::parse(AsmParser &parser, Type) {
  SemanticsFields fields;
  auto parseOne = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name) || parser.parseEqual())
      return failure();
    std::optional<ParseResult> result;
    SmallVector<StringRef> known;
    SemanticsFields::forEach(fields, [&](StringRef spelling, auto &field) {
      known.push_back(spelling);
      if (spelling == name)
        result = parseField(parser, name, field);
    });
    if (result)
      return *result;
    StringRef nearest = findNearest(name, known);
    InFlightDiagnostic error = parser.emitError(loc);
    error << "'" << name
          << "' is not a field of #qdq.semantics: expected one of "
          << llvm::join(known, ", ");
    if (!nearest.empty())
      error << "; did you mean '" << nearest << "'?";
    return error;
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseOne))
    return {};
  return get(parser.getContext(), fields);
}

void SemanticsAttr::print(AsmPrinter &printer) const {
  printer << "<";
  StringRef separator = "";
  SemanticsFields fields = getFields();
  SemanticsFields::forEach(fields, [&](StringRef name, const auto &field) {
    if (!field)
      return;
    printer << separator << name << " = " << stringifyEnum(*field);
    separator = ", ";
  });
  printer << ">";
}
