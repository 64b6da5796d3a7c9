# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records StableHLO's uniform_quantize and uniform_dequantize, as IREE runs them, for the profile `stablehlo`.

pip install iree-base-compiler==3.13.0 iree-base-runtime==3.13.0 numpy
python tools/record-vectors/stablehlo_iree.py
"""

import iree.compiler as compiler
import iree.runtime as runtime
import numpy as np
from vectors import Recording, dequantize_rows, quantize_rows


def program(operation: str, storage: str, count: int, scale, zero_point) -> str:
    functions = []
    for row, (s, z) in enumerate(zip(scale, zero_point)):
        quantized = f"tensor<{count}x!quant.uniform<{storage.replace('ui', 'u')}:f32, {float(s)!r}:{int(z)}>>"
        real = f"tensor<{count}xf32>"
        source, target = (real, quantized) if operation == "quantize" else (quantized, real)
        functions.append(
            f"func.func @f{row}(%x: {source}) -> {target} {{\n"
            f"  %y = stablehlo.uniform_{operation} %x : ({source}) -> {target}\n  return %y : {target}\n}}"
        )
    return "\n".join(functions)


def run(operation, storage, x, scale, zero_point):
    text = program(operation, storage, x.shape[1], scale, zero_point)
    binary = compiler.compile_str(
        text,
        target_backends=["llvm-cpu"],
        input_type="stablehlo",
        extra_args=["--iree-llvmcpu-target-cpu=generic"],
    )
    config = runtime.Config("local-task")
    context = runtime.SystemContext(config=config)
    context.add_vm_module(runtime.VmModule.copy_buffer(context.instance, binary))
    module = context.modules.module
    return np.stack([module[f"f{row}"](values).to_host() for row, values in enumerate(x)])


def agrees(storage: str) -> str:
    """IREE reads and writes unsigned codes as signed ones."""
    return "differs" if storage.startswith("ui") else "everywhere"


def main():
    recording = Recording(
        "stablehlo", "stablehlo_iree.py", ("iree-base-compiler", "iree-base-runtime")
    )
    for storage in ("i8", "ui8", "i16"):
        x, s, z = quantize_rows(storage, ends=False)
        q = run("quantize", storage, x, s, z)
        recording.add(
            f"quantize-{storage}", "quantize", ("f32", x), ("f32", s), (storage, z), (storage, q),
            agrees=agrees(storage), how="stablehlo.uniform_quantize, per tensor, one function a row",
        )  # fmt: skip
    for storage in ("i8", "ui8", "i16", "i32"):
        q, s, z = dequantize_rows(storage, ends=False)
        y = run("dequantize", storage, q, s, z)
        recording.add(
            f"dequantize-{storage}", "dequantize", (storage, q), ("f32", s), (storage, z), ("f32", y),
            agrees=agrees(storage), how="stablehlo.uniform_dequantize, per tensor, one function a row",
        )  # fmt: skip
    # IREE flushes subnormal numbers to zero.
    q, s, z = (part[-4:] for part in dequantize_rows("i8"))
    recording.add(
        "dequantize-i8-ends", "dequantize", ("i8", q), ("f32", s), ("i8", z), ("f32", run("dequantize", "i8", q, s, z)),
        agrees="differs", how="stablehlo.uniform_dequantize, per tensor, one function a row",
    )  # fmt: skip
    recording.save()


if __name__ == "__main__":
    main()
