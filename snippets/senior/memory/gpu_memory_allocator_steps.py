# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import weakref
from dataclasses import dataclass

import matplotlib.pyplot as plt
import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

MIB = 2**20


@dataclass(eq=False)
class Block:
    size: int
    used: bool = False


class CachingAllocator:
    """The bookkeeping of PyTorch's CUDA allocator: default settings, one stream.

    `capacity`: bytes that the driver can give. `segments`: each a list of blocks.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity, self.driver_calls = capacity, 0
        self.segments: list[list[Block]] = []

    def total(self, used_only: bool) -> int:
        return sum(
            b.size for s in self.segments for b in s if b.used or not used_only
        )

    def malloc(self, requested: int) -> Block:
        """The smallest free block that fits, else one of a new segment.

        Raises MemoryError if the driver has too little, even after empty_cache().
        """
        size = max(512, -(-requested // 512) * 512)
        small = size <= MIB
        holes = [
            (block.size, number, place)
            for number, segment in enumerate(self.segments)
            for place, block in enumerate(segment)
            if not block.used and block.size >= size
            # segments of 2 MiB are the pool of small tensors
            if (sum(b.size for b in segment) == 2 * MIB) == small
        ]
        if not holes:
            holes = [(self.new_segment(size, small), len(self.segments) - 1, 0)]
        room, number, place = min(holes)
        block = self.segments[number][place]
        if room - size >= (512 if small else MIB + 1):  # cut off what is too much
            block.size = size
            self.segments[number].insert(place + 1, Block(room - size))
        block.used = True
        return block

    def new_segment(self, size: int, small: bool) -> int:
        room = 20 * MIB if size < 10 * MIB else -(-size // (2 * MIB)) * 2 * MIB
        room = 2 * MIB if small else room
        if self.total(used_only=False) + room > self.capacity:
            self.empty_cache()
        if self.total(used_only=False) + room > self.capacity:
            raise MemoryError(f"tried to allocate {room / MIB:.0f} MiB")
        self.segments.append([Block(room)])
        self.driver_calls += 1
        return room

    def free(self, block: Block) -> None:
        """Give the block back to the cache and join it with free neighbors."""
        block.used = False
        segment = next(s for s in self.segments if any(b is block for b in s))
        for left, right in zip(segment[-2::-1], segment[:0:-1], strict=True):
            if not left.used and not right.used:
                left.size += right.size
                segment.remove(right)

    def empty_cache(self) -> None:
        """Give segments without a used block back to the driver."""
        kept = [s for s in self.segments if any(b.used for b in s)]
        self.driver_calls += len(self.segments) - len(kept)
        self.segments = kept


class Replay(TorchDispatchMode):
    """Allocate in `allocator` what the operations allocate, free what they free."""

    def __init__(self, allocator: CachingAllocator) -> None:
        super().__init__()
        self.allocator, self.curve = allocator, []
        self.blocks: dict[int, Block] = {}

    def gone(self, key: int) -> None:
        self.allocator.free(self.blocks.pop(key))

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        for tensor in tree_leaves((args, kwargs, result)):
            if isinstance(tensor, torch.Tensor) and tensor.is_meta:
                storage = tensor.untyped_storage()
                if storage._cdata not in self.blocks and storage.nbytes():
                    self.blocks[storage._cdata] = self.allocator.malloc(
                        storage.nbytes()
                    )
                    weakref.finalize(storage, self.gone, storage._cdata)
        self.curve.append(
            [self.allocator.total(used) / MIB for used in (True, False)]
        )
        return result


def train(empty_cache: bool, width: int = 1024) -> tuple[Replay, list[list[float]]]:
    """Four training steps on the meta device; a row for each of them:

    MiB allocated at its end, MiB reserved at its end, calls of the driver in it.
    """
    replay, rows, before = Replay(CachingAllocator(80 * 1024 * MIB)), [], 0
    with replay, torch.device("meta"):
        layers = (
            nn.Linear(width, 4 * width),
            nn.GELU(),
            nn.Linear(4 * width, width),
        )
        model = nn.Sequential(*layers)
        optimizer = torch.optim.AdamW(model.parameters())
        for _ in range(4):
            model(torch.empty(2048, width)).square().mean().backward()
            optimizer.step()
            optimizer.zero_grad()
            if empty_cache:
                replay.allocator.empty_cache()
            calls = replay.allocator.driver_calls
            rows.append([*replay.curve[-1], calls - before])
            before = calls
    return replay, rows


if __name__ == "__main__":
    replay, rows = train(empty_cache=False)
    emptied = [row[2] for row in train(empty_cache=True)[1]]
    print("step  allocated   reserved  driver calls  with empty_cache()")
    for step, (allocated, reserved, calls) in enumerate(rows):
        sizes = f"{allocated:7.0f} MiB{reserved:7.0f} MiB"
        print(f"{step + 1:4}{sizes}{calls:14}{emptied[step]:20}")
    plt.figure(figsize=(7.2, 3.2))
    plt.plot([row[1] for row in replay.curve], "--", label="reserved: segments")
    plt.plot([row[0] for row in replay.curve], label="allocated: tensors")
    plt.ylim(0, 330)
    plt.xlabel("operations of four training steps")
    plt.ylabel("MiB")
    plt.legend(loc="upper left", ncols=2)
    plt.show()
