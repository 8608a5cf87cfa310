import torch

x = torch.zeros(1000, 1).expand(1000, 1000)
for name, y in {
    "x": x,
    "x.T": x.T,
    "x[:, ::2]": x[:, ::2],
    "x.float()": x.float(),
    "x.double()": x.double(),
    "x.clone()": x.clone(),
    "x.reshape(-1)": x.reshape(-1),
    "zeros(1000, 1).repeat(1, 1000)": torch.zeros(1000, 1).repeat(1, 1000),
}.items():
    print(f"{name:31} {y.untyped_storage().nbytes():>9,} bytes")
