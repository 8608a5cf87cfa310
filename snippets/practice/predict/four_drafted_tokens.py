import torch

draft = torch.tensor([5, 7, 9, 4])
target = torch.tensor([5, 8, 9, 4, 1])  # its best token at each place

same = (draft == target[:-1]).long()
kept = int(same.sum())
text = torch.cat([draft[:kept], target[kept : kept + 1]])
print(text.tolist())
