import torch

t = torch.arange(12).reshape(3, 4)
for name, view in {
    "t": t,
    "t.T": t.T,
    "t[1:, ::2]": t[1:, ::2],
    "t.diagonal()": t.diagonal(),
    "t[2].expand(2, 4)": t[2].expand(2, 4),
}.items():
    same = view.untyped_storage().data_ptr() == t.untyped_storage().data_ptr()
    print(
        f"{name:18} shape {tuple(view.shape)!s:7} strides {view.stride()!s:7} "
        f"offset {view.storage_offset()}  {'same storage' if same else 'copy'}"
    )
