# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs whose sizes are computed of Shape, as torch exports transformers with open batch and length."""

import numpy as np
import onnx
import onnxruntime
import pytest
from mlir_qdq import runtime
from mlir_qdq.importers.onnx import import_model

HEADS, DEPTH, LONGEST = 2, 4, 12
WIDTH = HEADS * DEPTH

#: Embeddings, positions up to the length, a mask that is causal and hides padding, and attention.
BLOCK = f"""<ir_version: 8, opset_import: ["": 17]>
block (int64[batch, length] ids, int64[batch, length] visible) => (float[batch, length, {WIDTH}] y)
<float[20, {WIDTH}] words, float[{LONGEST}, {WIDTH}] places, float[{WIDTH}, {WIDTH}] wq, float[{WIDTH}, {WIDTH}] wk>
{{
  zero = Constant<value_int = 0>() one = Constant<value_int = 1>()
  first = Constant<value_ints = [0]>() second = Constant<value_ints = [1]>() any = Constant<value_ints = [-1]>()
  sizes = Shape(ids)
  b = Gather(sizes, zero) s = Gather(sizes, one)
  bs = Unsqueeze(b, first) ss = Unsqueeze(s, first)
  table = Slice(places, first, ss, first)
  word = Gather(words, ids)
  x = Add(word, table)
  depth = Constant<value_ints = [{HEADS}, {DEPTH}]>()
  split = Concat<axis = 0>(bs, ss, depth)
  q0 = MatMul(x, wq) k0 = MatMul(x, wk)
  q1 = Reshape(q0, split) k1 = Reshape(k0, split)
  q = Transpose<perm = [0, 2, 1, 3]>(q1) k = Transpose<perm = [0, 2, 3, 1]>(k1) v = Transpose<perm = [0, 2, 1, 3]>(k1)
  scores = MatMul(q, k)
  range = Range(zero, s, one)
  rows = Unsqueeze(range, second) columns = Unsqueeze(range, first)
  causal = GreaterOrEqual(rows, columns)
  axes = Constant<value_ints = [1, 2]>()
  seen = Cast<to = 9>(visible)
  shown = Unsqueeze(seen, axes)
  both = And(causal, shown)
  four = Constant<value_ints = [4]>()
  unit = ConstantOfShape<value = int64[1] {{1}}>(four)
  wanted0 = Concat<axis = 0>(bs, second, ss, ss)
  minus = Mul(unit, any) free = Equal(wanted0, minus) wanted = Where(free, unit, wanted0)
  mask = Expand(both, wanted)
  lowest = Constant<value_float = -inf>()
  hidden = Where(mask, scores, lowest)
  weights0 = Softmax<axis = -1>(hidden)
  nothing = IsNaN(weights0) none = Constant<value_float = 0.0>()
  weights = Where(nothing, none, weights0)
  joined = MatMul(weights, v)
  back = Transpose<perm = [0, 2, 1, 3]>(joined)
  flat = Constant<value_ints = [{WIDTH}]>()
  merged = Concat<axis = 0>(bs, ss, flat)
  y = Reshape(back, merged)
}}"""


def model() -> onnx.ModelProto:
    random = np.random.default_rng(0)
    proto = onnx.parser.parse_model(BLOCK)
    weights = list(proto.graph.value_info)
    del proto.graph.value_info[:]
    for weight in weights:
        shape = [dim.dim_value for dim in weight.type.tensor_type.shape.dim]
        values = random.normal(0, 0.5, shape).astype(np.float32)
        proto.graph.initializer.append(onnx.numpy_helper.from_array(values, weight.name))
    return proto


def inputs(batch: int, length: int) -> list[np.ndarray]:
    random = np.random.default_rng(batch * 100 + length)
    visible = np.ones((batch, length), np.int64)
    visible[-1:, : length // 3] = 0  # the first rows see nothing
    return [random.integers(-20, 20, (batch, length)), visible]


@pytest.fixture(scope="module")
def block():
    proto = model()
    session = onnxruntime.InferenceSession(proto.SerializeToString())
    return runtime.compile(import_model(proto), profile="ort")["block"], session


@pytest.mark.parametrize("batch, length", [(1, 1), (1, 5), (2, 3), (3, LONGEST), (0, 4), (2, 0)])
def test_block(block, batch, length):
    compiled, session = block
    ids, visible = inputs(batch, length)
    expected = session.run(None, {"ids": ids, "visible": visible})[0]
    got = compiled(ids, visible)
    assert got.shape == expected.shape
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)


def test_longer_than_the_table(block):
    """ONNX Runtime refuses to add 13 words and 12 places, and so do we."""
    compiled, session = block
    ids, visible = inputs(2, LONGEST + 1)
    with pytest.raises(Exception, match="broadcast|Broadcast|invalid"):
        session.run(None, {"ids": ids, "visible": visible})
    with pytest.raises(ValueError, match="sizes do not fit together"):
        compiled(ids, visible)


def test_sizes_of_one_name(block):
    """Both inputs have the dimensions `batch` and `length`."""
    compiled, _ = block
    with pytest.raises(ValueError, match="sizes do not fit together"):
        compiled(inputs(2, 5)[0], inputs(2, 4)[1])


@pytest.mark.parametrize("batch", [1, 3])
def test_pads_in_the_order_of_torch(batch):
    """From the last dimension forwards, in pairs, to the next multiple of 4: constants here."""
    proto = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["": 17]>
    pad (float[batch, 6] x) => (float[batch, columns] y)
    {
      place = Constant<value_int = 1>() four = Constant<value_ints = [4]>()
      first = Constant<value_ints = [0]>() last = Constant<value_ints = [-1]>()
      lowest = Constant<value_ints = [-9223372036854775807]>() pairs = Constant<value_ints = [-1, 2]>()
      none = Constant<value_ints = [0, 0]>()
      sizes = Shape(x)
      n = Gather(sizes, place)
      beyond = Mod(n, four)
      missing = Sub(four, beyond)
      all = Concat<axis = 0>(first, missing, none)
      matrix = Reshape(all, pairs)
      back = Slice(matrix, last, lowest, first, last)
      columnwise = Transpose<perm = [1, 0]>(back)
      pads = Reshape(columnwise, last)
      y = Pad(x, pads)
    }""")
    x = np.arange(batch * 6, dtype=np.float32).reshape(batch, 6)
    session = onnxruntime.InferenceSession(proto.SerializeToString())
    got = runtime.compile(import_model(proto))["pad"](x)
    np.testing.assert_array_equal(got, session.run(None, {"x": x})[0])
    assert got.shape == (batch, 8)


def test_resize_of_many_elements():
    """In f32, 33,554,435 - 1 is 33,554,436: the place behind the last one."""
    size = 33554435
    proto = onnx.parser.parse_model("""<ir_version: 10, opset_import: ["": 19]>
    resize (uint8[n] x, int64[1] sizes) => (uint8[m] y) {
      y = Resize<mode = "nearest", coordinate_transformation_mode = "align_corners", nearest_mode = "floor">(x, , , sizes)
    }""")
    memory = np.full(size + 64, 99, np.uint8)
    memory[:size] = 7
    run = runtime.compile(import_model(proto)).resize
    np.testing.assert_array_equal(run(memory[:size], np.array([5])), [7] * 5)


def test_chain_of_maxima():
    """Whether a size may be negative is asked of few ops: 64 maxima of two ways each have 2^64 ways to their start."""
    lines = ["%m0 = arith.maxsi %a, %b : i64"]
    for i in range(64):
        lines += [
            f"%i{i} = arith.index_cast %m{i} : i64 to index",
            f"%t{i} = arith.index_cast %i{i} : index to i32",
            f"%u{i} = arith.index_cast %t{i} : i32 to index",
            f"%v{i} = arith.index_cast %u{i} : index to i64",
            f"%m{i + 1} = arith.maxsi %m{i}, %v{i} : i64",
        ]
    body = "\n".join(lines)
    run = runtime.compile(f"""
    func.func @ones(%a: i64, %b: i64) -> tensor<?xf32> {{
      {body}
      %sizes = tensor.from_elements %m64 : tensor<1xi64>
      %y = "onnx.ConstantOfShape"(%sizes) {{value = dense<1.0> : tensor<1xf32>}} : (tensor<1xi64>) -> tensor<?xf32>
      return %y : tensor<?xf32>
    }}""").ones
    np.testing.assert_array_equal(run(3, 5), np.ones(5, np.float32))
