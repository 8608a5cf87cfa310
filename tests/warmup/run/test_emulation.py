"""Which machines are played."""

from __future__ import annotations

from warmup.content import confirmed
from warmup.run.emulation import CPUS, FINGERPRINT, MACHINES, ROUNDING, THREADS


def test_the_machines_are_three_cpus_with_three_numbers_of_threads_and_two_hash_seeds_and_two_vendors():
    environments = [machine.environment for machine in MACHINES if ROUNDING not in machine.environment]
    assert len(MACHINES) == len(environments) + 2
    assert len(environments) == len(CPUS) * len(THREADS) == 9
    assert {e["OMP_NUM_THREADS"] for e in environments} == {"1", "2", "4"}
    assert {e["PYTHONHASHSEED"] for e in environments} == {"0", "1"}
    assert {e.get("ATEN_CPU_CAPABILITY") for e in environments} == {None, "avx2", "default"}


def test_what_is_confirmed_was_confirmed_by_these_machines():
    assert confirmed.machines_of() == FINGERPRINT
