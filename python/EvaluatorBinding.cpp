// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mlir_qdq._mlir_libs._qdq.evaluator: the APFloat evaluator on arrays of bit
// patterns, for tools/verify and tests.

#include "EvaluatorBinding.h"
#include "EvaluatorElements.h"
#include "mlir/CAPI/IR.h"
#include "mlir/IR/MLIRContext.h"
#include "qdq/IR/QDQ.h"
#include "qdq/Numerics/Evaluator.h"

namespace nb = nanobind;
using namespace mlir;
using namespace mlir::qdq;

static FloatType getFloatType(MlirType type, const char *message) {
  auto result = dyn_cast<FloatType>(unwrap(type));
  if (!result)
    throw nb::value_error(message);
  return result;
}

static ZeroPointNumber getZeroPoint(std::optional<MlirType> type, Bytes bytes,
                                    bool isExpressed) {
  ZeroPointNumber result;
  if (!type)
    return result;
  result.value = Elements(unwrap(*type)).read(bytes.data(), 0);
  result.domain =
      isExpressed ? ZeroPointDomain::Expressed : ZeroPointDomain::Stored;
  return result;
}

/// Codes and a mask of where they are defined.
static void quantize(MlirAttribute semanticsAttr, MlirType storageType,
                     MlirType expressedType, MlirType scaleType,
                     std::optional<MlirType> zeroPointType, Bytes x,
                     Bytes scale, Bytes zeroPoint, MutableBytes codes,
                     MutableBytes defined,
                     std::optional<std::pair<int64_t, int64_t>> clamp,
                     bool isExpressed, uint64_t seed, uint64_t firstIndex) {
  FloatType scaleFormat = getFloatType(scaleType, "the scale is no float");
  Type expressed = unwrap(expressedType);
  Semantics semantics = resolve(getFields(semanticsAttr),
                                {Direction::Quantize, expressed, scaleFormat});
  semantics.seed = seed;
  Storage storage = Storage::get(unwrap(storageType), clamp);
  ZeroPointNumber z = getZeroPoint(zeroPointType, zeroPoint, isExpressed);
  Elements input(expressed), output(unwrap(storageType));
  auto scaleValue =
      std::get<APFloat>(Elements(scaleFormat).read(scale.data(), 0));
  size_t count = input.count(x.size(), "x has a part of an element");
  if (output.count(codes.size(), "codes has a part of an element") != count ||
      defined.size() != count)
    throw nb::value_error("x, codes and defined differ in length");

  nb::gil_scoped_release release;
  for (size_t i = 0; i < count; ++i) {
    std::optional<Number> code =
        evaluateQuantize(semantics, storage, input.read(x.data(), i),
                         scaleValue, z, firstIndex + i);
    defined.data()[i] = code.has_value();
    if (code)
      output.write(codes.data(), i, *code);
  }
}

static void dequantize(MlirAttribute semanticsAttr, MlirType storageType,
                       MlirType expressedType, MlirType scaleType,
                       std::optional<MlirType> zeroPointType, Bytes codes,
                       Bytes scale, Bytes zeroPoint, MutableBytes reals,
                       bool isExpressed) {
  FloatType scaleFormat = getFloatType(scaleType, "the scale is no float");
  FloatType expressed = getFloatType(expressedType, "the result is no float");
  Semantics semantics =
      resolve(getFields(semanticsAttr),
              {Direction::Dequantize, expressed, scaleFormat});
  ZeroPointNumber z = getZeroPoint(zeroPointType, zeroPoint, isExpressed);
  Elements input(unwrap(storageType)), output(expressed);
  auto scaleValue =
      std::get<APFloat>(Elements(scaleFormat).read(scale.data(), 0));
  size_t count = input.count(codes.size(), "codes has a part of an element");
  if (output.count(reals.size(), "reals has a part of an element") != count)
    throw nb::value_error("codes and reals differ in length");

  nb::gil_scoped_release release;
  for (size_t i = 0; i < count; ++i)
    output.write(reals.data(), i,
                 evaluateDequantize(semantics, expressed,
                                    input.read(codes.data(), i), scaleValue,
                                    z));
}

void mlir::qdq::addEvaluator(nb::module_ &extension) {
  nb::module_ m = extension.def_submodule("evaluator");
  m.doc() =
      "The APFloat evaluator on arrays of bit patterns. Arrays are bytes, "
      "each element in the fewest that hold it; scale and zero_point have "
      "one element.";
  m.def("quantize", &quantize, nb::arg("semantics"), nb::arg("storage"),
        nb::arg("expressed"), nb::arg("scale_type"),
        nb::arg("zero_point_type").none(), nb::arg("x"), nb::arg("scale"),
        nb::arg("zero_point"), nb::arg("codes"), nb::arg("defined"),
        nb::arg("clamp").none() = nb::none(), nb::arg("is_expressed") = false,
        nb::arg("seed") = 0, nb::arg("first_index") = 0);
  m.def("dequantize", &dequantize, nb::arg("semantics"), nb::arg("storage"),
        nb::arg("expressed"), nb::arg("scale_type"),
        nb::arg("zero_point_type").none(), nb::arg("codes"), nb::arg("scale"),
        nb::arg("zero_point"), nb::arg("reals"),
        nb::arg("is_expressed") = false);
  addRequantizeEvaluator(m);
}
