import torch

stream = []  # a model of a CUDA stream: work that runs later, in order


def copy_to_device(host: torch.Tensor, pinned: bool) -> torch.Tensor:
    device = torch.empty_like(host)
    source = host if pinned else host.clone()  # pageable: staged during the call
    stream.append(lambda: device.copy_(source))
    return device


for pinned in (False, True):
    host = torch.tensor([1.0, 2.0])
    device = copy_to_device(host, pinned)
    host.fill_(9.0)  # the next batch goes into the same buffer
    stream.pop()()  # what torch.cuda.synchronize() waits for
    print(f"pinned={pinned!s:6} on the device: {device.tolist()}")
