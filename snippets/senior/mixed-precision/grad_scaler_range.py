import torch
from torch import nn


def weight_gradient(true_gradient: float, scaler: torch.amp.GradScaler) -> float:
    """Gradient that the optimizer sees for ``loss = true_gradient * model(1)``.

    The model runs in float16 autocast. The weight and its gradient are float32;
    between the two, backward() carries float16.
    """
    model = nn.Linear(1, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with torch.autocast("cpu", dtype=torch.float16):
        output = model(torch.ones(1, 1))
    loss = true_gradient * output.float().sum()
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    return model.weight.grad.item()


if __name__ == "__main__":
    print("true gradient   no scaler   scale 65536")
    for true_gradient in (10.0, 1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 1e-14):
        plain = weight_gradient(
            true_gradient, torch.amp.GradScaler("cpu", enabled=False)
        )
        scaled = weight_gradient(
            true_gradient, torch.amp.GradScaler("cpu", init_scale=65536.0)
        )
        print(f"{true_gradient:13.0e}{plain:12.1e}{scaled:14.1e}")
