from collections import Counter

import torch

labels = torch.tensor([3, 3, 7])
counts = Counter(labels.tolist())
print(len(counts), counts[3])
