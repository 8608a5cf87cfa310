# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "onnx", "onnxscript", "onnxruntime"]
#
# [tool.warmup]
# needs = "onnx"
# slow = "exports twice"
# ///
import onnxruntime
import torch
from torch import nn


class Reader(nn.Module):
    def forward(self, x):
        if x.shape[1] > 8:  # the last 8 tokens of a long text
            x = x[:, -8:]
        return x.mean(dim=1)


model, example = Reader().eval(), (torch.randn(1, 5),)
named, free = ({1: "tokens"},), ({1: torch.export.Dim.AUTO},)
program = torch.onnx.export(model, example, dynamic_shapes=named, verbose=False)
exported = torch.export.export(model, example, dynamic_shapes=free)
session = onnxruntime.InferenceSession(program.model_proto.SerializeToString())
print("the file's input:", session.get_inputs()[0].shape)
for tokens in (5, 7, 20):
    x = torch.arange(tokens).float()[None]
    (out,) = session.run(None, {session.get_inputs()[0].name: x.numpy()})
    print(f"{tokens} tokens: model {model(x).item()}, ONNX {out.item()}", end=", ")
    try:
        print("torch.export", exported.module()(x).item())
    except AssertionError as error:
        print("torch.export:", str(error).splitlines()[0])
