import torch

x = torch.tensor([3.0, 1.0, 5.0, 5.0, 2.0])
print("second of the different values", x.unique()[-2].item())
x[2] = torch.nan
print("topk with a NaN    ", x.topk(2).values.tolist())
print("kthvalue with a NaN", x.kthvalue(len(x)).values.item())
print("sorted() with a NaN", sorted(x.tolist()))
