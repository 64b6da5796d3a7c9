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

#define GET_OP_CLASSES
#include "qdq/TransformOps/QDQTransformOps.cpp.inc"

/// The profile that an op names; none where it names none.
template <typename Op>
static std::optional<Profile> getProfile(Op op) {
  std::optional<StringRef> name = op.getProfile();
  return name ? symbolizeEnum<Profile>(*name) : std::nullopt;
}

template <typename Op>
static LogicalResult verifyProfile(Op op) {
  if (!op.getProfile() || getProfile(op))
    return success();
  return op.emitOpError() << "'" << *op.getProfile()
                          << "' is not a value of 'profile': "
                          << expectOneOf<Profile>(*op.getProfile());
}

template <typename Op>
static SemanticsOptions getOptions(Op op) {
  SemanticsOptions options;
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

LogicalResult ConvertONNXToQDQOp::verify() { return verifyProfile(*this); }
LogicalResult ConvertOneDNNToQDQOp::verify() { return verifyProfile(*this); }
LogicalResult ConvertQDQToArithOp::verify() { return verifyProfile(*this); }
LogicalResult DequantizeConstantsOp::verify() { return verifyProfile(*this); }

LogicalResult ConvertQDQToLinalgOp::verify() {
  if (!::getBlockForm(getBlockForm()))
    return emitOpError() << "'" << *getBlockForm()
                         << "' is not a value of 'block_form': expected one of "
                            "auto, expand, map";
  return verifyProfile(*this);
}

void ConvertONNXToQDQOp::populatePatterns(RewritePatternSet &patterns) {
  populateONNXToQDQPatterns(patterns, getOptions(*this));
}

void ConvertOneDNNToQDQOp::populatePatterns(RewritePatternSet &patterns) {
  populateOneDNNToQDQPatterns(patterns, getOptions(*this));
}

void ConvertQDQToArithOp::populatePatterns(RewritePatternSet &patterns) {
  SemanticsOptions options = getOptions(*this);
  options.contractionProof = getContractionProof();
  populateQDQToArithPatterns(patterns, options);
}

void ConvertQDQToLinalgOp::populatePatterns(RewritePatternSet &patterns) {
  QDQToLinalgOptions options{getOptions(*this), *::getBlockForm(getBlockForm()),
                             getRuntimeChecks(), getElementOps()};
  options.contractionProof = getContractionProof();
  populateQDQToLinalgPatterns(patterns, options);
}

void FuseOp::populatePatterns(RewritePatternSet &patterns) {
  populateQDQFusionPatterns(patterns);
}

void FuseContractionsOp::populatePatterns(RewritePatternSet &patterns) {
  populateFuseContractionsPatterns(patterns);
}

void SimplifyOp::populatePatterns(RewritePatternSet &patterns) {
  populateSimplifyPatterns(patterns, {static_cast<int64_t>(getMaxCodeDiff())});
}

void MotionOp::populatePatterns(RewritePatternSet &patterns) {
  populateMotionPatterns(patterns,
                         getReals() ? MovedValues::Reals : MovedValues::Codes);
}

void RequantizeSumsOp::populatePatterns(RewritePatternSet &patterns) {
  populateRequantizeSumsPatterns(patterns, {getRescale()});
}

void DequantizeSumsOp::populatePatterns(RewritePatternSet &patterns) {
  populateDequantizeSumsPatterns(patterns, {getRescale()});
}

void DequantizeConstantsOp::populatePatterns(RewritePatternSet &patterns) {
  populateDequantizeConstantsPatterns(patterns, getOptions(*this));
}

void ExpandMathOp::populatePatterns(RewritePatternSet &patterns) {
  populateExpandMathPatterns(patterns);
}

void DecomposeTensorOpsOp::populatePatterns(RewritePatternSet &patterns) {
  populateDecomposeTensorOpsPatterns(patterns);
}

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
