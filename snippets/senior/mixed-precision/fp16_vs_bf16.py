import torch

values = torch.tensor([1e-8, 1e-20, 70000.0, 1.001, 257.0])
print("float32 ", *(f"{value:10g}" for value in values.tolist()))
for dtype in (torch.float16, torch.bfloat16):
    stored = values.to(dtype).tolist()
    print(f"{str(dtype)[6:]:8}", *(f"{value:10.4g}" for value in stored))

print("\n             largest  smallest normal  gap after 1")
for dtype in (torch.float16, torch.bfloat16, torch.float32):
    info = torch.finfo(dtype)
    print(f"{str(dtype)[6:]:9}{info.max:11.3g}{info.tiny:17.3g}{info.eps:13.2g}")
