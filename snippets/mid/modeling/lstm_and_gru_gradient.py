# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch
from torch import nn

STEPS, WIDTH = 100, 64


def set_forget_bias(lstm, value):
    """Set the forget gate's bias of all layers; nn.LSTM adds two biases."""
    with torch.no_grad():
        for name, bias in lstm.named_parameters():
            if "bias" in name:
                forget = bias.chunk(4)[1]  # the order is i, f, g, o
                forget.fill_(value if "_ih_" in name else 0.0)


def gradients(layer):
    """Norm of the last state's gradient by the input of each step, last step 1."""
    x = torch.randn(4, STEPS, 8, dtype=torch.float64, requires_grad=True)
    _, state = layer(x)
    last = state[1] if isinstance(layer, nn.LSTM) else state  # an LSTM's cell state
    (grad,) = torch.autograd.grad((last * torch.randn_like(last)).sum(), x)
    norms = grad.norm(dim=(0, 2))
    return norms / norms[-1]


if __name__ == "__main__":
    print(f"{'':22} f    f ** 99   gradient over 99 steps")
    styles = iter(("k:", "C0-", "C1--", "C2-.", "C3-"))
    for name, bias in (("RNN", None), ("LSTM", 0), ("LSTM", 1), ("LSTM", 3)):
        torch.manual_seed(0)
        layer = getattr(nn, name)(8, WIDTH, batch_first=True).double()
        label, keep = f"{name}, default", ""
        if name == "LSTM":
            f = torch.sigmoid(torch.tensor(float(bias), dtype=torch.float64))
            keep = f"{f:.2f}  {f**99:8.0e}"
            if bias:
                set_forget_bias(layer, bias)
                label = f"LSTM, forget bias {bias}"
        norms = gradients(layer)
        print(f"{label:20} {keep:15} {norms[0]:8.0e}")
        plt.plot(range(STEPS - 1, -1, -1), norms, next(styles), label=label)
    plt.yscale("log")
    plt.xlabel("steps between input and last state")
    plt.ylabel("gradient, last step = 1")
    plt.legend()
    plt.show()
