import torch

x = torch.ones(4, requires_grad=True)
base = x * 1
a, b = base[:3], base[1:]


def show(when: str) -> None:
    print(
        f"{when}: base {base.grad_fn.name()}, b {b.grad_fn.name()}, b {b.tolist()}"
    )


show("before")
a.mul_(10)
show("after ")
b.sum().backward()
print("gradient of x:", x.grad.tolist())
