import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(
    6, 4, 5, requires_grad=True
)  # six samples, four times, five features
layer = nn.Linear(20, 2)
for name, sequences in (("batch first", x), ("time first", x.transpose(0, 1))):
    output = layer(sequences.reshape(6, 20))
    (gradient,) = torch.autograd.grad(output[0].sum(), x)
    samples = gradient.abs().sum(dim=(1, 2)).nonzero().flatten()
    print(f"{name}: output {tuple(output.shape)}, row 0 reads {samples.tolist()}")
