import torch
from torch import nn
from torch.nn.functional import linear


def lstm(x, layer):
    """Outputs (B, T, H) of a one-layer nn.LSTM with batch_first, x (B, T, I)."""
    h = c = x.new_zeros(len(x), layer.hidden_size)
    outputs = []
    for step in x.unbind(dim=1):
        z = linear(step, layer.weight_ih_l0, layer.bias_ih_l0)
        z = z + linear(h, layer.weight_hh_l0, layer.bias_hh_l0)
        i, f, g, o = z.chunk(4, dim=1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        h = o.sigmoid() * c.tanh()
        outputs.append(h)
    return torch.stack(outputs, dim=1)


if __name__ == "__main__":
    torch.manual_seed(0)
    layer = nn.LSTM(3, 5, batch_first=True).double()
    x = torch.randn(2, 9, 3).double()
    print("equals nn.LSTM:", torch.allclose(lstm(x, layer), layer(x)[0]))
