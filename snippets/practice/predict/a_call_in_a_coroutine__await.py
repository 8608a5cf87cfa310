import asyncio

import torch

log = []


async def infer(name):
    log.append(name)
    await asyncio.sleep(torch.zeros(2).sum().item())
    log.append(name)


async def main():
    await asyncio.gather(infer("a"), infer("b"))


asyncio.run(main())
print(*log)
