import torch

rewards = torch.tensor([0.0, 0.0, 0.01])
for scale in (1, 100):
    group = rewards * scale
    advantage = (group - group.mean()) / group.std(correction=0)
    print([round(a, 2) for a in advantage.tolist()])
