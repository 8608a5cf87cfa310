import torch

sick = torch.arange(1000) < 100  # 1,000 people, 100 of them sick
always_no = torch.zeros(1000, dtype=torch.bool)
finds_some = torch.arange(1000) % 900 < 70  # 70 sick and 70 healthy people
for name, alarm in (("always no", always_no), ("finds 70", finds_some)):
    accuracy = (alarm == sick).float().mean()
    found = int((alarm & sick).sum())
    print(f"{name}: accuracy {accuracy:.2f}, found {found} of 100")
