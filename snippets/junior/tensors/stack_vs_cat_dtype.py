import torch

user_ids = torch.tensor([16_777_216, 16_777_217])

collected = torch.empty(0)
for batch in user_ids.split(1):
    collected = torch.cat([collected, batch])

grown = [int(user_id) for user_id in collected]
print(f"grown from torch.empty(0)  {collected.dtype}  {grown}")
joined = torch.cat(user_ids.split(1))
print(f"joined once                {joined.dtype}    {joined.tolist()}")
