MIB = 2**20
PAGE = 20 * MIB


class Allocator:
    """Large tensors (over 1 MiB) in PyTorch's CUDA allocator, one stream.

    A segment is a list of [bytes, state], the state "used", "free" or "unmapped".
    By default a request without a fitting hole gets a new segment. If `expandable`,
    one segment grows by pages of 20 MiB, and free pages go back one by one.
    """

    def __init__(self, capacity: int, expandable: bool = False) -> None:
        self.capacity, self.expandable = capacity, expandable
        self.segments: list[list[list]] = [[]] if expandable else []

    def total(self, *states: str) -> int:
        return sum(b[0] for s in self.segments for b in s if b[1] in states)

    def hole(self, size: int) -> tuple[int, int, int] | None:
        """The smallest free block that fits: its bytes, segment and place."""
        return min(
            (
                (block[0], number, place)
                for number, segment in enumerate(self.segments)
                for place, block in enumerate(segment)
                if block[1] == "free" and block[0] >= size
            ),
            default=None,
        )

    def malloc(self, requested: int) -> list:
        """A block of at least so many bytes; MemoryError if there is no room."""
        size = -(-requested // 512) * 512
        if self.hole(size) is None and not self.grow(size):
            self.empty_cache()
            if not self.grow(size):
                raise MemoryError(f"{size} bytes, {self.total('free')} are free")
        room, number, place = self.hole(size)
        block = self.segments[number][place]
        if room - size > (0 if self.expandable else MIB):
            block[0] = size
            self.segments[number].insert(place + 1, [room - size, "free"])
        block[1] = "used"
        return block

    def grow(self, size: int) -> bool:
        tail = 0
        if not self.expandable:
            room = 20 * MIB if size < 10 * MIB else -(-size // (2 * MIB)) * 2 * MIB
        else:
            segment = self.segments[0]
            tail = segment[-1][0] if segment and segment[-1][1] == "free" else 0
            room = -(-(size - tail) // PAGE) * PAGE
        if self.total("used", "free") + room > self.capacity:
            return False
        if tail:
            segment[-1][0] += room
        elif self.expandable:
            segment.append([room, "free"])
        else:
            self.segments.append([[room, "free"]])
        return True

    def free(self, block: list) -> None:
        block[1] = "free"
        segment = next(s for s in self.segments if any(b is block for b in s))
        place = next(i for i, b in enumerate(segment) if b is block)
        for left in (place, place - 1):
            if (
                left >= 0
                and [b[1] for b in segment[left : left + 2]] == ["free"] * 2
            ):
                segment[left][0] += segment.pop(left + 1)[0]

    def empty_cache(self) -> None:
        """Give back free segments; of an expandable one, its free whole pages."""
        if not self.expandable:
            self.segments = [
                s for s in self.segments if any(b[1] == "used" for b in s)
            ]
            return
        start, blocks = 0, []
        for block in self.segments[0]:
            end = start + block[0]
            first, last = -(-start // PAGE) * PAGE, end // PAGE * PAGE
            if block[1] == "free" and first < last:
                blocks.append([first - start, "free"])
                blocks.append([last - first, "unmapped"])
                block = [end - last, "free"]
            blocks.append(block)
            start = end
        self.segments = [[b for b in blocks if b[0]]]


def train(lengths: list[int], keep: bool, allocator: Allocator) -> int:
    """Forward and backward of eight layers for each length; the peak of tensors.

    `keep`: each layer's forward pass also makes 3 MiB that nobody frees.
    """
    peak = 0
    for length in lengths:
        live = []
        for _ in range(8):
            live += [allocator.malloc(length * 16384 * part) for part in (1, 3, 4)]
            if keep:
                allocator.malloc(3 * MIB)
        peak = max(peak, allocator.total("used"))
        for block in reversed(live):
            allocator.free(block)
    return peak


def enough(lengths: list[int], keep: bool, expandable: bool) -> int:
    """The smallest capacity, in steps of 2 MiB, with which the loop survives."""
    low, high = 0, 2**12
    while high - low > 1:
        middle = (low + high) // 2
        try:
            train(lengths, keep, Allocator(middle * 2 * MIB, expandable))
            high = middle
        except MemoryError:
            low = middle
    return high * 2 * MIB


if __name__ == "__main__":
    print("lengths     kept  segments      tensors  reserved  enough, MiB")
    for keep in (False, True):
        for name, step in (("growing", 100), ("shrinking", -100)):
            lengths = list(range(100, 1001, 100))[:: step // 100]
            for segments in ("default", "expandable"):
                roomy = Allocator(2**40, segments == "expandable")
                peak = train(lengths, keep, roomy)
                reserved = roomy.total("used", "free")
                need = enough(lengths, keep, segments == "expandable")
                sizes = [f"{size / MIB:9.0f}" for size in (peak, reserved, need)]
                print(f"{name:11} {str(keep):5} {segments:11}", *sizes)
