import torch

u, v = torch.tensor(2.0, requires_grad=True), torch.tensor(3.0, requires_grad=True)
failures = [torch.OutOfMemoryError("pretend")]


def fail_once(_: torch.Tensor) -> None:
    if failures:
        raise failures.pop()


for attempt in (1, 2):
    hidden = u * 1
    hidden.register_hook(fail_once)
    try:
        (hidden * v).backward()
    except torch.OutOfMemoryError as error:
        print(f"attempt {attempt}: {type(error).__name__}")
    print(f"attempt {attempt}: u.grad {u.grad}, v.grad {v.grad}")
