# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""oneDNN on the CPU: reorders between f32 and small types."""

import os
import sysconfig
from pathlib import Path

from scoring import cast, versions

from .host_headers import build

PACKAGES = ("onednn", "onednn-devel", "intel-opencl-rt", "numpy")
STORAGES = {
    "f8E4M3FN": "f8_e4m3",
    "f8E5M2": "f8_e5m2",
    "f8E8M0FNU": "e8m0",
    "f4E2M1FN": "f4_e2m1",
    "i8": "s8",
    "ui8": "u8",
}
SOURCE = """
#include "oneapi/dnnl/dnnl.h"
#include <cstdint>
#include <cstring>
#include <vector>
static int reorder(const void *x, dnnl_data_type_t from, void *y, dnnl_data_type_t to, size_t n) {
  dnnl_engine_t engine; dnnl_stream_t stream;
  dnnl_memory_desc_t a, b; dnnl_primitive_desc_t description; dnnl_primitive_t primitive;
  dnnl_memory_t in, out;
  dnnl_dims_t dims = {(dnnl_dim_t)n};
  if (dnnl_engine_create(&engine, dnnl_cpu, 0)) return 1;
  if (dnnl_stream_create(&stream, engine, dnnl_stream_default_flags)) return 2;
  if (dnnl_memory_desc_create_with_tag(&a, 1, dims, from, dnnl_a)) return 3;
  if (dnnl_memory_desc_create_with_tag(&b, 1, dims, to, dnnl_a)) return 4;
  if (dnnl_reorder_primitive_desc_create(&description, a, engine, b, engine, nullptr)) return 5;
  if (dnnl_primitive_create(&primitive, description)) return 6;
  if (dnnl_memory_create(&in, a, engine, (void *)x) || dnnl_memory_create(&out, b, engine, y)) return 7;
  dnnl_exec_arg_t arguments[] = {{DNNL_ARG_FROM, in}, {DNNL_ARG_TO, out}};
  if (dnnl_primitive_execute(primitive, stream, 2, arguments) || dnnl_stream_wait(stream)) return 8;
  return 0;
}
"""
#: Codes of 4 bits are two in a byte, the first one low.
ENCODE = """
extern "C" int to_{name}(const float *x, uint8_t *y, size_t n) {{
  size_t even = (n + 1) / 2 * 2;
  std::vector<float> in(even); std::memcpy(in.data(), x, n * 4);
  std::vector<uint8_t> out(even);
  if (int code = reorder(in.data(), dnnl_f32, out.data(), dnnl_{name}, even)) return code;
  for (size_t i = 0; i < n; ++i) y[i] = {bits} == 4 ? out[i / 2] >> (i % 2 * 4) & 15 : out[i];
  return 0;
}}
extern "C" int from_{name}(const uint8_t *x, float *y, size_t n) {{
  std::vector<uint8_t> in(n);
  for (size_t i = 0; i < n; ++i)
    if ({bits} == 4) in[i / 2] |= x[i] << (i % 2 * 4); else in[i] = x[i];
  return reorder(in.data(), dnnl_{name}, y, dnnl_f32, n);
}}
"""


def version():
    return versions("onednn")


def operations():
    root = Path(sysconfig.get_path("data"))
    # This build of oneDNN asks SYCL for the CPU.
    driver = next(root.rglob("libintelocl.so.*.0"))
    os.environ["OCL_ICD_FILENAMES"] = str(driver)
    libraries = [next(root.rglob("libdnnl.so*"))]
    text = SOURCE
    for storage, name in STORAGES.items():
        text += ENCODE.format(name=name, bits=4 if storage.startswith("f4") else 8)
    folders = {str(library.parent) for library in root.rglob("lib*.so*")}
    # Inherited by the libraries that oneDNN loads.
    paths = [
        "-Wl,--disable-new-dtags",
        *(f"-Wl,-rpath,{folder}" for folder in sorted(folders)),
    ]
    function = build(
        text, [str(root / "include")], *map(str, libraries), *paths, returns_error=True
    )
    for storage, name in STORAGES.items():
        yield cast("f32", storage, function(f"to_{name}", "f32", storage))
        if storage.startswith("f"):
            yield cast(storage, "f32", function(f"from_{name}", storage, "f32"))
