# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""gfloat: rounding and encoding of any small float, with and without saturation."""

import gfloat
import gfloat.formats as formats
import numpy as np
from scoring import cast, versions

PACKAGES = ("gfloat", "ml_dtypes", "numpy")
STORAGES = {
    "f8E4M3FN": formats.format_info_ocp_e4m3,
    "f8E5M2": formats.format_info_ocp_e5m2,
    "f8E8M0FNU": formats.format_info_ocp_e8m0,
    "f6E3M2FN": formats.format_info_ocp_e3m2,
    "f6E2M3FN": formats.format_info_ocp_e2m3,
    "f4E2M1FN": formats.format_info_ocp_e2m1,
}


def version():
    return versions("gfloat")


def operations():
    for to, info in STORAGES.items():
        for saturates in (True, False):

            def encode(x, info=info, saturates=saturates):
                mode = gfloat.RoundMode.TiesToEven
                values = gfloat.round_ndarray(info, x.astype(np.float64), mode, saturates)
                return gfloat.encode_ndarray(info, values).astype(np.uint8)

            yield cast("f32", to, encode, "sat=True" if saturates else "sat=False")

        def decode(codes, info=info):
            return gfloat.decode_ndarray(info, codes).astype(np.float32)

        yield cast(to, "f32", decode)
