# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cache of runtime.compile, in the process and in files, and compilation in parts."""

import gc
import os
import subprocess
import sys
import threading

import ml_dtypes
import numpy as np
import pytest
from mlir.ir import Context

import mlir_qdq
from mlir_qdq import runtime
from mlir_qdq._mlir_libs import _qdq
from mlir_qdq.runtime import _cache, _compile

pytestmark = pytest.mark.unoptimized
ADD = """
func.func @add(%x: tensor<?xf32>, %k: f32) -> (tensor<?xf32>, index) {{
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %c = arith.constant dense<{constant}> : tensor<f32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %y = linalg.generic {{indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> ()>, affine_map<(d) -> (d)>],
      iterator_types = ["parallel"]}} ins(%x, %c : tensor<?xf32>, tensor<f32>) outs(%e : tensor<?xf32>) {{
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  }} -> tensor<?xf32>
  return %y, %n : tensor<?xf32>, index
}}
func.func @codes(%q: tensor<?x5xui3>, %s: tensor<?xf32>) -> tensor<?x5xf32> {{
  %x = qdq.dequantize %q scale %s axis 0 : (tensor<?x5xui3>, tensor<?xf32>) -> tensor<?x5xf32>
  return %x : tensor<?x5xf32>
}}
"""
X = np.arange(20, dtype=np.float32)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    path = tmp_path / "cache"
    monkeypatch.setenv("MLIR_QDQ_CACHE", str(path))
    return path


@pytest.fixture
def generated(monkeypatch):
    """How often something was compiled."""
    calls = []
    generate = _compile._generate
    monkeypatch.setattr(
        _compile, "_generate", lambda *arguments: calls.append(None) or generate(*arguments)
    )
    return calls


def text_of(constant: float) -> str:
    return ADD.format(constant=float(constant))


def check(constant: float, **options):
    compiled = runtime.compile(text_of(constant), **options)
    y, n = compiled.add(X, 0.0)
    np.testing.assert_array_equal(y, X + np.float32(constant))
    assert n == 20
    codes = np.arange(10, dtype=np.uint8).reshape(2, 5) % 8
    scales = np.array([2, 3], np.float32)
    np.testing.assert_array_equal(compiled.codes(codes, scales), codes * scales[:, None])
    with pytest.raises(ValueError, match="codes: .*"):
        compiled.codes(codes, np.ones(3, np.float32))
    with pytest.raises(
        ValueError, match=r"codes: argument 0: expected uint8 \(ui3\) array of shape \(\?, 5\)"
    ):
        compiled.codes(codes[:, :4], scales)
    gc.collect()


def test_files(folder, generated):
    others = set(_cache.engines)  # of tests before this one
    check(1)
    assert len(generated) == 1 and len(os.listdir(folder)) == 1
    assert set(_cache.engines) <= others
    check(1)
    assert len(generated) == 1
    check(2)
    check(1, rounding="floor")
    assert len(generated) == 3 and len(os.listdir(folder)) == 3
    with Context() as ctx:
        mlir_qdq.register(ctx)
        from mlir.ir import Module

        runtime.compile(Module.parse(text_of(1)))
    assert len(generated) == 3


def test_process(monkeypatch, generated):
    monkeypatch.setenv("MLIR_QDQ_CACHE", "off")
    first = runtime.compile(text_of(1))
    second = runtime.compile(text_of(1))
    assert len(generated) == 1
    del first
    gc.collect()
    np.testing.assert_array_equal(second.add(X, 0.0)[0], X + 1)
    del second
    gc.collect()
    runtime.compile(text_of(1))
    assert len(generated) == 2


@pytest.mark.parametrize("off", ("off", "0", ""))
def test_off(tmp_path, monkeypatch, generated, off):
    monkeypatch.setenv("MLIR_QDQ_CACHE", off)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    check(1)
    check(1)
    assert len(generated) == 2 and not os.listdir(tmp_path)


@pytest.mark.skipif(sys.platform != "linux", reason="where the cache of a user is")
def test_default_folder(tmp_path, monkeypatch):
    monkeypatch.delenv("MLIR_QDQ_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    check(1)
    assert len(os.listdir(tmp_path / "mlir-qdq" / "code")) == 1


@pytest.mark.parametrize("damage", (lambda d: d[:-1], lambda d: b"", lambda d: d[:100] + b"x" + d[101:],
                                    lambda d: d[:-7] + bytes([d[-7] ^ 1]) + d[-6:], lambda d: b"other" + d))  # fmt: skip
def test_damaged_files(folder, generated, damage):
    check(1)
    (file,) = folder.iterdir()
    whole = file.read_bytes()
    file.write_bytes(damage(whole))
    check(1)
    assert len(generated) == 2 and file.read_bytes()[:50] == whole[:50]
    check(1)
    assert len(generated) == 2


def test_a_file_of_another_module(folder, generated):
    check(1)
    (first,) = folder.iterdir()
    check(2)
    (second,) = (f for f in folder.iterdir() if f != first)
    second.write_bytes(first.read_bytes())
    check(2)
    assert len(generated) == 3


def test_limit(folder, monkeypatch, generated):
    check(1)
    (first,) = folder.iterdir()
    monkeypatch.setattr(_cache, "LIMIT", 5 * first.stat().st_size)
    for constant in range(2, 9):
        check(constant)
        check(1)  # used all the time
    sizes = [file.stat().st_size for file in folder.iterdir()]
    assert first.exists() and len(sizes) >= 3 and sum(sizes) <= _cache.LIMIT
    assert len(generated) == 8
    monkeypatch.setattr(_cache, "LIMIT", first.stat().st_size)  # an entry is a quarter at most
    count = len(sizes)
    check(9)
    assert len(list(folder.iterdir())) == count


def test_looks_for_the_limit_seldom(folder, monkeypatch):
    """A folder of thousands of files takes longer to look through than a small module to compile."""
    looks = []
    monkeypatch.setattr(_cache, "LIMIT", 1 << 16)
    monkeypatch.setattr(_cache, "_trim", looks.append)
    for key in range(9):
        _cache.store(str(key), _cache.Layer.SOURCE, bytes(1 << 8))
    assert len(looks) == 2  # at first, and behind a 64th


def test_folders_that_cannot_be_used(tmp_path, monkeypatch, generated):
    file = tmp_path / "file"
    file.write_text("")
    monkeypatch.setenv("MLIR_QDQ_CACHE", str(file / "below"))
    check(1)
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    monkeypatch.setenv("MLIR_QDQ_CACHE", str(shared))
    with pytest.warns(UserWarning, match="others can write"):
        check(1)
    assert len(generated) == 2 and not list(shared.iterdir())


def test_remarks_are_repeated(folder, generated):
    """What reports something is compiled again."""
    text = """
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }"""
    with Context() as ctx:
        mlir_qdq.register(ctx)
        from mlir.ir import Module

        module = Module.parse(text)
        run = _compile._generate

        def remark(source, *others):
            source.operation.regions[0].blocks[0].operations[0].operation.location.emit_error(
                "said"
            )
            return run(source, *others)

        heard = []
        handler = ctx.attach_diagnostic_handler(lambda d: heard.append(d.message) or True)
        try:
            _compile._generate = remark
            for _ in range(2):
                runtime.compile(module)
                gc.collect()
        finally:
            _compile._generate = run
            handler.detach()
    assert heard == ["said", "said"] and not list(folder.iterdir())


@pytest.fixture
def lowered(tmp_path, monkeypatch):
    """The folder of the layer of lowered modules."""
    monkeypatch.setenv("MLIR_QDQ_CACHE", "lowered")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "mlir-qdq" / "code"


@pytest.fixture
def objects(monkeypatch):
    """The object files that LLVM made, in order."""
    made, run = [], _qdq.code.compile

    def compile(module, **options):
        made.append(run(module, **options))
        return made[-1]

    monkeypatch.setattr(_qdq.code, "compile", compile)
    return made


def test_passes_run_where_llvm_does_not(lowered, generated, objects):
    check(1)
    (file,) = lowered.iterdir()
    check(1)
    assert len(generated) == 2 and len(objects) == 1
    assert file.read_bytes().endswith(b"".join(objects[0]))


def test_what_generated_code_depends_on(lowered, objects, monkeypatch):
    check(1)
    with Context() as ctx:
        mlir_qdq.register(ctx)
        from mlir.ir import Module

        runtime.compile(Module.parse("\n\n\n" + text_of(1)))
    assert len(objects) == 1  # other locations
    check(2)
    assert len(objects) == 2
    monkeypatch.setattr(_compile, "OPT_LEVEL", 1)
    check(1)
    assert len(objects) == 3 and objects[2] != objects[0]
    describe = _qdq.code.describe_target
    monkeypatch.setattr(_qdq.code, "describe_target", lambda: describe() + " +other")
    check(1)
    assert len(objects) == 4


RESOURCE = """
func.func @f() -> tensor<2xi64> {{
  %c = arith.constant dense_resource<blob> : tensor<2xi64>
  return %c : tensor<2xi64>
}}
{{-# dialect_resources: {{ builtin: {{ blob: "0x08000000{0:02x}000000000000000200000000000000" }} }} #-}}
"""


def test_resources_are_in_the_key(lowered):
    for value in (1, 2):
        np.testing.assert_array_equal(runtime.compile(RESOURCE.format(value)).f(), [value, 2])


def test_same_objects_each_time(lowered, objects, monkeypatch):
    """Or else a file would hold code that LLVM does not make again."""
    for level in (0, 3):
        monkeypatch.setattr(_compile, "OPT_LEVEL", level)
        monkeypatch.setenv("MLIR_QDQ_CACHE", "off")
        check(1)
        check(1)
    assert objects[0] == objects[1] != objects[2] == objects[3]


def test_damaged_lowered_files(lowered, objects):
    check(1)
    (file,) = lowered.iterdir()
    file.write_bytes(file.read_bytes()[:-1])
    check(1)
    check(1)
    assert len(objects) == 2


PROGRAM = """
import sys
import numpy as np
from mlir_qdq import runtime
x = np.arange(20, dtype=np.float32)
for text in sys.argv[1:]:
    print(runtime.compile(text).add(x, 0.0)[0].tolist())
"""


def test_processes(folder):
    """Several at once, each with every module, on one folder."""
    texts = [text_of(constant) for constant in (1, 2, 3)]
    processes = [
        subprocess.Popen([sys.executable, "-c", PROGRAM, *texts], stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    expected = "".join(f"{(X + constant).tolist()}\n" for constant in (1, 2, 3))
    for process in processes:
        assert process.communicate(timeout=120)[0] == expected
    # The same key in each process, and nothing left over.
    assert len(os.listdir(folder)) == 3


def test_threads(folder):
    passed = []

    def work(constant):
        y = runtime.compile(text_of(constant)).add(X, 0.0)[0]
        passed.append(np.array_equal(y, X + constant))

    threads = [threading.Thread(target=work, args=(k % 3,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert passed == [True] * 6


def test_functions_in_parts():
    """Several functions, some of which share a constant or a helper, in one object and in several."""
    functions = "\n".join(
        f"""
        func.func @f{k}(%x: tensor<64xf32>, %n: i32) -> (tensor<64xi4>, tensor<64xf32>, i32) {{
          %s = arith.constant dense<"0x{np.full(64, 0.5, np.float32).tobytes().hex()}"> : tensor<64xf32>
          %q = qdq.quantize %x scale %s axis 0 : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xi4>
          %y = qdq.dequantize %q scale %s axis 0 : (tensor<64xi4>, tensor<64xf32>) -> tensor<64xf32>
          %e = math.ipowi %n, %n : i32
          %k = arith.constant {k} : i32
          %p = arith.addi %e, %k : i32
          return %q, %y, %p : tensor<64xi4>, tensor<64xf32>, i32
        }}"""
        for k in range(12)
    ) + "\n".join(
        text_of(k).replace("@add", f"@add{k}").replace("@codes", f"@codes{k}") for k in range(12)
    )
    counts = []
    compile_ = _qdq.code.compile

    def count(module, threads, level):
        objects = compile_(module, 4, level)
        counts.append((len(compile_(module, 1, level)), len(objects)))
        return objects

    patch = pytest.MonkeyPatch()
    with patch.context() as context:
        context.setattr(_qdq.code, "compile", count)
        context.setenv("MLIR_QDQ_CACHE", "off")
        compiled = runtime.compile(functions)
    assert counts[0][0] == 1 and counts[0][1] > 1
    x = np.linspace(-5, 5, 64, dtype=np.float32)
    codes = np.clip(np.rint(x / np.float32(0.5)), -8, 7)
    for k in range(12):
        q, y, p = compiled[f"f{k}"](x, 3)
        np.testing.assert_array_equal(q, codes.astype(ml_dtypes.int4))
        np.testing.assert_array_equal(y, codes * np.float32(0.5))
        assert p == 27 + k
        np.testing.assert_array_equal(compiled[f"add{k}"](X, 0.0)[0], X + np.float32(k))
