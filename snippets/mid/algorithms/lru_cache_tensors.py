import torch

weight = torch.ones(256, 64, requires_grad=True)
print("stored                       bytes  graph  changes later")
for name, keep in {
    "row": lambda row: row,
    "row.detach()": lambda row: row.detach(),
    "row.clone()": lambda row: row.clone(),
    "row.detach().clone()": lambda row: row.detach().clone(),
}.items():
    features = weight * 2  # 256 examples of 64 features
    cache = {7: keep(features[7])}
    first = cache[7][0].item()
    with torch.no_grad():
        features.zero_()  # the next batch is written to the same memory
    held = cache[7].untyped_storage().nbytes()
    changed = cache[7][0].item() != first
    print(f"{name:24} {held:9}  {cache[7].grad_fn is not None!s:5}  {changed}")
