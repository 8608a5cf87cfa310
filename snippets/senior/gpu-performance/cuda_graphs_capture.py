# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# needs = "cuda"
# output = "recorded"
# ///
import torch
from torch import nn


def captured(
    model: nn.Module, static_input: torch.Tensor, warmup: int = 3
) -> tuple[torch.cuda.CUDAGraph, torch.Tensor]:
    """A graph of ``model(static_input)`` for inference, and its output.

    The model and ``static_input`` are on the GPU and must stay alive. To run
    new data, copy it into ``static_input``, call ``graph.replay()``, and read
    the output before the next replay overwrites it.
    """
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side), torch.no_grad():
        for _ in range(warmup):
            model(static_input)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph), torch.no_grad():
        output = model(static_input)
    return graph, output


def milliseconds(function, repeats: int = 50) -> float:
    """The GPU's time for one call, the gaps between its kernels included."""
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    for _ in range(repeats):
        function()
    end.record()
    end.synchronize()
    return start.elapsed_time(end) / repeats


if __name__ == "__main__":
    if not torch.cuda.is_available():
        raise SystemExit(
            "cuda_graphs_capture.py needs a CUDA GPU: "
            "torch.cuda.is_available() is False"
        )
    model = nn.Sequential(*(nn.Linear(256, 256) for _ in range(50))).cuda().eval()
    x = torch.randn(8, 256, device="cuda")
    graph, y = captured(model, x)
    x.copy_(torch.randn(8, 256, device="cuda"))
    graph.replay()
    with torch.no_grad():
        print("replay equals eager:", torch.allclose(y, model(x), atol=1e-5))
        print(f"50 layers, eager:  {milliseconds(lambda: model(x)):.3f} ms")
    print(f"50 layers, replay: {milliseconds(graph.replay):.3f} ms")
