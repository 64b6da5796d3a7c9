# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""examples/embed, built as another project would: on an installed mlir-qdq, and with it in its tree."""

import os
import re

import pytest
from build_tree import BUILD, SOURCE, run_tool

EXAMPLE = SOURCE / "examples" / "embed"
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


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    prefix = tmp_path_factory.mktemp("prefix")
    run_tool("cmake", "--install", BUILD, "--component", "qdq-dev", "--prefix", prefix)
    return prefix


def test_installed_package(installed, tmp_path):
    run_tool(
        "cmake",
        "-G",
        "Ninja",
        "-S",
        EXAMPLE,
        "-B",
        tmp_path,
        f"-DCMAKE_PREFIX_PATH={installed}",
        *SETTINGS,
    )
    run_tool("ninja", "-C", tmp_path, "embed")
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


def test_in_the_tree_of_another_project(tmp_path):
    """Configured only: what it builds is what our own build does."""
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
    leaked = [name for name in os.listdir(tmp_path) if name in ("bin", "python_packages")]
    assert not leaked
