# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The plugin, which an installed wheel brings by itself."""

from importlib.metadata import entry_points

pytest_plugins = ["pytester"]
if not any(point.name == "qdq_vectors" for point in entry_points(group="pytest11")):
    pytest_plugins.append("qdq_vectors.pytest_plugin")
