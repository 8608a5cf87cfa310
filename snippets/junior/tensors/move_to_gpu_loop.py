import torch
import torch.nn.functional as F
from torch import nn


def train(
    model: nn.Module,
    batches: list[tuple[torch.Tensor, torch.Tensor]],
    device: torch.device,
) -> list[float]:
    """The losses of one epoch of SGD; the same loop for a CPU and any accelerator.

    Args:
        model: maps float32 (N, D) to (N, 1); moved to ``device`` in place.
        batches: pairs of float32 tensors, (N, D) and (N, 1), on any device.
    """
    model.to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for x, y in batches:
        x, y = x.to(device), y.to(device)
        loss = F.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


if __name__ == "__main__":
    torch.manual_seed(0)
    accelerator = torch.accelerator.current_accelerator(check_available=True)
    device = accelerator or torch.device("cpu")
    model, inputs = nn.Linear(3, 1), torch.randn(20, 64, 3)
    batches = [(x, x.sum(dim=1, keepdim=True)) for x in inputs]
    losses = train(model, batches, device)
    print(f"first loss {losses[0]:.4f}, last loss {losses[-1]:.4f}")
