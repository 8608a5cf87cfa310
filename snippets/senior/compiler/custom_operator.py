# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "numpy"]
# ///
import numpy as np
import torch


@torch.library.custom_op("warmup::softplus", mutates_args=())
def softplus(x: torch.Tensor) -> torch.Tensor:
    """log(1 + exp(x)) of a float32 or float64 tensor on the CPU, by NumPy."""
    return torch.as_tensor(np.logaddexp(0, x.numpy()))


@softplus.register_fake
def fake(x):
    return torch.empty_like(x)


def setup_context(ctx, inputs, output):
    ctx.save_for_backward(*inputs)


def backward(ctx, grad):
    return grad * torch.sigmoid(ctx.saved_tensors[0])


softplus.register_autograd(backward, setup_context=setup_context)

if __name__ == "__main__":
    x = torch.linspace(-2, 2, 5, dtype=torch.float64, requires_grad=True)
    compiled = torch.compile(softplus, backend="aot_eager", fullgraph=True)
    print("gradcheck:", torch.autograd.gradcheck(compiled, x))
    for test, result in torch.library.opcheck(softplus, (x,)).items():
        print(f"{test}: {result}")
