# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# needs = "cuda"
# output = "recorded"
# ///
import torch


def doubled_on(side: torch.cuda.Stream, x: torch.Tensor) -> torch.Tensor:
    """``2 * x``, computed in ``side``, safe to use in the current stream.

    ``x`` is on the GPU and was made in the current stream. The caller may
    delete both tensors at any time.
    """
    main = torch.cuda.current_stream()
    side.wait_stream(main)  # x must be written first
    with torch.cuda.stream(side):
        y = 2 * x
    x.record_stream(side)  # x was made in main and is read in side
    main.wait_stream(side)  # y must be written first
    y.record_stream(main)  # y was made in side and is used in main
    return y


if __name__ == "__main__":
    if not torch.cuda.is_available():
        raise SystemExit(
            "cuda_streams_overlap.py needs a CUDA GPU: "
            "torch.cuda.is_available() is False"
        )
    side = torch.cuda.Stream()
    x = torch.ones(2**24, device="cuda")
    large = torch.randn(8192, 8192, device="cuda")
    torch.cuda.synchronize()
    for _ in range(20):
        large @ large  # the main stream is busy
    x.fill_(5)
    with torch.cuda.stream(side):
        early = (2 * x).sum() / x.numel()
    side.synchronize()
    print("without a wait, side read", early.item())
    print("with both waits:", doubled_on(side, x).mean().item())
