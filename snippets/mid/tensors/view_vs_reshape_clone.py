import torch

x = torch.arange(6).reshape(2, 3).T
copies = {
    "x.clone()": x.clone(),
    "x + 0": x + 0,
    "x.contiguous()": x.contiguous(),
    "x.reshape(-1)": x.reshape(-1),
}
for name, copy in copies.items():
    try:
        copy.view(6)
        verdict = "works"
    except RuntimeError:
        verdict = "raises"
    print(f"{name:15} strides {copy.stride()!s:7} view(6) {verdict}")
