import heapq


def threads(held: int, free: int, workers: int, rows: int = 4000) -> float:
    """Ms per row if threads share one interpreter lock.

    Args:
        held: ms of a row under the lock, as Python code.
        free: ms of a row without it, as decoding in C, or waiting for a disk.
        workers: threads, each with a core.
    """
    ready = [0] * workers  # when each thread asks for the lock, for its next row
    lock = last = 0
    for _ in range(rows):
        lock = max(heapq.heappop(ready), lock) + held
        heapq.heappush(ready, lock + free)
        last = max(last, lock + free)
    return last / rows


def processes(held: int, free: int, workers: int, copy: int) -> float:
    """Ms per row of processes, which copy each row to the parent: ``copy`` ms."""
    return (held + free + copy) / workers


if __name__ == "__main__":
    print("4 workers    under the lock   threads  processes  ms a row")
    for rows, held, free, copy in (
        ("text", 8, 2, 0),
        ("images", 1, 19, 3),
        ("both", 10, 30, 1),
    ):
        share = held / (held + free)
        one, other = threads(held, free, 4), processes(held, free, 4, copy)
        print(f"{rows:13}{share:14.0%}{one:10.2f}{other:11.2f}")
