import torch


def gradient(fix: str) -> tuple[list[float], int]:
    """Gradient of two losses with one trunk, and how often the trunk is visited.

    Args:
        fix: "retain_graph", "one sum", "one call, two losses" or "forward twice".
    """
    x, visits = torch.zeros(2, requires_grad=True), []

    def forward() -> tuple[torch.Tensor, torch.Tensor]:
        hidden = x.exp()
        hidden.grad_fn.register_prehook(lambda _: visits.append(1))
        return hidden.sum(), (3 * hidden).sum()

    one, two = forward()
    if fix == "retain_graph":
        one.backward(retain_graph=True)
        two.backward()
    elif fix == "one sum":
        (one + two).backward()
    elif fix == "one call, two losses":
        torch.autograd.backward([one, two])
    else:
        one.backward()
        forward()[1].backward()
    return x.grad.tolist(), len(visits)


if __name__ == "__main__":
    for fix in "retain_graph", "one sum", "one call, two losses", "forward twice":
        values, visits = gradient(fix)
        print(f"{fix:20} gradient {values}  trunk visited {visits}x")
