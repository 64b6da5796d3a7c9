# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""llama.cpp, built from the source package of llama-cpp-python in a virtual environment of its own."""

import functools
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

PACKAGE = "llama-cpp-python==0.3.36"
#: A thread pool of its own, since another OpenMP runtime is in the process. No images.
FLAGS = "-DGGML_OPENMP=OFF -DLLAVA_BUILD=OFF"


def install(folder: Path) -> None:
    """Where it is missing. Takes some minutes."""
    if not any(folder.glob("lib/python3*/site-packages/llama_cpp")):
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        command = [folder / "bin" / "pip", "install", "--quiet", "--no-binary", "llama-cpp-python", PACKAGE]  # fmt: skip
        jobs = {"CMAKE_ARGS": FLAGS, "CMAKE_BUILD_PARALLEL_LEVEL": str(os.cpu_count())}
        subprocess.run(["nice", "-n", "10", *command], check=True, env=os.environ | jobs)


@functools.cache
def load(folder: Path):
    """The module, and what logs nothing, which has to live. Packages of this process come first."""
    sys.path.append(str(next(folder.glob("lib/python3*/site-packages"))))
    import llama_cpp

    llama_cpp.llama_backend_init()
    silent = llama_cpp.llama_log_callback(lambda *_: None)
    llama_cpp.llama_log_set(silent, None)
    return llama_cpp, silent


class Decoder:
    """Decodes a token at a position; those after it are forgotten."""

    def __init__(
        self, library, path: Path, vocabulary: int, context: int, cache: str, threads: int
    ):
        self.library, self.vocabulary = library, vocabulary
        self.model = library.llama_model_load_from_file(
            os.fsencode(path), library.llama_model_default_params()
        )
        if not self.model:
            raise ValueError(f"llama.cpp does not load {path}")
        options = library.llama_context_default_params()
        options.n_ctx, options.n_batch = context, 32
        options.n_threads = options.n_threads_batch = threads
        kind = {"f16": library.GGML_TYPE_F16, "i8": library.GGML_TYPE_Q8_0}[cache]
        options.type_k = options.type_v = kind
        options.flash_attn_type = library.LLAMA_FLASH_ATTN_TYPE_ENABLED
        self.context = library.llama_init_from_model(self.model, options)
        if not self.context:
            raise ValueError(f"llama.cpp makes no context of {cache} for {path}")
        self.memory = library.llama_get_memory(self.context)
        self.token = (library.llama_token * 1)()
        self.batch = library.llama_batch_get_one(self.token, 1)

    def step(self, token: int, position: int) -> None:
        self.library.llama_memory_seq_rm(self.memory, 0, position, -1)
        self.token[0] = token
        if self.library.llama_decode(self.context, self.batch):
            raise ValueError("llama.cpp does not decode")

    def logits(self) -> np.ndarray:
        pointer = self.library.llama_get_logits(self.context)
        return np.ctypeslib.as_array(pointer, (self.vocabulary,)).copy()

    def close(self) -> None:
        self.library.llama_free(self.context)
        self.library.llama_model_free(self.model)
