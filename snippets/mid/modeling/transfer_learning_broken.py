import torch
from torch import nn

x = torch.randn(200, 4, generator=torch.Generator().manual_seed(0)) + 3


def old_task(keep_statistics: bool) -> float:
    """How much the outputs for the old task's data change while a new head trains.

    Args:
        keep_statistics: call ``eval()`` on the backbone after ``model.train()``.

    Returns:
        The largest change of a backbone output on data of the old task.
    """
    torch.manual_seed(0)
    backbone = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8)).requires_grad_(
        False
    )
    old = torch.randn(50, 4)
    for _ in range(100):  # statistics of the old task
        backbone(old)
    was = backbone.eval()(old)
    model = nn.Sequential(backbone, nn.Linear(8, 2))
    optimizer = torch.optim.SGD(model[1].parameters(), lr=0.1)
    for _ in range(20):
        model.train()
        if keep_statistics:
            backbone.eval()
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()
    return (model.eval()[0](old) - was).abs().max().item()


if __name__ == "__main__":
    for keep in (False, True):
        changed = old_task(keep)
        print(f"backbone.eval() after train(): {keep!s:5}  change {changed:.1f}")
