import torch
import torch.nn.functional as F

logits = torch.tensor([[10.0, 0.0]])  # two classes; the model is sure of class 0
for name, label in (("right", 0), ("wrong", 1)):
    label = torch.tensor([label])
    once = F.cross_entropy(logits, label)
    twice = F.cross_entropy(logits.softmax(dim=1), label)
    print(f"sure and {name}: logits {once:5.2f}, probabilities {twice:.2f}")
