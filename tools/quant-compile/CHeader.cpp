// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The header that declares compiled functions to C and C++.

#include "CFunction.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::qdq;

/// Text of the model inside a comment.
static std::string quote(StringRef text) {
  std::string safe = text.str();
  for (size_t at = 0; (at = safe.find("*/", at)) != std::string::npos;)
    safe.insert(at + 1, " ");
  for (char &c : safe)
    if (!llvm::isPrint(c))
      c = '?';
  return safe;
}

/// `shape [arg0_size0][8], float`.
static std::string describeForm(const CValue &value, bool isResult) {
  std::string text;
  llvm::raw_string_ostream os(text);
  RankedTensorType tensor = value.getTensor();
  if (tensor) {
    os << "shape ";
    for (auto [dim, size] : llvm::enumerate(tensor.getShape())) {
      if (!ShapedType::isDynamic(size))
        os << '[' << size << ']';
      else
        os << '[' << (isResult ? "?" : value.getSizeName(dim)) << ']';
    }
    if (tensor.getRank() == 0)
      os << "of one element";
    os << ", ";
  }
  Type element = tensor ? tensor.getElementType() : value.type;
  if (value.isPacked())
    os << "packed " << element << ": row-major, without gaps, the first "
       << "element in the lowest bits";
  else if (isa<FloatType>(element) && !value.element.isFloat)
    os << "bits of " << element;
  else if (element.isInteger() && !element.isInteger(1) &&
           element.getIntOrFloatBitWidth() != value.element.bits)
    os << "codes of " << element.getIntOrFloatBitWidth()
       << " bits in the lowest bits; those above are not read, and may be "
          "anything in a result";
  else
    os << value.element.name;
  return text;
}

static void printValue(llvm::raw_ostream &os, const CValue &value,
                       bool isResult) {
  os << " *   " << value.name;
  if (!value.label.empty())
    os << " (\"" << quote(value.label) << "\")";
  os << ": " << quote(value.spelling) << "\n *     "
     << describeForm(value, isResult) << "\n";
}

static void printPrototype(llvm::raw_ostream &os, StringRef name,
                           ArrayRef<CParameter> parameters) {
  os << "int " << name << "(";
  llvm::interleaveComma(parameters, os, [&](const CParameter &parameter) {
    os << parameter.type << parameter.name;
  });
  os << (parameters.empty() ? "void);\n" : ");\n");
}

static void printFunction(llvm::raw_ostream &os, const CFunction &function) {
  os << "\n/*\n * " << function.name << "\n";
  for (const CValue &value : function.arguments)
    printValue(os, value, /*isResult=*/false);
  for (const CValue &value : function.results)
    printValue(os, value, /*isResult=*/true);
  if (function.checks.empty())
    os << " *   returns 0\n";
  else
    os << " *   returns 0, or without any result\n";
  for (auto [index, message] : llvm::enumerate(function.checks))
    os << " *     " << index + 1 << ": " << quote(message) << "\n";
  os << " */\n";
  SmallVector<CParameter> parameters = function.getArgumentParameters();
  size_t arguments = parameters.size();
  llvm::append_range(parameters, function.getResultParameters());
  printPrototype(os, function.name, parameters);

  std::string name = function.getSizesName();
  if (name.empty())
    return;
  os << "\n/*\n * " << name << ": how large the results of " << function.name
     << " will be; reads no tensor\n";
  SmallVector<std::string> listed = function.getListed();
  for (auto [index, what] : llvm::enumerate(listed))
    os << " *   sizes[" << index << "]: " << what << "\n";
  os << " *   returns what " << function.name << " will return\n */\n";
  parameters.truncate(arguments);
  parameters.push_back(
      {"int64_t ", "sizes[" + std::to_string(listed.size()) + "]"});
  printPrototype(os, name, parameters);
}

std::string mlir::qdq::printHeader(ArrayRef<CFunction> functions,
                                   StringRef path, StringRef origin) {
  std::string guard;
  for (char c : llvm::sys::path::filename(path))
    guard += llvm::isAlnum(c) ? llvm::toUpper(c) : '_';
  guard = "QDQ_" + guard;

  std::string text;
  llvm::raw_string_ostream os(text);
  os << "/*\n * " << quote(origin) << "\n"
     << R"( *
 * Tensors are pointers to their first element, row-major and without gaps,
 * aligned as their C type. A dynamic size follows its tensor. The caller owns
 * all memory: arguments are only read, results are overwritten. A result must
 * not overlap an argument or another result. Functions keep no pointer and have
 * no state: several threads may call them.
 */
)" << "#ifndef "
     << guard << "\n#define " << guard << R"(

#include <stdint.h>
#ifndef __cplusplus
#include <stdbool.h>
#else
extern "C" {
#endif
)";
  for (const CFunction &function : functions)
    printFunction(os, function);
  os << "\n#ifdef __cplusplus\n}\n#endif\n\n#endif /* " << guard << " */\n";
  return text;
}
