import torch
from torch import nn


def fitted_slope(batch_size: int, steps: int = 1000) -> float:
    """Slope that SGD finds for ``y = 2x`` with (N, 1) against (N,).

    Mean over the last half of training on 32 samples.
    """
    torch.manual_seed(0)
    x = torch.randn(32, 1)
    y = 2 * x.squeeze(1)
    model = nn.Linear(1, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.03)
    slopes = []
    for _ in range(steps):
        rows = torch.randperm(len(x))[:batch_size]
        loss = ((model(x[rows]) - y[rows]) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        slopes.append(model.weight.item())
    return sum(slopes[steps // 2 :]) / (steps - steps // 2)


if __name__ == "__main__":
    print("batch size   slope (right: 2)")
    for batch_size in (1, 2, 4, 8, 32):
        print(f"{batch_size:10} {fitted_slope(batch_size):z18.2f}")
