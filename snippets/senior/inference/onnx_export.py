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

torch.manual_seed(0)
head = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 2))
model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), head).eval()
example = torch.randn(2, 3, 16, 16)
for shapes in (None, ({0: "batch"},)):
    program = torch.onnx.export(
        model, (example,), dynamic_shapes=shapes, opset_version=17, verbose=False
    )
    proto = program.model_proto
    session = onnxruntime.InferenceSession(proto.SerializeToString())
    print(
        "input",
        session.get_inputs()[0].shape,
        "opset",
        proto.opset_import[0].version,
    )
    for batch in (2, 5):
        x = torch.randn(batch, 3, 16, 16)
        try:
            (out,) = session.run(None, {session.get_inputs()[0].name: x.numpy()})
            close = torch.allclose(torch.from_numpy(out), model(x), atol=1e-5)
            print(f"  batch {batch}: {'close' if close else 'WRONG'}")
        except Exception as error:
            print(f"  batch {batch}: {type(error).__name__}")
