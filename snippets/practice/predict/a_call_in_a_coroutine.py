import asyncio

import torch

log = []


async def infer(name):
    log.append(name)
    torch.ones(2).sum()
    log.append(name)


async def main():
    await asyncio.gather(infer("a"), infer("b"))


asyncio.run(main())
print(*log)
