// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A compiled function in C.

#include "CFunction.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Regex.h"

using namespace mlir;
using namespace mlir::qdq;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static std::string spell(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// True if a type of the model stands for unsigned integers. Tensor types of
/// foreign dialects are known by their text only.
static bool isUnsigned(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (auto quantized = dyn_cast<quant::QuantizedType>(element))
    return !quantized.isSigned();
  if (auto integer = dyn_cast<IntegerType>(element))
    return integer.isUnsigned();
  static const llvm::Regex pattern("(^|[^a-zA-Z0-9_])ui[0-9]+");
  return pattern.match(spell(type));
}

static StringRef getIntegerName(unsigned bits, bool isUnsigned) {
  switch (bits) {
  case 8:
    return isUnsigned ? "uint8_t" : "int8_t";
  case 16:
    return isUnsigned ? "uint16_t" : "int16_t";
  case 32:
    return isUnsigned ? "uint32_t" : "int32_t";
  default:
    return isUnsigned ? "uint64_t" : "int64_t";
  }
}

/// None for types that C has nothing for. Floats that C lacks are their bits.
static std::optional<CElement> getElement(Type type, bool isUnsigned) {
  if (type.isF32())
    return CElement{"float", 32, true, false};
  if (type.isF64())
    return CElement{"double", 64, true, false};
  if (type.isInteger(1))
    return CElement{"bool", 8, false, false};
  if (type.isIndex())
    return CElement{"int64_t", 64, false, false};
  if (!type.isIntOrFloat() || type.getIntOrFloatBitWidth() > 64)
    return std::nullopt;
  unsigned width = type.getIntOrFloatBitWidth();
  unsigned bits = std::max<unsigned>(8, llvm::PowerOf2Ceil(width));
  bool isPacked = width < 8;
  // Bits, and not numbers: floats, and codes that do not fill their C type.
  bool isBits = isa<FloatType>(type) || width != bits;
  return CElement{getIntegerName(bits, isUnsigned || isBits), bits, false,
                  isPacked};
}

SmallVector<int64_t> CValue::getDynamicDims() const {
  SmallVector<int64_t> dims;
  if (RankedTensorType tensor = getTensor())
    for (int64_t dim = 0; dim < tensor.getRank(); ++dim)
      if (tensor.isDynamicDim(dim))
        dims.push_back(dim);
  return dims;
}

std::string CValue::getSizeName(int64_t dim) const {
  return name + "_size" + std::to_string(dim);
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

SmallVector<CParameter> CFunction::getArgumentParameters() const {
  SmallVector<CParameter> parameters;
  for (const CValue &value : arguments) {
    if (!value.getTensor()) {
      parameters.push_back({(value.element.name + " ").str(), value.name});
      continue;
    }
    parameters.push_back(
        {("const " + value.element.name + " *").str(), value.name});
    for (int64_t dim : value.getDynamicDims())
      parameters.push_back({"int64_t ", value.getSizeName(dim)});
  }
  return parameters;
}

SmallVector<CParameter> CFunction::getResultParameters() const {
  SmallVector<CParameter> parameters;
  for (const CValue &value : results) {
    parameters.push_back({(value.element.name + " *").str(), value.name});
    for (auto [dim, passing] :
         llvm::zip(value.getDynamicDims(), value.sizePassing))
      if (passing == ResultPassing::Destination)
        parameters.push_back({"int64_t *", value.getSizeName(dim)});
  }
  return parameters;
}

SmallVector<std::string> CFunction::getListed() const {
  SmallVector<std::string> listed;
  auto addDim = [&](const CValue &value, int64_t dim) {
    listed.push_back(value.name + ", dimension " + std::to_string(dim));
  };
  for (const CValue &value : results) {
    SmallVector<int64_t> dims = value.getDynamicDims();
    if (value.passing == ResultPassing::Shape)
      listed.push_back("the value of " + value.name);
    else if (value.isPacked() && !dims.empty())
      listed.push_back("bytes of " + value.name);
    else
      for (int64_t dim : dims)
        addDim(value, dim);
    for (auto [dim, passing] : llvm::zip(dims, value.sizePassing))
      if (passing == ResultPassing::Shape)
        addDim(value, dim);
  }
  return listed;
}

std::string CFunction::getSizesName() const {
  return getListed().empty() ? std::string() : name + "_sizes";
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

SmallVector<SourceFunction> mlir::qdq::collectPublicFunctions(ModuleOp module) {
  SmallVector<SourceFunction> functions;
  auto getLabel = [](DictionaryAttr attributes) -> std::string {
    StringAttr name;
    if (attributes)
      name = attributes.getAs<StringAttr>("onnx.name");
    return name ? name.str() : std::string();
  };
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function.isPublic() || function.isExternal())
      continue;
    SourceFunction source{function.getLoc(),
                          function.getName().str(),
                          function.getFunctionType(),
                          {},
                          {}};
    for (unsigned index = 0; index < function.getNumArguments(); ++index)
      source.argumentLabels.push_back(getLabel(function.getArgAttrDict(index)));
    for (unsigned index = 0; index < function.getNumResults(); ++index)
      source.resultLabels.push_back(
          getLabel(function.getResultAttrDict(index)));
    functions.push_back(std::move(source));
  }
  return functions;
}

/// The arguments or the results of one function.
static LogicalResult describeValues(const SourceFunction &source,
                                    StringRef what, TypeRange sourceTypes,
                                    ArrayRef<std::string> labels,
                                    TypeRange types,
                                    SmallVectorImpl<CValue> &values) {
  // A lowering that changes a signature, as of torch types, keeps the count.
  if (sourceTypes.size() != types.size())
    return emitError(source.location)
           << "function '" << source.name << "' has " << sourceTypes.size()
           << " " << what << "s, and " << types.size() << " when lowered";
  for (size_t index = 0; index < types.size(); ++index) {
    Type type = types[index];
    auto refuse = [&](const Twine &reason) -> LogicalResult {
      return emitError(source.location)
             << what << " " << index << " of function '" << source.name
             << "' has the type " << sourceTypes[index] << ", " << reason;
    };
    if (isa<UnrankedTensorType>(type))
      return refuse("whose rank C would have to know: give it a shape");
    bool isTensor = isa<RankedTensorType>(type);
    auto element =
        getElement(getElementTypeOrSelf(type), isUnsigned(sourceTypes[index]));
    if (!element || (isa<ShapedType>(type) && !isTensor))
      return refuse("for which there is no C type: expected ranked tensors and "
                    "scalars of integers and floats of up to 64 bits");
    CValue value;
    value.type = type;
    value.spelling = spell(sourceTypes[index]);
    value.element = *element;
    value.name =
        (what == "argument" ? "arg" : "result") + std::to_string(index);
    value.label = labels[index];
    values.push_back(value);
  }
  return success();
}

static ResultPassing parsePassing(Attribute attribute) {
  StringRef word = cast<StringAttr>(attribute).getValue();
  for (ResultPassing passing :
       {ResultPassing::Destination, ResultPassing::Shape})
    if (word == stringify(passing))
      return passing;
  return ResultPassing::Returned;
}

/// `qdq.results` lists results as they are packed: an entry for the bytes and
/// one for each dynamic size.
static LogicalResult takePassing(const SourceFunction &source, ArrayAttr ways,
                                 MutableArrayRef<CValue> results) {
  const Attribute *next = ways.begin();
  for (auto [index, value] : llvm::enumerate(results)) {
    value.passing = parsePassing(*next++);
    if (value.passing == ResultPassing::Returned)
      return emitError(source.location)
             << "result " << index << " of function '" << source.name
             << "' has the type '" << value.spelling
             << "', and its size depends on data: a caller cannot allocate it";
    if (value.isPacked())
      for (size_t count = value.getDynamicDims().size(); count > 0; --count)
        value.sizePassing.push_back(parsePassing(*next++));
  }
  return success();
}

static std::string makeIdentifier(StringRef name) {
  std::string identifier;
  for (char c : name)
    identifier += llvm::isAlnum(c) ? c : '_';
  if (identifier.empty() || llvm::isDigit(identifier.front()))
    identifier.insert(0, "_");
  return identifier;
}

/// Words that a function cannot be named in C or C++.
static bool isReserved(StringRef name) {
  static const llvm::StringSet<> words = [] {
    llvm::StringSet<> set;
    constexpr StringLiteral text =
        "alignas alignof and and_eq asm auto bitand bitor bool break case "
        "catch "
        "char class compl concept const consteval constexpr constinit "
        "const_cast continue co_await co_return co_yield decltype default "
        "delete do double dynamic_cast else enum explicit export extern false "
        "float for friend goto if inline int long main mutable namespace new "
        "noexcept not not_eq nullptr operator or or_eq private protected "
        "public "
        "register reinterpret_cast requires restrict return short signed "
        "sizeof "
        "static static_assert static_cast struct switch template this "
        "thread_local throw true try typedef typeid typename typeof union "
        "unsigned using virtual void volatile wchar_t while xor xor_eq "
        "char8_t char16_t char32_t int8_t int16_t int32_t int64_t uint8_t "
        "uint16_t uint32_t uint64_t intptr_t uintptr_t size_t "
        // Functions that LLVM calls for loops would call themselves.
        "memcpy memmove memset memcmp bcmp malloc free aligned_alloc abort";
    SmallVector<StringRef> split;
    text.split(split, ' ');
    set.insert(split.begin(), split.end());
    return set;
  }();
  return words.contains(name);
}

static FailureOr<CFunction>
describe(ModuleOp lowered, const SourceFunction &source, StringRef prefix) {
  CFunction function;
  function.name = makeIdentifier((prefix + source.name).str());
  if (isReserved(function.name))
    return emitError(source.location)
           << "function '" << source.name << "' cannot be named '"
           << function.name << "' in C: choose a --prefix";
  function.body = lowered.lookupSymbol<LLVM::LLVMFuncOp>(source.name);
  auto type = function.body
                  ? function.body->getAttrOfType<TypeAttr>(kTensorTypeAttr)
                  : TypeAttr();
  if (!type)
    return emitError(source.location)
           << "function '" << source.name << "' was not lowered";
  if (auto unpacked = function.body->getAttrOfType<TypeAttr>(kUnpackedTypeAttr))
    type = unpacked;
  auto signature = cast<FunctionType>(type.getValue());
  if (failed(describeValues(source, "argument", source.type.getInputs(),
                            source.argumentLabels, signature.getInputs(),
                            function.arguments)) ||
      failed(describeValues(source, "result", source.type.getResults(),
                            source.resultLabels, signature.getResults(),
                            function.results)) ||
      failed(takePassing(source,
                         function.body->getAttrOfType<ArrayAttr>(kResultsAttr),
                         function.results)))
    return failure();
  if (auto name =
          function.body->getAttrOfType<FlatSymbolRefAttr>(kShapeFunctionAttr)) {
    function.companion = lowered.lookupSymbol<LLVM::LLVMFuncOp>(name.getAttr());
    for (Attribute message :
         function.companion->getAttrOfType<ArrayAttr>(kAssertionsAttr))
      function.checks.push_back(cast<StringAttr>(message).str());
  }
  return function;
}

FailureOr<SmallVector<CFunction, 0>>
mlir::qdq::describeFunctions(ModuleOp lowered, ArrayRef<SourceFunction> sources,
                             StringRef prefix) {
  SmallVector<CFunction, 0> functions;
  llvm::StringMap<StringRef> taken;
  bool hasFailed = false;
  for (const SourceFunction &source : sources) {
    FailureOr<CFunction> function = describe(lowered, source, prefix);
    if (failed(function)) {
      hasFailed = true;
      continue;
    }
    for (const std::string &name : {function->name, function->getSizesName()}) {
      if (name.empty())
        continue;
      auto [entry, isNew] = taken.try_emplace(name, source.name);
      if (isNew)
        continue;
      emitError(source.location)
          << "functions '" << entry->second << "' and '" << source.name
          << "' would both be named '" << name << "' in C";
      hasFailed = true;
    }
    functions.push_back(std::move(*function));
  }
  if (hasFailed)
    return failure();
  return functions;
}
