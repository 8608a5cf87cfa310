import torch

on_device = torch.ones(3, device="meta")
cpu_scalar, cpu_vector = torch.tensor(2.0), torch.tensor([2.0])
attempts = {
    "device (3,) + 2.0": lambda: on_device + 2.0,
    "device (3,) + CPU ()": lambda: on_device + cpu_scalar,
    "device (3,) + CPU (1,)": lambda: on_device + cpu_vector,
    "CPU (1,) + device ()": lambda: cpu_vector + on_device[0],
    "stack of device () and CPU ()": lambda: torch.stack(
        [on_device[0], cpu_scalar]
    ),
    "device (3,)[CPU index]": lambda: on_device[torch.tensor([0, 2])],
    "device (3,).copy_(CPU (1,))": lambda: on_device.copy_(cpu_vector),
}
for name, attempt in attempts.items():
    try:
        print(f"{name:30} on {attempt().device}")
    except RuntimeError as error:
        print(f"{name:30} {type(error).__name__}")
