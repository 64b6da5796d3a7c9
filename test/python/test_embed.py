# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""examples/embed and examples/c-api, built as other projects would: on an installed mlir-qdq, and with it in their tree."""

import os
import re

import pytest
from build_tree import BUILD, ENVIRONMENT, SOURCE, run_tool

EXAMPLE = SOURCE / "examples" / "embed"
IN_C = SOURCE / "examples" / "c-api"
CACHE = (BUILD / "CMakeCache.txt").read_text()


def cached(*names: str) -> list[str]:
    """These settings of our own build, for cmake."""
    found = (re.search(rf"^({name}:\w+=.*)$", CACHE, re.M) for name in names)
    return [f"-D{match[1]}" for match in found if match]


SETTINGS = cached(
    "MLIR_DIR",
    "CMAKE_CXX_COMPILER",
    "CMAKE_C_COMPILER",
    "CMAKE_CXX_COMPILER_LAUNCHER",
    "CMAKE_EXE_LINKER_FLAGS",
)

QUANTIZE = """
func.func @f(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<4xui8> {
  %q = "onnx.QuantizeLinear"(%x, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xui8>
  return %q : tensor<4xui8>
}
"""

RELU = """
func.func @f(%x: tensor<4xf32>, %s: f32) -> tensor<4xi8> {
  %r = "npu.relu"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %q = qdq.quantize %r scale %s : (tensor<4xf32>, f32) -> tensor<4xi8>
  return %q : tensor<4xi8>
}
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    prefix = tmp_path_factory.mktemp("prefix")
    run_tool("cmake", "--install", BUILD, "--component", "qdq-dev", "--prefix", prefix)
    return prefix


def build(example, installed, directory) -> None:
    places = ("-S", example, "-B", directory, f"-DCMAKE_PREFIX_PATH={installed}")
    run_tool("cmake", "-G", "Ninja", *places, *SETTINGS)
    # To ccache, if there is one, headers are the same in every temporary directory.
    run_tool("ninja", "-C", directory, env=ENVIRONMENT | {"CCACHE_BASEDIR": installed.parent})


def test_installed_package(installed, tmp_path):
    build(EXAMPLE, installed, tmp_path)
    done = run_tool(tmp_path / "embed", input=QUANTIZE)
    assert "math.roundeven" in done.stdout and "onnx." not in done.stdout
    failed = run_tool(
        tmp_path / "embed",
        input=QUANTIZE.replace("(%x, %s)", "(%s, %x)").replace(
            "(tensor<4xf32>, tensor<f32>)", "(tensor<f32>, tensor<4xf32>)"
        ),
        check=False,
    )
    assert failed.returncode == 1 and "error: " in failed.stderr and failed.stdout == ""

    # The compiler's own conversion, and its own default.
    done = run_tool(tmp_path / "convert", input=RELU)
    assert "arith.maximumf" in done.stdout and "math.round " in done.stdout
    assert "npu." not in done.stdout and "qdq." not in done.stdout
    failed = run_tool(
        tmp_path / "convert",
        input=RELU.replace("scale %s", "scale %s block_shape [3]"),
        check=False,
    )
    assert failed.returncode == 1 and "error: " in failed.stderr and failed.stdout == ""


def test_c_api(installed, tmp_path):
    build(IN_C, installed, tmp_path)
    done = run_tool(tmp_path / "lower", "floor", input=QUANTIZE)
    assert "math.floor" in done.stdout and "onnx." not in done.stdout
    failed = run_tool(tmp_path / "lower", "flor", input=QUANTIZE, check=False)
    assert failed.returncode == 1 and "did you mean 'floor'?" in failed.stderr
    failed = run_tool(tmp_path / "lower", input="func.func @f( {", check=False)
    assert failed.returncode == 1 and "error: " in failed.stderr and failed.stdout == ""


def test_in_the_tree_of_another_project(tmp_path):
    """By add_subdirectory. The program is compiled, our libraries are not: our own build does that."""
    run_tool(
        "cmake",
        "-G",
        "Ninja",
        "-S",
        EXAMPLE,
        "-B",
        tmp_path,
        f"-DQDQ_SOURCE_DIR={SOURCE}",
        *SETTINGS,
    )
    plan = run_tool("ninja", "-C", tmp_path, "-n", "embed").stdout
    assert "libQDQAll.a" in plan
    assert not any(name in plan for name in ("quant-opt", "_qdq_runtime", "lit.site.cfg"))
    run_tool("ninja", "-C", tmp_path, "CMakeFiles/embed.dir/embed.cpp.o")
    leaked = [name for name in os.listdir(tmp_path) if name in ("bin", "python_packages")]
    assert not leaked
