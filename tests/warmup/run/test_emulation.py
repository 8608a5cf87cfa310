"""Which machines are played."""

from __future__ import annotations

from warmup.run.emulation import CPUS, MACHINES, THREADS


def test_the_machines_are_three_cpus_with_three_numbers_of_threads_and_two_hash_seeds():
    environments = [machine.environment for machine in MACHINES]
    assert len(environments) == len(CPUS) * len(THREADS) == 9
    assert {e["OMP_NUM_THREADS"] for e in environments} == {"1", "2", "4"}
    assert {e["PYTHONHASHSEED"] for e in environments} == {"0", "1"}
    assert {e.get("ATEN_CPU_CAPABILITY") for e in environments} == {None, "avx2", "default"}
