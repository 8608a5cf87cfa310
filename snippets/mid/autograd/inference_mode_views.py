import torch

x = torch.ones(4, requires_grad=True)
with torch.no_grad():
    without_grad = x * 2
with torch.inference_mode():
    result = x * 2
    tensors = {
        "view of x": x.view(2, 2),
        "x * 2": result,
        "view of x * 2": result.view(2, 2),
        "(x * 2).clone(), inside": result.clone(),
    }
tensors["(x * 2).clone(), outside"] = result.clone()
tensors["x * 2 under no_grad()"] = without_grad
for name, tensor in tensors.items():
    print(f"{name:25} {tensor.is_inference()}")
