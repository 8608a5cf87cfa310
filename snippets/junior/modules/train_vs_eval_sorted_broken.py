import torch
from torch import nn

norm = nn.BatchNorm1d(1)
norm.running_mean.fill_(20)  # as training left it

no = torch.tensor([17.0, 19.0]).repeat(20)
x = torch.cat([no, no + 4]).unsqueeze(1)  # sorted by class
yes = x > 20


@torch.no_grad()
def accuracy() -> float:
    answers = [norm(batch) > 0 for batch in x.split(2)]
    return (torch.cat(answers) == yes).float().mean().item()


norm.eval()
print("with eval():    ", accuracy())
norm.train()
print("without eval(): ", accuracy())
norm.eval()
print("eval() too late:", accuracy())
print(f"running mean: {norm.running_mean.item():.1f}")
