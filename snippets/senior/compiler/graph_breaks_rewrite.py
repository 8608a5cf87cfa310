import torch


def branch(x: torch.Tensor) -> torch.Tensor:
    """Square root or double, by the sign of the sum; float32, shape (n,).

    The functions below return the same.
    """
    if x.sum() > 0:
        return x.sqrt()
    return x * 2


def with_where(x: torch.Tensor) -> torch.Tensor:
    return torch.where(x.sum() > 0, x.sqrt(), x * 2)


def with_guarded_where(x: torch.Tensor) -> torch.Tensor:
    positive = x.sum() > 0
    return torch.where(positive, torch.where(positive, x, 1.0).sqrt(), x * 2)


def with_cond(x: torch.Tensor) -> torch.Tensor:
    return torch.cond(x.sum() > 0, lambda x: x.sqrt(), lambda x: x * 2, (x,))


if __name__ == "__main__":
    print(f"{'':20}x =  4.0           x = -4.0")
    print(f"{'':20}output  gradient   output  gradient")
    for function in (branch, with_where, with_guarded_where, with_cond):
        run = (
            function
            if function is branch
            else torch.compile(function, backend="eager", fullgraph=True)
        )
        line = f"{function.__name__:20}"
        for value in (4.0, -4.0):
            x = torch.tensor([value], requires_grad=True)
            y = run(x)
            y.backward()
            line += f"{y.item():6.2f}{x.grad.item():10.2f}   "
        print(line.rstrip())
