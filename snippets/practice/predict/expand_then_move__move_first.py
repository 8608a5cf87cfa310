import torch

row = torch.zeros(1, 8)
host = row.expand(1000, 8).to("cpu")
device = row.to("meta").expand(1000, 8)
print(host.untyped_storage().nbytes(), device.untyped_storage().nbytes())
