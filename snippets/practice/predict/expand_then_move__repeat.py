import torch

row = torch.zeros(1, 8)
host = row.repeat(1000, 1).to("cpu")
device = row.repeat(1000, 1).to("meta")
print(host.untyped_storage().nbytes(), device.untyped_storage().nbytes())
