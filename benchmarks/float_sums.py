# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products and convolutions of f32 as vectors of results, beside the loops of `target=linalg` and ONNX Runtime, one thread.

.venv/bin/python benchmarks/float_sums.py

Prints the smallest CPU times in ms, interleaved. The bits of the loops, whose order of each sum is ours, are compared
first; ONNX Runtime's sums have another order, and are compared within 1e-5 of the largest.
"""

import numpy as np
from onnx import TensorProto, helper

from mlir_qdq import runtime
from measure import sample, smallest
from peers import session_of
from record import record


def filled(shape) -> tuple[str, str]:
    """The text of a tensor of zeros, %i, and its type."""
    kind = f"tensor<{'x'.join(map(str, shape))}xf32>"
    text = f"""%z = arith.constant 0.0 : f32
      %e = tensor.empty() : {kind}
      %i = linalg.fill ins(%z : f32) outs(%e : {kind}) -> {kind}"""
    return text, kind


def program(op: str, x, w, result) -> str:
    zeros, kind = filled(result)
    xs, ws = (f"tensor<{'x'.join(map(str, a.shape))}xf32>" for a in (x, w))
    return f"""
    func.func @main(%x: {xs}, %w: {ws}) -> {kind} {{
      {zeros}
      %r = {op} ins(%x, %w : {xs}, {ws}) outs(%i : {kind}) -> {kind}
      return %r : {kind}
    }}"""


def session(op: str, x, w, **attributes):
    graph = helper.make_graph(
        [helper.make_node(op, ["x", "w"], ["y"], **attributes)],
        "g",
        [helper.make_tensor_value_info(n, TensorProto.FLOAT, a.shape) for n, a in (("x", x), ("w", w))],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    made = session_of(model)
    return lambda: made.run(None, {"x": x, "w": w})[0]


def compare(name: str, text: str, x, w, theirs) -> None:
    kernels = {target: runtime.compile(text, target=target).main for target in ("vector", "linalg")}
    ours, loops = (np.asarray(kernel(x, w)) for kernel in kernels.values())
    np.testing.assert_array_equal(ours.view(np.uint32), loops.view(np.uint32))
    np.testing.assert_allclose(ours, theirs(), atol=1e-5 * np.abs(loops).max())
    out = np.empty_like(ours)
    ways = {
        "vectors": lambda: kernels["vector"](x, w, out=out),
        "loops": lambda: kernels["linalg"](x, w, out=out),
        "ONNX Runtime": theirs,
    }
    times = smallest(sample(ways))
    values = {way: 1e3 * seconds for way, seconds in times.items()}
    record("products and convolutions of f32", "ms", name, values)


def main() -> None:
    random = np.random.default_rng(0)

    def values(*shape):
        return random.standard_normal(shape).astype(np.float32)

    for m, k, n in ((1, 512, 512), (20, 1024, 8210), (128, 1024, 1024)):
        x, w = values(m, k), values(k, n)
        text = program("linalg.matmul", x, w, (m, n))
        compare(f"{m} x {k} x {n}", text, x, w, session("MatMul", x, w))
    for channels, size, filters, window, stride in (
        (48, 40, 192, 3, 1), (96, 28, 24, 1, 1), (24, 56, 96, 3, 2),
    ):  # fmt: skip
        x, w = values(1, channels, size, size), values(filters, channels, window, window)
        edge = (size - window) // stride + 1
        op = f"linalg.conv_2d_nchw_fchw {{dilations = dense<1> : vector<2xi64>, strides = dense<{stride}> : vector<2xi64>}}"
        text = program(op, x, w, (1, filters, edge, edge))
        name = f"convolution {channels} to {filters}, {size} x {size}, {window} x {window}, stride {stride}"
        compare(name, text, x, w, session("Conv", x, w, strides=[stride, stride]))


if __name__ == "__main__":
    main()
