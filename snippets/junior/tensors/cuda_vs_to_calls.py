import torch

x, other = torch.ones(2), torch.ones(1, dtype=torch.float64, device="meta")
calls = {
    'x.to("meta")': lambda: x.to("meta"),
    "x.to(torch.float16)": lambda: x.to(torch.float16),
    'x.to("meta", torch.float16)': lambda: x.to("meta", torch.float16),
    'x.to(torch.float16, "meta")': lambda: x.to(torch.float16, "meta"),
    "x.to(other)": lambda: x.to(other),
    "x.mps()": lambda: x.mps(),
}
for name, call in calls.items():
    try:
        result = call()
        print(f"{name:28} {result.device} {result.dtype}")
    except (AttributeError, TypeError) as error:
        print(f"{name:28} {type(error).__name__}")
