import torch
from torch import nn
from torch.nn.functional import linear


def gru(x, layer, reset):
    """Outputs (B, T, H) of a GRU with the weights of nn.GRU, for x (B, T, I).

    reset: "after" the product with the hidden weights, as in nn.GRU, or "before".
    """
    w, u = layer.weight_ih_l0.chunk(3), layer.weight_hh_l0.chunk(3)
    b, v = layer.bias_ih_l0.chunk(3), layer.bias_hh_l0.chunk(3)
    h, outputs = x.new_zeros(len(x), layer.hidden_size), []
    for step in x.unbind(dim=1):
        r = (linear(step, w[0], b[0]) + linear(h, u[0], v[0])).sigmoid()
        z = (linear(step, w[1], b[1]) + linear(h, u[1], v[1])).sigmoid()
        if reset == "after":
            past = r * linear(h, u[2], v[2])
        else:
            past = linear(r * h, u[2], v[2])
        n = (linear(step, w[2], b[2]) + past).tanh()
        h = (1 - z) * n + z * h
        outputs.append(h)
    return torch.stack(outputs, dim=1)


if __name__ == "__main__":
    torch.manual_seed(0)
    layer = nn.GRU(5, 7, batch_first=True).double()
    x = torch.randn(2, 9, 5, dtype=torch.float64)
    for reset in ("after", "before"):
        error = (gru(x, layer, reset) - layer(x)[0]).abs().max()
        print(f"reset {reset:6} the product: largest difference {error:.2f}")
