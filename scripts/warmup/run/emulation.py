"""Other machines, as far as one can play them: older CPUs, other vendors, numbers of threads, another hash seed.

Sums of floating-point numbers depend on the order of their terms, and that order on the width of the vector units
and on the kernels that ATen, MKL and oneDNN choose for a CPU. Each of the three can be told to do as on an older one.
arm64, macOS and other vendors have kernels of their own, which nothing here has: for them, two machines round otherwise
wherever a kernel may. `rounding.py` says where, and what that cannot show.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

CPUS: dict[str, Mapping[str, str]] = {
    "this CPU": {},
    "a CPU with AVX2": {"ATEN_CPU_CAPABILITY": "avx2", "MKL_CBWR": "AVX2", "ONEDNN_MAX_CPU_ISA": "AVX2"},
    "the oldest CPU": {"ATEN_CPU_CAPABILITY": "default", "MKL_CBWR": "COMPATIBLE", "ONEDNN_MAX_CPU_ISA": "SSE41"},
}
THREADS = (1, 2, 4)
# Seeds for rounding.py, which plays a vendor for each.
VENDORS = (1, 2)
ROUNDING = "WARMUP_ROUNDING"  # the variable that holds such a seed
# What has to pass on each CPU besides the outputs.
TESTS = ("tests/snippets", "tests/trainers", "tests/write")
# Threads that spin while they wait for each other take many times as long where there are fewer cores than threads.
_WAIT = {"OMP_WAIT_POLICY": "PASSIVE"}


@dataclass(frozen=True)
class Machine:
    """One machine to play: what messages call it, and the environment that a process needs for it."""

    name: str
    environment: Mapping[str, str]


def _machines() -> list[Machine]:
    found: list[Machine] = []
    for cpu, environment in CPUS.items():
        for threads in THREADS:
            seed = str(len(found) % 2)  # each of the two hash seeds meets each CPU and each number of threads but one
            found.append(
                Machine(
                    f"{cpu}, {threads} {'thread' if threads == 1 else 'threads'}, PYTHONHASHSEED={seed}",
                    {
                        **environment,
                        **(_WAIT if threads > 1 else {}),
                        "OMP_NUM_THREADS": str(threads),
                        "MKL_NUM_THREADS": str(threads),
                        "PYTHONHASHSEED": seed,
                    },
                )
            )
    # What one machine prints alone, a vendor is the most likely to dispute: they come first.
    vendors = [Machine(f"another vendor, {seed}", {**found[0].environment, ROUNDING: str(seed)}) for seed in VENDORS]
    return [found[0], *vendors, *found[1:]]


# The first is the one that the tests and the recorder use anyway.
MACHINES = _machines()
# Names the set of machines; another one has to confirm all outputs again.
FINGERPRINT = hashlib.sha256(repr(MACHINES).encode()).hexdigest()[:16]
