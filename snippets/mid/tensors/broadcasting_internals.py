import torch

a = torch.tensor([[1.0], [2.0], [3.0]], requires_grad=True)
b = torch.tensor([10.0, 20.0, 30.0, 40.0], requires_grad=True)
for name, x in zip("ab", torch.broadcast_tensors(a, b)):
    print(
        f"{name}: shape {tuple(x.shape)}, strides {x.stride()}, "
        f"{x.numel()} elements in {x.untyped_storage().nbytes()} bytes"
    )
(a * b).sum().backward()
print("gradient of a:", a.grad.tolist())
print("gradient of b:", b.grad.tolist())
