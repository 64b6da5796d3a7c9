# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each pass of quant-opt: proven step by step on the lit inputs, or why it is not, and what covers it.

A pass that is in no table below claims equal bits, and every step of it is an obligation.
"""

from __future__ import annotations

import re

from .lit_inputs import Command

#: Sources: their ops have no definition here, so that no step of them can run.
SOURCES = {
    f"convert-{source}-to-qdq": "ops of another system, which have no definition here: "
    "vectors/statements, and vectors recorded from the runtimes"
    for source in ("onednn", "onnx", "quant", "stablehlo", "tfl", "torch", "tosa")
} | {
    "convert-onnx-to-linalg": "ops of another system: outputs of ONNX Runtime, in test/python/test_importers_float_operators.py",
    "convert-tfl-to-linalg": "ops of another system: outputs of LiteRT, in test/python/test_importers_tflite_floats.py",
    "convert-torch-types": "types of another system: test/Conversion/convert-torch-types.mlir",
}

#: Passes that may change bits, or whose equality no question to a solver settles.
COVERED = {
    "qdq-integer-contractions": "sums of codes in integers, rounded once: exact rationals in vectors/statements, "
    "recorded runtimes for each rescale",
    "qdq-codegen-prepare-translation": "ops of the LLVM dialect, which have no definition here: "
    "test/Execution/bf16-assembly.mlir, and tools/fuzz",
    "qdq-quantize-activations": "rounds on purpose: NumPy's and gguf's numbers in test/python/test_activations.py",
    "qdq-declare-sum-order": "sums in another order on purpose: NumPy's in test/python/test_sum_order.py",
    "qdq-codegen-partial-sums": "the meaning of the attribute qdq.partial_sums, which other steps ignore: "
    "NumPy's in test/python/test_sum_order.py",
    "qdq-codegen-tabulate-codes": "reads at indices that are data, which the model has not: all codes of chains "
    "against ONNX Runtime, in test/python/test_tabulate_codes.py",
    "qdq-codegen-block-floating-point": "other sums on purpose: error bounds in test/python/test_block_floating_point.py",
}

#: Rewrites of qdq-codegen-lower-to-target, likewise.
COVERED_REWRITES = {
    "functions": "polynomials in 64 bits: libm in f64 for every value, in "
    "test/python/test_elementary_functions.py",
    "fma": "a product in 64 bits, which no solver here decides: exact rationals in "
    "test/python/test_author_arithmetic.py",
}

#: Steps that no solver decides in seconds, by patterns of their names, and what runs the same code.
OPEN_QUESTIONS = {
    r"requantize .*": "products in 64 bits: NumPy's and rational numbers in test/python/test_requantize.py",
    r"IR/requantize[\w-]*\.mlir.* > convert-qdq-to-linalg#\d+": "requantize, as its bodies: NumPy's and "
    "rational numbers in test/python/test_requantize.py",
    r".*/convert-onnx-to-linalg.* @(products_keep_rows|transposed_convolution) > qdq-codegen-vectorize#\d+": "sums "
    "of products of floats: ONNX Runtime's in test/python/test_importers_float_operators.py",
    r".* @sigmoid > qdq-codegen-lower-to-target#\d+": "256 codes of a function, chosen by each code: ONNX Runtime's in "
    "test/python/test_sources_microsoft.py",
    r".*lay-out-contractions-bytes\.mlir:7 .* @resource > qdq-codegen-vectorize#\d+": "sums of products with constant "
    "codes: NumPy's in test/python/test_byte_products.py",
    r"(de)?quantize .*": "all inputs of up to 32 bits: tools/verify",
    r".*rewrites=\S*fma.*": COVERED_REWRITES["fma"],
    r".*block-floating-point=true @product > .*": "sums of codes in integers and of their distances from the "
    "least: all codes of f4E2M1FN, and sums that nothing rounds, in test/python/test_block_floating_point.py",
    r".*saturating-packs\.mlir:6 .* @floats > .*": "256 codes of 8 bits made of floats and packed together: "
    "NumPy's in test/python/test_saturating_packs.py; every f32 alone, by tools/verify, the group f32 to floats",
    r".* > convert-scf-to-cf#\d+": "upstream's expansions of float ops between two steps of ours: compiled ops "
    "on all inputs of up to 32 bits, by tools/verify",
}

#: Reasons of steps with these options.
QUOTIENTS = (
    "a quotient as a corrected product: tools/verify, the groups quotients and codes beside ties"
)
CODE_DIFFERENCES = "max-code-diff: codes that differ on purpose"

#: Of ops that have no definition here.
FOREIGN_DIALECTS = ("onednn_graph", "onnx", "quant", "stablehlo", "tfl", "torch", "tosa")
PROCESSOR_DIALECTS = ("amdgpu", "amx", "gpu", "nvvm", "rocdl")
UPSTREAM_OPS = (
    "builtin.unrealized_conversion_cast", "cf.switch", "func.constant", "linalg.winograd_filter_transform",
    "memref.extract_aligned_pointer_as_index", "scf.condition", "shard.sharding", "vector.mask",
)  # fmt: skip

#: Passes that change no op: remarks, errors, attributes.
UNCHANGING = {
    "qdq-codegen-attach-target": "an attribute of the module",
    "qdq-lint": "remarks",
    "qdq-verify-lowered": "errors",
}

#: Pipelines, whose steps are those of other passes.
PIPELINES = {"lower-quant", "quant-to-llvm"}


def is_ours(passed: str) -> bool:
    return "qdq" in passed or passed == "convert-torch-types"


def group_of(passed: str) -> str:
    """A row of the table: ours by name, upstream's in one."""
    return passed if is_ours(passed) or passed == "input" else "upstream's passes"


def no_equal_bits(passed: str, command: Command, before: str, after: str) -> str:
    """Why a step between two texts is not to prove; empty for one that is."""
    options = command.options()
    if passed in SOURCES | COVERED:
        return (SOURCES | COVERED)[passed]
    if passed == "qdq-codegen-lower-to-target" and options.get("rewrites") in COVERED_REWRITES:
        return COVERED_REWRITES[options["rewrites"]]
    if passed == "qdq-codegen-expand-elements":
        # The processor of `quant-to-llvm` wants reciprocals.
        wants = options.get("reciprocals", "false") == "true" or "target-cpu" in options
        if wants and "qdq.encode" in before:
            return QUOTIENTS
    if passed == "qdq-simplify" and int(options.get("max-code-diff", "0")):
        return CODE_DIFFERENCES
    # Sums in the order that the attribute declared.
    if "qdq.partial_sums" in before and "qdq.partial_sums" not in after:
        return COVERED["qdq-codegen-partial-sums"]
    return ""


def covers(name: str) -> str:
    """What runs the code of a step that is not decided; empty for one that is to be."""
    return next((text for p, text in OPEN_QUESTIONS.items() if re.fullmatch(p, name)), "")


def reasons() -> set[str]:
    """All that `no_equal_bits` says."""
    tables = SOURCES, COVERED, COVERED_REWRITES
    return {QUOTIENTS, CODE_DIFFERENCES, *(reason for table in tables for reason in table.values())}
