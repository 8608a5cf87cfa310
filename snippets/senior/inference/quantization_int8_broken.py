import torch

x = torch.full((1, 300), 127, dtype=torch.int8)
print("int8   ", (x @ x.mT).item())
print("int32  ", (x.int() @ x.int().mT).item())
print("127 * 127 * 300 modulo 256 =", 127 * 127 * 300 % 256)
