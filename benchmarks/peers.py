# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What kernels are compared with: C by hand, ONNX Runtime. Each way is a function without arguments that fills an array."""

import ctypes
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper


def build_c():
    """kernels.cpp as a library, or nothing where it would not run."""
    cpu = Path("/proc/cpuinfo")
    if not cpu.exists() or "avx512bw" not in cpu.read_text():
        return None
    library = Path(tempfile.mkdtemp()) / "kernels.so"
    source = Path(__file__).with_name("kernels.cpp")
    flags = ["-O3", "-march=native", "-shared", "-fPIC"]
    subprocess.run(["c++", *flags, str(source), "-o", str(library)], check=True)
    return ctypes.CDLL(str(library))


def c_way(library, name: str, arrays: list, sizes: tuple, stream: bool):
    """arrays: with the result; None is a null pointer."""
    pointers = [ctypes.c_void_p(a if a is None else a.ctypes.data) for a in arrays]
    longs = [ctypes.c_long(size) for size in sizes]
    function, streams = library[name], ctypes.c_int(stream)
    function.restype = None
    return lambda keep=arrays: function(*pointers, *longs, streams)


def value(name: str, shape: list | None, element=TensorProto.FLOAT) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, element, shape)


def model(nodes: list, inputs: list, outputs: list, constants: dict) -> onnx.ModelProto:
    """Of ONNX's operators and of com.microsoft's."""
    tensors = [numpy_helper.from_array(array, name) for name, array in constants.items()]
    graph = helper.make_graph(nodes, "main", inputs, outputs, tensors)
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def node_model(op: str, x, constants: dict, output: int, **attributes) -> onnx.ModelProto:
    """One node of `x`, an array or, where ONNX Runtime's Python interface has none, an initializer."""
    kind = helper.np_dtype_to_tensor_dtype(x.dtype)
    four = kind in (TensorProto.INT4, TensorProto.UINT4)
    constants = constants | ({"x": x} if four else {})
    names = ["x", *(n for n in constants if n != "x")]
    graph = helper.make_graph(
        [helper.make_node(op, names, ["y"], **attributes)],
        "main",
        [] if four else [helper.make_tensor_value_info("x", kind, x.shape)],
        [helper.make_tensor_value_info("y", output, x.shape)],
        [numpy_helper.from_array(np.asarray(v), n) for n, v in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def session_of(model: onnx.ModelProto, threads: int = 1) -> onnxruntime.InferenceSession:
    """ONNX Runtime's, with its optimizations."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    return onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )


def onnxruntime_way(model: onnx.ModelProto, x: np.ndarray, out: np.ndarray, threads: int):
    """The call, and a function that gives the bytes of the result. Input and result are bound.

    Nothing is optimized, so that a node of an initializer is no constant.
    """
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    binding = session.io_binding()
    held = []
    if model.graph.input:
        kind = model.graph.input[0].type.tensor_type.elem_type
        data = x.view(np.uint8) if kind >= TensorProto.FLOAT8E4M3FN else x
        held.append(onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(data, kind))
        binding.bind_ortvalue_input("x", held[0])
    kind = model.graph.output[0].type.tensor_type.elem_type
    if kind in (TensorProto.INT4, TensorProto.UINT4):
        binding.bind_output("y")
    else:
        shape = [d.dim_value for d in model.graph.output[0].type.tensor_type.shape.dim]
        binding.bind_output("y", "cpu", 0, kind, shape, out.ctypes.data)

    def result() -> bytes:
        value = binding.get_outputs()[0]
        return ctypes.string_at(value.data_ptr(), out.nbytes)

    return lambda keep=(x, out, held): session.run_with_iobinding(binding), result
