import torch

print("          1 - 0.001, 1000 times   1 * 0.999, 1000 times")
for dtype in (torch.float32, torch.float16, torch.bfloat16):
    weight = torch.ones(1, dtype=dtype)
    second_moment = torch.ones(1, dtype=dtype)
    for _ in range(1000):
        weight -= 0.001
        second_moment *= 0.999
    print(f"{str(dtype)[6:]:10}{weight.item():21.2f}{second_moment.item():24.2f}")
