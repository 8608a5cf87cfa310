import torch
import torch.nn.functional as F

w = torch.tensor([1.5, 2.5], requires_grad=True)
data = torch.ones(2)

results = {
    "data + 1": data + 1,
    "data + w": data + w,
    "w[0]": w[0],
    "w.view(2, 1)": w.view(2, 1),
    "w.round()": w.round(),
    "w.to(torch.float32)": w.to(torch.float32),
    "w.to(torch.float64)": w.to(torch.float64),
    "w.long()": w.long(),
    "w > 0": w > 0,
    "w.argmax()": w.argmax(),
    "w.max(dim=0).values": w.max(dim=0).values,
    "w.max(dim=0).indices": w.max(dim=0).indices,
    "F.relu(w).detach()": F.relu(w).detach(),
}

with torch.no_grad():
    results["data + w in no_grad()"] = data + w

for expression, result in results.items():
    node = result.grad_fn.name() if result.grad_fn else "no node"
    print(f"{expression:23}{node}")
