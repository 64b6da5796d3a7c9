// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// transform.apply_patterns.qdq.*, each of which names one populate function,
// and transform.qdq.vectorize.

#include "qdq/TransformOps/QDQTransformOps.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/OpImplementation.h"
#include "qdq/CodeGen/DecomposeTensorOps.h"
#include "qdq/CodeGen/Vectorize.h"
#include "qdq/Conversion/ONNXToQDQ/ONNXToQDQ.h"
#include "qdq/Conversion/OneDNNToQDQ/OneDNNToQDQ.h"
#include "qdq/Conversion/QDQToArith/QDQToArith.h"
#include "qdq/Conversion/QDQToLinalg/QDQToLinalg.h"
#include "qdq/Transforms/DequantizeConstants.h"
#include "qdq/Transforms/FuseContractions.h"
#include "qdq/Transforms/IntegerContractions.h"
#include "qdq/Transforms/Legalize/ExpandMath.h"
#include "qdq/Transforms/Motion.h"
#include "qdq/Transforms/Simplify.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::qdq;

/// The profile that an op names; none where it names none.
template <typename Op>
static std::optional<Profile> getProfile(Op op) {
  std::optional<StringRef> name = op.getProfile();
  return name ? symbolizeEnum<Profile>(*name) : std::nullopt;
}

template <typename Op>
static LogicalResult verifyNames(Op op) {
  if (!op.getProfile() || getProfile(op))
    return success();
  return op.emitOpError() << "'" << *op.getProfile()
                          << "' is not a value of 'profile': "
                          << expectOneOf<Profile>(*op.getProfile());
}

template <typename Op>
static SemanticsOptions getOptions(Op op, bool contractionProof = false) {
  SemanticsOptions options;
  options.contractionProof = contractionProof;
  if (auto semantics = op.getSemantics())
    options.fields = semantics->getFields();
  options.profile = getProfile(op);
  options.overrideSemantics = op.getOverrideSemantics();
  return options;
}

static std::optional<BlockForm> getBlockForm(std::optional<StringRef> name) {
  return llvm::StringSwitch<std::optional<BlockForm>>(name.value_or("auto"))
      .Case("auto", BlockForm::Auto)
      .Case("expand", BlockForm::Expand)
      .Case("map", BlockForm::Map)
      .Default(std::nullopt);
}

static LogicalResult verifyNames(ConvertQDQToLinalgOp op) {
  if (!getBlockForm(op.getBlockForm()))
    return op.emitOpError() << "'" << *op.getBlockForm()
                            << "' is not a value of 'block_form': expected one "
                               "of auto, expand, map";
  return verifyNames<ConvertQDQToLinalgOp>(op);
}

static QDQToLinalgOptions getLinalgOptions(ConvertQDQToLinalgOp op) {
  return {getOptions(op, op.getContractionProof()),
          *getBlockForm(op.getBlockForm()), op.getRuntimeChecks(),
          op.getElementOps()};
}

#define GET_OP_CLASSES
#include "qdq/TransformOps/QDQTransformOps.cpp.inc"

DiagnosedSilenceableFailure
VectorizeOp::applyToOne(transform::TransformRewriter &rewriter,
                        Operation *target, transform::ApplyToEachResultList &,
                        transform::TransformState &) {
  if (!target->hasTrait<OpTrait::IsIsolatedFromAbove>())
    return emitSilenceableFailure(target)
           << "'" << target->getName()
           << "' would itself be replaced: expected what holds all of its "
              "values, such as a function";
  VectorizationOptions options{static_cast<int64_t>(getVectorBits()),
                               getByteDots() ? ByteDots::X86VNNI
                                             : ByteDots::None};
  if (failed(vectorizeGenerics(rewriter.getListener(), target, options)))
    return DiagnosedSilenceableFailure::definiteFailure();
  return DiagnosedSilenceableFailure::success();
}

void VectorizeOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  transform::onlyReadsHandle(getTargetMutable(), effects);
  transform::modifiesPayload(effects);
}

namespace {
struct Extension : transform::TransformDialectExtension<Extension> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Extension)

  using Base::Base;

  void init() {
    declareDependentDialect<QDQDialect>();
    declareGeneratedDialect<QDQDialect>();
    declareGeneratedDialect<affine::AffineDialect>();
    declareGeneratedDialect<arith::ArithDialect>();
    declareGeneratedDialect<linalg::LinalgDialect>();
    declareGeneratedDialect<math::MathDialect>();
    declareGeneratedDialect<scf::SCFDialect>();
    declareGeneratedDialect<tensor::TensorDialect>();
    declareGeneratedDialect<vector::VectorDialect>();
    registerTransformOps<
#define GET_OP_LIST
#include "qdq/TransformOps/QDQTransformOps.cpp.inc"
        >();
  }
};
} // namespace

void mlir::qdq::registerTransformDialectExtension(DialectRegistry &registry) {
  registry.addExtensions<Extension>();
}
