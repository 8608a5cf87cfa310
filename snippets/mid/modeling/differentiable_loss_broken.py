import torch
from torch.nn import functional as F


def train(penalty: str) -> tuple[torch.Tensor, float]:
    """Weights and last loss of 50 steps of SGD.

    Args:
        penalty: "none", "tensor" or "number": of the size of the logits.
    """
    torch.manual_seed(0)
    layer, x = torch.nn.Linear(4, 3), torch.randn(60, 4)
    y = (2 * x[:, :3]).argmax(dim=1)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.5)
    for _ in range(50):
        z = layer(x)
        loss = F.cross_entropy(z, y)
        if penalty != "none":
            size = z.square().mean()
            loss = loss + (size if penalty == "tensor" else size.item())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return layer.weight.detach(), loss.item()


if __name__ == "__main__":
    without, _ = train("none")
    for penalty in ("none", "tensor", "number"):
        weights, loss = train(penalty)
        same = torch.equal(weights, without)
        print(f"penalty {penalty:6}  loss {loss:.2f}  weights as without: {same}")
