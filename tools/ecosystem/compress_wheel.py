# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compresses the files of a wheel again, in place: libdeflate finds 4 % that zlib does not.

python tools/ecosystem/compress_wheel.py WHEEL

Every installer reads the result. It needs the package `deflate`, and three CPU minutes.
"""

from __future__ import annotations

import os
import sys
import zipfile
import zlib
from pathlib import Path

import deflate

LEVEL = 12  # of libdeflate, the best


def add(wheel: zipfile.ZipFile, old: zipfile.ZipInfo, data: bytes) -> None:
    """As ZipFile.writestr, which does not take what is compressed already."""
    info = zipfile.ZipInfo(old.filename, old.date_time)
    info.external_attr, info.create_system = old.external_attr, old.create_system
    packed = deflate.deflate_compress(data, LEVEL)
    info.compress_type = zipfile.ZIP_DEFLATED
    if len(packed) >= len(data):
        packed, info.compress_type = data, zipfile.ZIP_STORED
    info.CRC, info.file_size, info.compress_size = zlib.crc32(data), len(data), len(packed)
    info.header_offset = wheel.fp.tell()
    wheel.fp.write(info.FileHeader(zip64=False) + packed)
    wheel.start_dir = wheel.fp.tell()
    wheel.filelist.append(info)
    wheel.NameToInfo[info.filename] = info
    wheel._didModify = True


def compress(path: Path) -> None:
    new = path.with_name(f"{path.name}.new")
    with zipfile.ZipFile(path) as before, zipfile.ZipFile(new, "w") as after:
        for info in before.infolist():
            add(after, info, before.read(info))
    with zipfile.ZipFile(path) as before, zipfile.ZipFile(new) as after:
        assert before.namelist() == after.namelist()
        for name in before.namelist():
            assert before.read(name) == after.read(name), name
    os.replace(new, path)


if __name__ == "__main__":
    compress(Path(sys.argv[1]))
