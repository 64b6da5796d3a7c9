// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C functions around compiled ones, in the LLVM dialect: they build the memref
// descriptors out of pointers and sizes.

#include "CFunction.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace mlir::qdq;

namespace {
/// Writes the C functions of one compiled function.
class WrapperBuilder {
public:
  WrapperBuilder(CFunction &function, ModuleOp module)
      : function(function), b(ImplicitLocOpBuilder::atBlockEnd(
                                function.body.getLoc(), module.getBody())) {}

  void addCall();
  void addSizes();

private:
  void begin(StringRef name, ArrayRef<Type> parameters);
  Value makeIndex(int64_t value) {
    return LLVM::ConstantOp::create(b, b.getI64Type(), value);
  }
  Value makePointer(ArrayRef<Value> index, Value pointer) {
    return LLVM::GEPOp::create(b, pointer.getType(), b.getI64Type(), pointer,
                               index);
  }
  Value load(Value list, int64_t index) {
    return LLVM::LoadOp::create(b, b.getI64Type(),
                                makePointer(makeIndex(index), list));
  }
  Type getType(const CElement &element) {
    if (element.isFloat)
      return element.bits == 32 ? Type(b.getF32Type()) : b.getF64Type();
    return b.getIntegerType(element.bits);
  }
  Type getPointerType() { return LLVM::LLVMPointerType::get(b.getContext()); }
  Value take() { return wrapper.getArgument(next++); }

  void appendArgumentTypes(SmallVectorImpl<Type> &types);
  void addDescriptor(Value pointer, ArrayRef<Value> sizes);
  Value convertScalar(const CValue &value, Value given);
  SmallVector<Value> getSizes(const CValue &value, ArrayRef<Value> dynamic);
  Value countBytes(const CValue &value, ArrayRef<Value> sizes);
  void addArguments();
  Value callCompanion();
  void addDestinations(Value list);
  void addReturn(Value status);

  CFunction &function;
  ImplicitLocOpBuilder b;
  LLVM::LLVMFuncOp wrapper;
  unsigned next = 0;
  /// Of the call of the compiled function.
  SmallVector<Value> operands;
};
} // namespace

void WrapperBuilder::begin(StringRef name, ArrayRef<Type> parameters) {
  auto type = LLVM::LLVMFunctionType::get(b.getI32Type(), parameters);
  wrapper = LLVM::LLVMFuncOp::create(b, name, type);
  // The C ABIs of some targets require the extension.
  wrapper.setResultAttr(0, LLVM::LLVMDialect::getSExtAttrName(),
                        b.getUnitAttr());
  b.setInsertionPointToStart(wrapper.addEntryBlock(b));
  next = 0;
  operands.clear();
}

void WrapperBuilder::appendArgumentTypes(SmallVectorImpl<Type> &types) {
  for (const CValue &value : function.arguments) {
    types.push_back(value.getTensor() ? getPointerType()
                                      : getType(value.element));
    types.append(value.getDynamicDims().size(), b.getI64Type());
  }
}

/// A memref in row-major order.
void WrapperBuilder::addDescriptor(Value pointer, ArrayRef<Value> sizes) {
  SmallVector<Value> strides(sizes.size());
  Value stride = makeIndex(1);
  for (int64_t dim = sizes.size() - 1; dim >= 0; --dim) {
    strides[dim] = stride;
    if (dim > 0)
      stride = LLVM::MulOp::create(b, stride, sizes[dim]);
  }
  operands.append({pointer, pointer, makeIndex(0)});
  llvm::append_range(operands, sizes);
  llvm::append_range(operands, strides);
}

/// From the C type to that of the compiled function.
Value WrapperBuilder::convertScalar(const CValue &value, Value given) {
  if (value.element.isFloat || value.type.isIndex())
    return given;
  unsigned width = value.type.getIntOrFloatBitWidth();
  if (width != value.element.bits)
    given = LLVM::TruncOp::create(b, b.getIntegerType(width), given);
  // LLVM has f16 and bf16; narrower floats are their bits in compiled code.
  if (value.type.isF16() || value.type.isBF16())
    given = LLVM::BitcastOp::create(b, value.type, given);
  return given;
}

SmallVector<Value> WrapperBuilder::getSizes(const CValue &value,
                                            ArrayRef<Value> dynamic) {
  SmallVector<Value> sizes;
  for (int64_t size : value.getTensor().getShape()) {
    if (!ShapedType::isDynamic(size)) {
      sizes.push_back(makeIndex(size));
      continue;
    }
    sizes.push_back(dynamic.front());
    dynamic = dynamic.drop_front();
  }
  return sizes;
}

/// The length of packed elements, rounded up.
Value WrapperBuilder::countBytes(const CValue &value, ArrayRef<Value> sizes) {
  Value bits = makeIndex(value.getTensor().getElementTypeBitWidth());
  for (Value size : sizes)
    bits = LLVM::MulOp::create(b, bits, size);
  Value up = LLVM::AddOp::create(b, bits, makeIndex(7));
  return LLVM::UDivOp::create(b, up, makeIndex(8));
}

void WrapperBuilder::addArguments() {
  for (const CValue &value : function.arguments) {
    Value given = take();
    if (!value.getTensor()) {
      operands.push_back(convertScalar(value, given));
      continue;
    }
    SmallVector<Value> dynamic;
    for (size_t count = value.getDynamicDims().size(); count > 0; --count)
      dynamic.push_back(take());
    SmallVector<Value> sizes = getSizes(value, dynamic);
    if (!value.isPacked()) {
      addDescriptor(given, sizes);
      continue;
    }
    addDescriptor(given, countBytes(value, sizes));
    llvm::append_range(operands, dynamic);
  }
}

/// The list that the companion writes for the arguments so far. Null if there
/// is no companion.
Value WrapperBuilder::callCompanion() {
  if (!function.companion)
    return {};
  Value count = makeIndex(1 + function.getListed().size());
  Value list =
      LLVM::AllocaOp::create(b, getPointerType(), b.getI64Type(), count);
  size_t arguments = operands.size();
  addDescriptor(list, count);
  LLVM::CallOp::create(b, function.companion, operands);
  operands.truncate(arguments);
  return list;
}

void WrapperBuilder::addDestinations(Value list) {
  int64_t entry = 1;
  auto takeListed = [&] { return load(list, entry++); };
  for (const CValue &value : function.results) {
    Value given = take();
    SmallVector<int64_t> dims = value.getDynamicDims();
    if (value.passing == ResultPassing::Shape) {
      LLVM::StoreOp::create(b, takeListed(), given);
    } else if (!value.getTensor()) {
      addDescriptor(given, {});
    } else if (value.isPacked()) {
      Value bytes =
          dims.empty() ? countBytes(value, getSizes(value, {})) : takeListed();
      addDescriptor(given, bytes);
    } else {
      SmallVector<Value> dynamic;
      for (size_t count = dims.size(); count > 0; --count)
        dynamic.push_back(takeListed());
      addDescriptor(given, getSizes(value, dynamic));
    }
    for (ResultPassing passing : value.sizePassing) {
      if (passing == ResultPassing::Shape)
        ++entry;
      else
        addDescriptor(take(), {});
    }
  }
}

void WrapperBuilder::addReturn(Value status) {
  LLVM::ReturnOp::create(
      b, LLVM::TruncOp::create(b, b.getI32Type(), status).getResult());
}

/// `int name(arguments, results)`.
void WrapperBuilder::addCall() {
  SmallVector<Type> types;
  appendArgumentTypes(types);
  types.append(function.getResultParameters().size(), getPointerType());
  begin(function.name, types);
  addArguments();
  Value list = callCompanion();
  if (!function.checks.empty()) {
    Value failed = load(list, 0);
    Block *entry = b.getBlock();
    Block *stop = b.createBlock(&wrapper.getBody());
    addReturn(failed);
    Block *run = b.createBlock(&wrapper.getBody());
    b.setInsertionPointToEnd(entry);
    Value isFailed =
        LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne, failed, makeIndex(0));
    LLVM::CondBrOp::create(b, isFailed, stop, run);
    b.setInsertionPointToEnd(run);
  }
  addDestinations(list);
  LLVM::CallOp::create(b, function.body, operands);
  addReturn(makeIndex(0));
}

/// `int name_sizes(arguments, int64_t *sizes)`.
void WrapperBuilder::addSizes() {
  SmallVector<Type> types;
  appendArgumentTypes(types);
  types.push_back(getPointerType());
  begin(function.getSizesName(), types);
  addArguments();
  Value list = callCompanion();
  Value sizes = take();
  for (int64_t index = 0, count = function.getListed().size(); index < count;
       ++index)
    LLVM::StoreOp::create(b, load(list, 1 + index),
                          makePointer(makeIndex(index), sizes));
  addReturn(load(list, 0));
}

/// Leaves names to the C functions, and all other code to LLVM's inliner.
static LogicalResult makeInternal(ModuleOp module,
                                  MutableArrayRef<CFunction> functions) {
  SymbolTable symbols(module);
  for (auto function :
       llvm::make_early_inc_range(module.getOps<LLVM::LLVMFuncOp>())) {
    if (function.isExternal())
      continue;
    if (function.getName().starts_with("_mlir_ciface_"))
      symbols.erase(function);
    else
      function.setLinkage(LLVM::Linkage::Internal);
  }
  for (CFunction &function : functions)
    if (failed(symbols.renameToUnique(function.body, {})))
      return function.body.emitError("is used in a way that cannot be renamed");
  return success();
}

LogicalResult mlir::qdq::addWrappers(ModuleOp lowered,
                                     MutableArrayRef<CFunction> functions) {
  if (failed(makeInternal(lowered, functions)))
    return failure();
  for (CFunction &function : functions) {
    SmallVector<std::string> names = {function.name};
    if (std::string sizes = function.getSizesName(); !sizes.empty())
      names.push_back(sizes);
    for (const std::string &name : names)
      if (lowered.lookupSymbol(name))
        return function.body.emitError()
               << "the C name '" << name
               << "' is taken by something else in the module: choose a "
                  "--prefix";
    WrapperBuilder(function, lowered).addCall();
    if (names.size() > 1)
      WrapperBuilder(function, lowered).addSizes();
  }
  return success();
}
