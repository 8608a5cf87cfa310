import asyncio
import threading

import torch


def infer(frame: torch.Tensor, others: threading.Event) -> bool:
    """A model call. True if the loop received another frame while it ran."""
    torch.relu(frame)
    return others.wait(timeout=0.3)


async def receive(others: threading.Event) -> None:
    """The camera's next frame arrives."""
    await asyncio.sleep(0)
    others.set()


async def blocking(frame: torch.Tensor, others: threading.Event) -> bool:
    return infer(frame, others)


async def threaded(frame: torch.Tensor, others: threading.Event) -> bool:
    return await asyncio.to_thread(infer, frame, others)


async def main() -> None:
    for call in (blocking, threaded):
        others = threading.Event()
        frame = torch.zeros(3, 4, 4)
        received, _ = await asyncio.gather(call(frame, others), receive(others))
        print(f"{call.__name__:9} frames received during the call: {received}")


if __name__ == "__main__":
    asyncio.run(main())
