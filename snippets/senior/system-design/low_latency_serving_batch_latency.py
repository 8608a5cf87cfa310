# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "numpy"]
#
# [tool.warmup]
# output = "recorded"
# ///
import statistics
import time

import numpy
import torch
from torch import nn


def batch_milliseconds(
    model: nn.Module, example: torch.Tensor, batches: list[int], repeats: int = 20
) -> list[float]:
    """Median time of one forward pass for each batch size, in milliseconds.

    Args:
        example: one request without a batch dimension, on the model's device.
    """
    medians = []
    with torch.inference_mode():
        for batch in batches:
            inputs = example.expand(batch, *example.shape).contiguous()
            times = []
            for _ in range(repeats):
                start = time.perf_counter()
                model(inputs)
                if example.device.type != "cpu":
                    torch.accelerator.synchronize()
                times.append(1000 * (time.perf_counter() - start))
            medians.append(statistics.median(times))
    return medians


if __name__ == "__main__":
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model = nn.Sequential(
        *(layer for _ in range(8) for layer in (nn.Linear(1024, 1024), nn.ReLU()))
    ).eval()
    batches = [1, 8, 16, 32, 64, 128]
    measured = batch_milliseconds(model, torch.randn(1024), batches)
    item_ms, fixed_ms = numpy.polyfit(batches, measured, 1)
    print("batch   measured   line")
    for batch, milliseconds in zip(batches, measured, strict=True):
        line = fixed_ms + item_ms * batch
        print(f"{batch:5} {milliseconds:7.2f} ms {line:7.2f} ms")
    print(f"FIXED_MS = {fixed_ms:.2f}, ITEM_MS = {item_ms:.3f}")
