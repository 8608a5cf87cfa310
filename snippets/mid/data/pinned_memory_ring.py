import torch


def arrive(buffers: int, event: bool, batches: int = 6) -> list[int]:
    """What a late GPU receives if the host fills its pinned buffers in turn."""
    stream = []  # queued copies: (buffer, destination)
    ring = [torch.zeros(1) for _ in range(buffers)]
    devices = [torch.zeros(1) for _ in range(batches)]

    def run_until_free(host: torch.Tensor) -> None:
        while any(source is host for source, _ in stream):
            source, destination = stream.pop(0)
            destination.copy_(source)

    for batch, device in enumerate(devices, 1):
        host = ring[batch % buffers]
        if event:
            run_until_free(host)  # event.synchronize()
        host.fill_(batch)  # the next batch
        stream.append((host, device))  # device.copy_(host, non_blocking=True)
    for source, destination in stream:
        destination.copy_(source)
    return [int(device) for device in devices]


for buffers, event in ((1, False), (2, False), (2, True)):
    print(f"buffers={buffers} event={event!s:6}arrived: {arrive(buffers, event)}")
