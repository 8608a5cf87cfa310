import torch
from torch import nn

torch.manual_seed(0)
layer = nn.TransformerEncoderLayer(
    d_model=64, nhead=4, dim_feedforward=128, dropout=0.0, batch_first=True
)
x = torch.randn(8, 16, 64)
reference = layer(x).detach()
print("                    same bits  close")
for training in (True, False):
    for grad in (True, False):
        layer.train(training)
        with torch.set_grad_enabled(grad):
            output = layer(x).detach()
        name = ("train()" if training else "eval()") + (
            "" if grad else " + no_grad()"
        )
        print(
            f"{name:19} {torch.equal(output, reference)!s:10} {torch.allclose(output, reference, atol=1e-5)}"
        )
