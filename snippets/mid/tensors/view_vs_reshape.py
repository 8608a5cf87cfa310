import torch

t = torch.arange(24).reshape(2, 3, 4)
for name, x in {
    "t": t,
    "t[..., ::2]": t[..., ::2],
    "t[:, :2]": t[:, :2],
    "t.transpose(0, 1)": t.transpose(0, 1),
}.items():
    try:
        view = "shares" if x.view(-1).data_ptr() == x.data_ptr() else "copies"
    except RuntimeError:
        view = "raises"
    reshape = "shares" if x.reshape(-1).data_ptr() == x.data_ptr() else "copies"
    contiguous = "returns x" if x.contiguous() is x else "copies"
    print(f"{name:18} view {view}, reshape {reshape}, contiguous {contiguous}")
