import textwrap
import warnings
from collections.abc import Callable

import torch


def forward_line(run: Callable[[], torch.Tensor]) -> str:
    """Source line of the forward operation whose backward fails.

    Args:
        run: computes a loss, shape ().

    Raises:
        ValueError: backward does not fail.
        RuntimeError: what failed is not the backward of a forward operation.
    """
    with (
        torch.autograd.set_detect_anomaly(True, check_nan=False),
        warnings.catch_warnings(record=True) as caught,
    ):
        warnings.simplefilter("always")
        try:
            run().backward()
        except RuntimeError:
            messages = [str(warning.message) for warning in caught]
            found = [
                line.strip()
                for message in messages
                if message.startswith("Error detected in")
                for line in message.splitlines()
                if line.startswith("    ") and line.strip(" ~^")
            ]
            if not found:
                raise
            return found[-1]
    raise ValueError("backward did not fail")


def output_overwritten() -> torch.Tensor:
    hidden = torch.ones(2, 3, requires_grad=True) * 2
    gate = torch.sigmoid(hidden)
    gate += 1
    return gate.sum()


def input_overwritten() -> torch.Tensor:
    hidden = torch.ones(2, 3, requires_grad=True) * 2
    activated = torch.nn.functional.gelu(hidden)
    hidden += 1
    return activated.sum()


if __name__ == "__main__":
    for run in (output_overwritten, input_overwritten):
        print(f"{run.__name__}():")
        try:
            run().backward()
        except RuntimeError as error:
            print(textwrap.fill(f"RuntimeError: {error}", width=84))
        print(f"anomaly mode points at: {forward_line(run)}")
