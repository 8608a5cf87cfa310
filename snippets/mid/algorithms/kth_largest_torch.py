import torch

x = torch.tensor([3.0, 1.0, 5.0, 5.0, 2.0])
n, k = len(x), 2
print("kthvalue(k)        ", x.kthvalue(k).values.item())
print("kthvalue(n - k + 1)", x.kthvalue(n - k + 1).values.item())
print("topk(k)            ", x.topk(k).values[-1].item())
print("sort               ", x.sort(descending=True).values[k - 1].item())
print("unique             ", x.unique()[-k].item())
x[2] = torch.nan
print("with a NaN         ", x.topk(k).values.tolist())
print("sorted() with NaN  ", sorted(x.tolist()))
