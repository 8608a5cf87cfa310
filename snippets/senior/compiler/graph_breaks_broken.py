import torch


@torch.compile(backend="eager", fullgraph=True)
def activate(x: torch.Tensor) -> torch.Tensor:
    x = x * 2
    if x.sum() > 0:
        return x.sin() + 1
    return x.cos() - 1


try:
    activate(torch.ones(3))
except torch._dynamo.exc.Unsupported as error:
    lines = str(error).splitlines()
    print(f"{type(error).__name__}: {lines[0]}")
    print(*[line.strip() for line in lines if "Use `torch.cond`" in line])
