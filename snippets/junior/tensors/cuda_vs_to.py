import os

os.environ["CUDA_VISIBLE_DEVICES"] = ""  # hide the GPUs that "cuda" stands for

import torch

accelerator = torch.accelerator.current_accelerator(check_available=True)
device = accelerator or torch.device("cpu")
x = torch.ones(2)
for name, target in {"x.to(device)": device, 'x.to("cuda")': "cuda"}.items():
    try:
        print(f"{name:12} runs: {x.to(target).shape}")
    except (AssertionError, RuntimeError) as error:
        print(f"{name:12} raises")
        text = str(error)

try:
    x.cuda()
except (AssertionError, RuntimeError) as error:
    print(f"x.cuda()     raises, the same text: {str(error) == text}")
