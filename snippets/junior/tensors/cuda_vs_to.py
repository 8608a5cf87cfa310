import os

os.environ["CUDA_VISIBLE_DEVICES"] = (
    ""  # hide the GPUs: the output is the same with and without one
)

import torch

accelerator = torch.accelerator.current_accelerator(check_available=True)
device = accelerator or torch.device("cpu")
x, other = torch.ones(2), torch.ones(1, dtype=torch.float64, device="meta")
calls = {
    "x.cuda()": lambda: x.cuda(),
    'x.to("cuda")': lambda: x.to("cuda"),
    "x.to(device)": lambda: x.to(device),
    "x.mps()": lambda: x.mps(),
    'x.to("meta")': lambda: x.to("meta"),
    "x.to(torch.float16)": lambda: x.to(torch.float16),
    'x.to("meta", torch.float16)': lambda: x.to("meta", torch.float16),
    'x.to(torch.float16, "meta")': lambda: x.to(torch.float16, "meta"),
    "x.to(other)": lambda: x.to(other),
}
texts = []
for name, call in calls.items():
    try:
        result = call()
        print(f"{name:28} {result.device} {result.dtype}")
    except (AttributeError, TypeError) as error:
        print(f"{name:28} {type(error).__name__}")
    except (AssertionError, RuntimeError) as error:
        texts.append(str(error))
        print(f"{name:28} raises: there is no GPU")
print("the two raise the same error:", texts[0] == texts[1])
