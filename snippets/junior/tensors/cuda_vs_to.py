import os

os.environ["CUDA_VISIBLE_DEVICES"] = ""  # hide the GPUs that "cuda" stands for

import torch

accelerator = torch.accelerator.current_accelerator(check_available=True)
device, x = accelerator or torch.device("cpu"), torch.ones(2)
print("x.to(device) runs:", x.to(device).shape)

errors = []
for move in (lambda: x.to("cuda"), x.cuda):
    try:
        move()
    except (AssertionError, RuntimeError) as error:
        errors.append(str(error))
print(f'x.to("cuda") and x.cuda(): {len(errors)} errors,', end=" ")
print("the same text:", len(set(errors)) == 1)
