import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Replica:
    """One copy of the model on one device.

    Attributes:
        fixed_ms: what every batch costs, however small; measured.
        item_ms: what each request in the batch adds; measured.
        max_batch: the most requests that one batch may hold.
    """

    fixed_ms: float
    item_ms: float
    max_batch: int

    @property
    def batch_ms(self) -> float:
        """Milliseconds that a full batch takes."""
        return self.fixed_ms + self.item_ms * self.max_batch

    @property
    def capacity(self) -> float:
        """Requests per second with full batches, back to back: the limit, not a plan."""
        return 1000 * self.max_batch / self.batch_ms


def replicas_needed(rate: float, replica: Replica, load: float) -> int:
    """Replicas that serve ``rate`` requests per second, each at the fraction ``load`` of its capacity."""
    return math.ceil(rate / (load * replica.capacity))


def in_flight(rate: float, latency_ms: float) -> float:
    """Requests inside the system at a time (Little's law), for a mean latency in milliseconds."""
    return rate * latency_ms / 1000


def gigabits(rate: float, size: int) -> float:
    """Network bandwidth in Gbit/s for ``rate`` messages of ``size`` bytes per second."""
    return rate * size * 8 / 1e9


if __name__ == "__main__":
    RATE = 100_000
    print(
        "max batch  batch ms  requests/s  replicas at 100%   70%   60%  just missed a batch"
    )
    for max_batch in (1, 8, 32, 64, 128, 256):
        replica = Replica(fixed_ms=3.0, item_ms=0.25, max_batch=max_batch)
        full = replicas_needed(RATE, replica, load=1.0)
        usual = replicas_needed(RATE, replica, load=0.7)
        spare = replicas_needed(RATE, replica, load=0.6)
        print(
            f"{max_batch:9} {replica.batch_ms:9.2f} {replica.capacity:11.0f} {full:17} {usual:5} {spare:5}"
            f" {2 * replica.batch_ms:17.1f} ms"
        )
    for load in (0.7, 0.6):
        print(
            f"planned at {load:.0%}, one of three zones lost: {load * 3 / 2:.0%} load on the others"
        )
    print(f"in flight at 50 ms: {in_flight(RATE, 50):.0f} requests")
    sizes = {
        "2 kB of features": 2_000,
        "100 kB JPEG": 100_000,
        "float32 of 3x224x224": 3 * 224 * 224 * 4,
    }
    for payload, size in sizes.items():
        print(f"network in, {payload:20} {gigabits(RATE, size):6.1f} Gbit/s")
    print(
        f"weights, 100 M parameters in bfloat16: {100e6 * 2 / 1e9:.1f} GB per replica"
    )
