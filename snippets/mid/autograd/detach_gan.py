import torch
from torch import nn
from torch.nn.functional import softplus


def train(detach: bool, clear: str) -> tuple[torch.Tensor, bool]:
    """Weights of a generator after 20 steps of a tiny GAN.

    Args:
        detach: whether the discriminator's step sees ``fake.detach()``.
        clear: when the generator's gradients are cleared, "before its backward" or
            "after its step".

    Returns:
        All weights in one vector, and whether the first discriminator step left
        a gradient in the generator.
    """
    torch.manual_seed(0)
    G, D = nn.Linear(2, 3), nn.Linear(3, 1)
    opt_g, opt_d = (torch.optim.SGD(m.parameters(), lr=0.1) for m in (G, D))
    reached = []
    for real in torch.randn(20, 16, 3) + 2:
        fake = G(torch.randn(16, 2))
        opt_d.zero_grad()
        shown = fake.detach() if detach else fake
        (softplus(D(shown)) + softplus(-D(real))).mean().backward()
        reached.append(G.weight.grad is not None)
        opt_d.step()
        if clear == "before its backward":
            opt_g.zero_grad()
        softplus(-D(G(torch.randn(16, 2)))).mean().backward()
        opt_g.step()
        if clear == "after its step":
            opt_g.zero_grad()
    return nn.utils.parameters_to_vector(G.parameters()).detach(), reached[0]


if __name__ == "__main__":
    reference, _ = train(True, "before its backward")
    for detach in True, False:
        for clear in "before its backward", "after its step":
            weights, reached = train(detach, clear)
            print(f"detach: {detach!s:5}  cleared {clear:19}", end="  ")
            print(f"D's loss reaches G: {reached!s:5}", end="  ")
            print("same G:", torch.equal(weights, reference))
