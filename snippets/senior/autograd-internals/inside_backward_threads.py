import threading

import torch

ran, threads = [], set()


def note(what: str) -> None:
    ran.append(what)
    threads.add(threading.current_thread().name)


class Nested(torch.autograd.Function):
    """The square, whose backward calls backward(), as old checkpoints do."""

    @staticmethod
    def forward(ctx, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    def backward(ctx, gradient: torch.Tensor) -> torch.Tensor:
        note("outer begins")
        with torch.enable_grad():
            x = ctx.saved_tensors[0].detach().requires_grad_()
            y = x**2
        y.grad_fn.register_prehook(lambda _: note("inner"))
        y.backward(gradient)
        note("outer ends")
        return x.grad


def step() -> None:
    w = torch.tensor(3.0, requires_grad=True)
    Nested.apply(w).backward()
    print(f"{', '.join(threads)}: {', '.join(ran)}, w.grad {w.grad}")
    ran.clear()
    threads.clear()


step()
thread = threading.Thread(target=step, name="mine")
thread.start()
thread.join()
