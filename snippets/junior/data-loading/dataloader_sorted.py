# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def train(shuffle: bool, epochs: int = 3) -> tuple[list[float], float]:
    """Train on 4 classes whose samples are stored class by class.

    Returns:
        The loss of each step, and the accuracy on all samples after training.
    """
    torch.manual_seed(0)
    labels = torch.arange(4).repeat_interleave(100)
    inputs = 2 * torch.eye(4)[labels] + torch.randn(400, 4)
    model = nn.Linear(4, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    losses = []
    for _ in range(epochs):
        for x, y in DataLoader(
            TensorDataset(inputs, labels), batch_size=20, shuffle=shuffle
        ):
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    return losses, (model(inputs).argmax(dim=1) == labels).float().mean().item()


if __name__ == "__main__":
    for shuffle in (False, True):
        losses, accuracy = train(shuffle)
        print(f"shuffle={shuffle!s:5}  accuracy on all samples {accuracy:.0%}")
        plt.plot(losses, label=f"shuffle={shuffle}")
    plt.xticks(range(0, 61, 5))
    plt.xlabel("step (a new class every 5 steps, an epoch every 20)")
    plt.ylabel("training loss")
    plt.legend()
    plt.show()
