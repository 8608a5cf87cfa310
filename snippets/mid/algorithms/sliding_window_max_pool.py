import torch
import torch.nn.functional as F


def pooled(x, window):
    return F.max_pool1d(x[None, None], window, stride=1).squeeze()


x = torch.tensor([1.0, 3.0, 2.0])
print(pooled(x, 2), pooled(x, 3).shape)
try:
    pooled(x.long(), 2)
except NotImplementedError as error:
    print(f"NotImplementedError: {error}")
print(x.long().unfold(0, 3, 1).amax(dim=1))
