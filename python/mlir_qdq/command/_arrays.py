# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy's files, whose errors name the file."""

from __future__ import annotations

import contextlib
import pickle
import zipfile
import zlib

from ._frame import CommandError


@contextlib.contextmanager
def reading(name: str, wanted: str = ""):
    """Around np.load, and around each array of an .npz file, which is read when it is asked for.

    wanted: what the file should be, before what is wrong.
    """
    try:
        yield
    except (EOFError, ValueError, zipfile.BadZipFile, zlib.error, pickle.UnpicklingError) as error:
        wrong = " ".join(str(error).split())
        if "pickle" in wrong.lower():
            wrong = "no array, or one of Python's objects"
        raise CommandError(f"{name}: {wanted}{wrong}") from None
    except MemoryError as error:
        raise CommandError(f"{name}: {' '.join(str(error).split()) or 'out of memory'}") from None
