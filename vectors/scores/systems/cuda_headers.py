# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CUDA's headers for fp8, fp6 and fp4, compiled for the host: what they compute where no instruction does."""

from scoring import cast, versions

from .host_headers import build, include_of

PACKAGES = (
    "nvidia-cuda-runtime-cu12",
    "nvidia-cuda-nvcc-cu12",
    "nvidia-cuda-cccl-cu12",
    "numpy",
)
#: The header's words for a type.
STORAGES = {
    "f8E4M3FN": ("fp8", "__NV_E4M3"),
    "f8E5M2": ("fp8", "__NV_E5M2"),
    "f6E2M3FN": ("fp6", "__NV_E2M3"),
    "f6E3M2FN": ("fp6", "__NV_E3M2"),
    "f4E2M1FN": ("fp4", "__NV_E2M1"),
}
SCALES = {
    "cudaRoundZero, __NV_NOSAT": 0,
    "cudaRoundPosInf, __NV_NOSAT": 1,
    "cudaRoundPosInf, __NV_SATFINITE": 2,
}
SOURCE = """
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <cuda_fp6.h>
#include <cuda_fp4.h>
#include <cstddef>
#include <cstdint>
#include <cstring>
"""
ENCODE = """
extern "C" void {name}(const float *x, uint8_t *y, size_t n) {{
  for (size_t i = 0; i < n; ++i) y[i] = {expression};
}}
"""
DECODE = """
extern "C" void {name}(const uint8_t *x, float *y, size_t n) {{
  for (size_t i = 0; i < n; ++i) {{
    __half h = __half({expression});
    y[i] = __half2float(h);
  }}
}}
"""


def version():
    return versions("nvidia-cuda-runtime-cu12")


def functions():
    """The name of a C function, its text, and the cast that it is."""
    for to, (kind, word) in STORAGES.items():
        modes = ("__NV_SATFINITE", "__NV_NOSAT") if kind == "fp8" else ("cudaRoundNearest",)
        for mode in modes:
            order = f"{mode}, {word}" if kind == "fp8" else f"{word}, {mode}"
            name = f"to_{to}_{mode.strip('_')}"
            yield (
                name,
                ENCODE.format(name=name, expression=f"__nv_cvt_float_to_{kind}(x[i], {order})"),
                "f32",
                to,
                mode,
            )
        name = f"from_{to}"
        yield (
            name,
            DECODE.format(name=name, expression=f"__nv_cvt_{kind}_to_halfraw(x[i], {word})"),
            to,
            "f32",
            "",
        )
    for mode, number in SCALES.items():
        rounding, saturation = mode.split(", ")
        name = f"to_e8m0_{number}"
        call = f"__nv_cvt_float_to_e8m0(x[i], {saturation}, {rounding})"
        yield name, ENCODE.format(name=name, expression=call), "f32", "f8E8M0FNU", mode


def operations():
    found = list(functions())
    library = build(
        SOURCE + "".join(text for _, text, *_ in found),
        [
            include_of(f"nvidia/{name}/include")
            for name in ("cuda_runtime", "cuda_nvcc", "cuda_cccl")
        ],
    )
    for name, _, source, to, note in found:
        yield cast(source, to, library(name, source, to), note)
