import torch

t = torch.arange(6).reshape(2, 3)
for name, other in {
    "t": t,
    "t.T": t.T,
    "t[:, 1:]": t[:, 1:],
    "t.reshape(6)": t.reshape(6),
    "t.T.reshape(6)": t.T.reshape(6),
    "t.T.contiguous()": t.T.contiguous(),
}.items():
    same = other.untyped_storage().data_ptr() == t.untyped_storage().data_ptr()
    print(
        f"{name:16}  shape {tuple(other.shape)!s:6}  strides {other.stride()!s:6}  "
        f"{'same memory' if same else 'copy'}"
    )
try:
    t.T.view(6)
except RuntimeError as error:
    print("t.T.view(6)       RuntimeError:", str(error).split(" and ")[0])
