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

TFLITE = """
func.func @f(%q: tensor<4x!quant.uniform<i8:f32, 0.5>>) -> tensor<4x!quant.uniform<i8:f32, 0.5>> {
  %r = "tfl.relu"(%q) : (tensor<4x!quant.uniform<i8:f32, 0.5>>) -> tensor<4x!quant.uniform<i8:f32, 0.5>>
  return %r : tensor<4x!quant.uniform<i8:f32, 0.5>>
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


@pytest.fixture(scope="module")
def embedded(installed, tmp_path_factory):
    directory = tmp_path_factory.mktemp("embed")
    build(EXAMPLE, installed, directory)
    return directory / "embed"


def test_installed_package(embedded):
    done = run_tool(embedded, input=QUANTIZE)
    assert "math.roundeven" in done.stdout and "onnx." not in done.stdout
    failed = run_tool(
        embedded,
        input=QUANTIZE.replace("(%x, %s)", "(%s, %x)").replace(
            "(tensor<4xf32>, tensor<f32>)", "(tensor<f32>, tensor<4xf32>)"
        ),
        check=False,
    )
    assert failed.returncode == 1 and "error: " in failed.stderr and failed.stdout == ""

    # The compiler's own conversion, and its own default.
    done = run_tool(embedded.parent / "convert", input=RELU)
    assert "arith.maximumf" in done.stdout and "math.round " in done.stdout
    assert "npu." not in done.stdout and "qdq." not in done.stdout
    failed = run_tool(
        embedded.parent / "convert",
        input=RELU.replace("scale %s", "scale %s block_shape [3]"),
        check=False,
    )
    assert failed.returncode == 1 and "error: " in failed.stderr and failed.stdout == ""


def test_core_links_no_code_generation(embedded):
    """The component core: no library of the others, and no dialect or intrinsic of a target."""
    plan = (embedded.parent / "build.ninja").read_text()
    linked = set(re.findall(r"libQDQ(\w+)\.a", plan))
    assert linked == {"Core", "Pipelines", "Transforms", "Conversion", "IR", "Numerics"}
    symbols = run_tool("nm", "-uC", embedded).stdout
    assert "mlir::linalg::" in symbols
    for dialect in ("LLVM", "NVVM", "ROCDL", "amdgpu", "x86vector", "omp", "bufferization"):
        assert f"mlir::{dialect}::" not in symbols, dialect


@pytest.mark.parametrize("options", ["target=vector", "target-casts=sm_89"])
def test_core_says_which_pass_it_lacks(embedded, options):
    failed = run_tool(embedded, options, input=QUANTIZE, check=False)
    assert failed.returncode == 1 and failed.stdout == ""
    assert "error: the pass 'qdq-" in failed.stderr
    assert (
        "is not registered: expected registerQDQCodeGenPasses(), of the CMake component cpu, "
        "before the pipeline is built"
    ) in failed.stderr


def test_core_refuses_operators_of_frontends(embedded):
    failed = run_tool(embedded, input=TFLITE, check=False)
    assert failed.returncode == 1 and failed.stdout == ""
    assert "error: 'tfl.relu'" in failed.stderr


@pytest.mark.parametrize("components", ["core", "frontends", "cpu", "all", "none"])
def test_components(installed, tmp_path, components):
    """Each brings what it links, and no more."""
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(p LANGUAGES C CXX)\n"
        f"find_package(QDQ CONFIG COMPONENTS {components})\n"
        "foreach(library Core Frontends CodeGen QuantToLLVM All CAPI)\n"
        "  if(TARGET QDQ${library})\n    message(STATUS has:${library})\n  endif()\nendforeach()\n"
        'message(STATUS "found: ${QDQ_FOUND}")\n'
    )
    places = ("-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={installed}")
    done = run_tool("cmake", "-G", "Ninja", *places, *SETTINGS)
    expected = {
        "core": ["Core"],
        "frontends": ["Core", "Frontends"],
        "cpu": ["Core", "Frontends", "CodeGen", "QuantToLLVM"],
        "all": ["Core", "Frontends", "CodeGen", "QuantToLLVM", "All", "CAPI"],
    }
    if components == "none":  # no such component
        assert "found: 0" in done.stdout
    else:
        assert re.findall(r"has:(\w+)", done.stdout) == expected[components]


def test_c_api(installed, tmp_path):
    build(IN_C, installed, tmp_path)
    done = run_tool(tmp_path / "lower", "floor", input=QUANTIZE)
    assert "math.floor" in done.stdout and "onnx." not in done.stdout
    failed = run_tool(tmp_path / "lower", "flor", input=QUANTIZE, check=False)
    assert failed.returncode == 1 and "did you mean 'floor'?" in failed.stderr
    failed = run_tool(tmp_path / "lower", input="func.func @f( {", check=False)
    assert failed.returncode == 1 and "error: " in failed.stderr and failed.stdout == ""


@pytest.mark.parametrize("is_compiled", [False, pytest.param(True, marks=pytest.mark.exhaustive)])
def test_in_the_tree_of_another_project(tmp_path, is_compiled):
    """By add_subdirectory. The program may be compiled, our libraries are not: our own build does that."""
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
    assert "libQDQCore.a" in plan
    assert not any(
        name in plan for name in ("QDQCodeGen", "quant-opt", "_qdq_runtime", "lit.site.cfg")
    )
    if is_compiled:
        run_tool("ninja", "-C", tmp_path, "CMakeFiles/embed.dir/embed.cpp.o")
    leaked = [name for name in os.listdir(tmp_path) if name in ("bin", "python_packages")]
    assert not leaked
