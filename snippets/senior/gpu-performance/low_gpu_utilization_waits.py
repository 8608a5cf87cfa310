import linecache
import sys

import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

NEEDS_VALUES = {torch.Tag.data_dependent_output, torch.Tag.dynamic_output_shape}


class Waits(TorchDispatchMode):
    """Lines that need values of a tensor: on a GPU, Python would wait there.

    Run a step on the CPU in it. ``lines`` maps (file, line number) to the
    operations that need values, in order. Not seen: ``x.cpu()`` and
    ``x.tolist()``, which are no operations on a CPU, and ``x[mask] = t`` with one
    number ``t`` on the GPU. Seen, but no wait on a GPU: counters of optimizers.
    """

    def __init__(self) -> None:
        super().__init__()
        self.lines: dict[tuple[str, int], list[str]] = {}

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        name = func.overloadpacket.__name__
        needs = bool(NEEDS_VALUES & set(func.tags))
        if name in ("index", "index_put_"):  # x[i] waits only if i is a mask
            needs = any(i is not None and i.dtype == torch.bool for i in args[1])
            needs = needs and not (name == "index_put_" and args[2].numel() == 1)
        if needs:
            frame = sys._getframe(1)
            while frame.f_code.co_filename.startswith(torch.__path__[0]):
                frame = frame.f_back
            place = frame.f_code.co_filename, frame.f_lineno
            self.lines.setdefault(place, []).append(name)
        return func(*args, **(kwargs or {}))


if __name__ == "__main__":
    torch.manual_seed(0)
    model = nn.Linear(8, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x, y = torch.randn(32, 8), torch.randint(3, (32,))
    losses, total = [], torch.zeros(())
    with Waits() as waits:
        x[x.abs() > 3] = 0
        logits = model(x)
        loss = nn.functional.cross_entropy(logits, y)
        if torch.isnan(loss):
            raise SystemExit("NaN")
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
        total += loss.detach()
        correct = logits[y == 2].argmax(1)
    for (file, number), names in waits.lines.items():
        print(f"{', '.join(names):20} {linecache.getline(file, number).strip()}")
