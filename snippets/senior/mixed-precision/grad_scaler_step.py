import torch
from torch import nn


def train_step(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    x: torch.Tensor,
) -> bool:
    """One float16 autocast step on the loss ``model(x).sum()``.

    Args:
        x: float32, shape (batch, features).

    Returns:
        Whether the optimizer stepped; False if the gradients held an inf or a NaN.
        It reads the scale twice, and on a GPU each reading waits for the device.

    Raises:
        FloatingPointError: the scale has fallen to 0.
    """
    optimizer.zero_grad()
    with torch.autocast(x.device.type, dtype=torch.float16):
        output = model(x)
    scaler.scale(output.float().sum()).backward()
    before = scaler.get_scale()
    scaler.step(optimizer)
    scaler.update()
    after = scaler.get_scale()
    if after == 0:
        raise FloatingPointError("the scale has fallen to 0")
    return after >= before


if __name__ == "__main__":
    torch.manual_seed(0)
    model = nn.Linear(4, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    scheduler = torch.optim.lr_scheduler.LinearLR(
        optimizer, start_factor=1.0, end_factor=0.1, total_iters=9
    )
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**14, growth_interval=2)
    x = torch.ones(1, 4)

    print("call  scale   stepped  weight moved  lr")
    for call in range(1, 10):
        scale, lr = scaler.get_scale(), scheduler.get_last_lr()[0]
        before = model.weight.detach().clone()
        stepped = train_step(model, optimizer, scaler, x)
        moved = not torch.equal(model.weight, before)
        scheduler.step()
        print(f"{call:4}  {scale:5.0f}   {stepped!s:7}  {moved!s:12}  {lr:.3f}")
    steps = optimizer.state[model.weight]["step"]
    print(f"optimizer: {steps:.0f} steps, scheduler: {scheduler.last_epoch}")
