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
        """Requests per second with full batches, back to back: a limit, no plan."""
        return 1000 * self.max_batch / self.batch_ms


def replicas_needed(rate: float, replica: Replica, load: float) -> int:
    """Replicas for ``rate`` requests per second, each at ``load`` of capacity."""
    return math.ceil(rate / (load * replica.capacity))


def in_flight(rate: float, latency_ms: float) -> float:
    """Requests in the system at a time (Little's law); the mean latency in ms."""
    return rate * latency_ms / 1000


def gigabits(rate: float, size: int) -> float:
    """Bandwidth in Gbit/s for ``rate`` messages of ``size`` bytes per second."""
    return rate * size * 8 / 1e9


if __name__ == "__main__":
    RATE = 100_000
    print("max batch  batch ms  requests/s  replicas at 100%   70%   60%")
    for max_batch in (1, 8, 32, 64, 128, 256):
        replica = Replica(fixed_ms=3.0, item_ms=0.25, max_batch=max_batch)
        full, usual, spare = (
            replicas_needed(RATE, replica, load) for load in (1, 0.7, 0.6)
        )
        row = f"{max_batch:9} {replica.batch_ms:9.2f} {replica.capacity:11.0f}"
        print(f"{row} {full:17} {usual:5} {spare:5}")
    for load in (0.7, 0.6):
        print(
            f"plan {load:.0%}, a zone of three lost: {load * 3 / 2:.0%} on the rest"
        )
    print(f"in flight at 50 ms: {in_flight(RATE, 50):.0f} requests")
    pixels = 3 * 224 * 224
    sizes = {
        "2 kB of features": 2_000,
        "100 kB JPEG": 100_000,
        "3x224x224 in uint8": pixels,
        "3x224x224 in float32": 4 * pixels,
    }
    for payload, size in sizes.items():
        print(f"network in, {payload:20} {gigabits(RATE, size):6.1f} Gbit/s")
    print(
        f"weights, 100 M parameters in bfloat16: {100e6 * 2 / 1e9:.1f} GB a replica"
    )
