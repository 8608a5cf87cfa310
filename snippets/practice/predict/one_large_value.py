import torch

x = torch.tensor([1.0, 2.0, 3.0, 1792.0])
step = x.amax() / 127
int8 = (x / step).round() * step
scale = x.amax() / 448
fp8 = (x / scale).to(torch.float8_e4m3fn).float() * scale
print([round(value) for value in int8.tolist()])
print([round(value) for value in fp8.tolist()])
