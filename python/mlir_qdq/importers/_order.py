# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The order in which each of a list comes after what it needs."""

from __future__ import annotations

import heapq


def in_order(needs: list[set[int]]) -> list[int]:
    """Positions, as near to the given order as their needs allow; those in a circle, or behind one, are left out."""
    readers: list[list[int]] = [[] for _ in needs]
    for i, of in enumerate(needs):
        for made in of:
            readers[made].append(i)
    missing = [len(of) for of in needs]
    ready = [i for i, count in enumerate(missing) if count == 0]
    order = []
    while ready:
        order.append(heapq.heappop(ready))
        for reader in readers[order[-1]]:
            missing[reader] -= 1
            if missing[reader] == 0:
                heapq.heappush(ready, reader)
    return order
