# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tools/sbom: names and hashes of what a wheel contains and needs."""

import hashlib
import json
import subprocess
import sys
import zipfile

from build_tree import SOURCE

METADATA = """Metadata-Version: 2.4
Name: mlir-qdq
Version: 1.2.3
Requires-Dist: numpy<3,>=2
Requires-Dist: ml_dtypes<1,>=0.5
Requires-Dist: onnx<2,>=1.19; extra == "onnx"
"""


def test_wheel(tmp_path):
    path = tmp_path / "mlir_qdq-1.2.3-cp311-abi3-linux_x86_64.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr("mlir_qdq-1.2.3.dist-info/METADATA", METADATA)
        wheel.writestr("mlir_qdq/lib/libnowhere.so.1", b"code")
    command = [sys.executable, SOURCE / "tools" / "sbom", path]
    bill = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    subject = bill["metadata"]["component"]
    assert (subject["name"], subject["version"]) == ("mlir-qdq", "1.2.3")
    assert subject["hashes"][0]["content"] == hashlib.sha256(path.read_bytes()).hexdigest()
    library, numpy, ml_dtypes = bill["components"]
    assert library["name"] == "libnowhere.so.1"
    assert library["hashes"][0]["content"] == hashlib.sha256(b"code").hexdigest()
    assert (numpy["purl"], ml_dtypes["purl"]) == ("pkg:pypi/numpy", "pkg:pypi/ml-dtypes")
    assert numpy["version"] == "<3,>=2"


def test_one_subject():
    command = [sys.executable, SOURCE / "tools" / "sbom"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2 and "expected a wheel, or --setup" in done.stderr
