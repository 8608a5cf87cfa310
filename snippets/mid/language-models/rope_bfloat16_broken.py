import torch

for dtype in (torch.float32, torch.float16, torch.bfloat16):
    positions = torch.arange(4096).to(dtype)
    print(dtype, "positions:", positions.unique().numel(), "of 4096")
print("position 4001 becomes", int(torch.tensor(4001).bfloat16()))
