import torch

on_device = torch.ones(3, device="meta")
attempts = {
    "device (3,) + CPU ()": lambda: on_device + torch.tensor(2.0),
    "device (3,) + CPU (1,)": lambda: on_device + torch.tensor([2.0]),
    "CPU (3,) + device ()": lambda: (
        torch.ones(3) + torch.tensor(2.0, device="meta")
    ),
    "device (3,)[CPU index]": lambda: on_device[torch.tensor([0, 2])],
    "device (3,) + 2.0": lambda: on_device + 2.0,
}
for name, attempt in attempts.items():
    try:
        print(f"{name:23} on {attempt().device}")
    except RuntimeError as error:
        print(f"{name:23} RuntimeError: {error}")
