# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "scikit-learn>=1.4"]
# ///
import io
from collections.abc import Callable
from dataclasses import dataclass

import torch
from sklearn.datasets import load_digits
from torch import Tensor, nn
from torch.export import Dim, ExportedProgram, export, load, save
from torch.utils._python_dispatch import TorchDispatchMode


class Operators(TorchDispatchMode):
    """Counts the operators that run."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.count += 1
        return func(*args, **(kwargs or {}))


@dataclass
class Contract:
    """What two teams agreed on. Both run ``check`` in their CI.

    Args:
        inputs: golden requests, as the client sends them.
        outputs: what the training code answers to each of them, one row each.
        batches: batch sizes that the client sends, at most ``len(inputs)``.
        operators: most operators of one request, whatever the batch.
        weight_bytes: most bytes of all weights, buffers and constants.
    """

    inputs: Tensor
    outputs: Tensor
    batches: tuple[int, ...]
    operators: int
    weight_bytes: int

    def check(self, program: ExportedProgram) -> None:
        """Raise AssertionError with the clause that the delivered file breaks."""
        served = program.module()
        for batch in self.batches:
            with Operators() as ran:
                try:
                    found = served(self.inputs[:batch])
                except Exception as error:
                    raise AssertionError(f"batch {batch}: {error}") from error
            expected = self.outputs[:batch]
            if (found.shape, found.dtype) != (expected.shape, expected.dtype):
                raise AssertionError(
                    f"output is {found.dtype} {tuple(found.shape)}"
                )
            if not torch.allclose(found, expected, rtol=1e-3, atol=1e-4):
                raise AssertionError(f"batch {batch}: golden outputs differ")
            if ran.count > self.operators:
                raise AssertionError(f"{ran.count} operators, not {self.operators}")
        # Buffers that are not persistent are among the constants, and weights that
        # are tied have one address: they count once.
        held = (*program.state_dict.values(), *program.constants.values())
        tensors = [t for t in held if isinstance(t, Tensor)]
        size = sum({t.data_ptr(): t.nbytes for t in tensors}.values())
        if size > self.weight_bytes:
            raise AssertionError(f"{size:,} bytes, not {self.weight_bytes:,}")


class Classifier(nn.Module):
    """Bytes of 64 pixels to ten probabilities: nearest class mean."""

    scale = 1 / 16

    def __init__(self, means: Tensor) -> None:
        super().__init__()
        self.dropout = nn.Dropout(0.1)
        self.head = nn.Linear(64, 10)
        with torch.no_grad():
            self.head.weight.copy_(means)
            self.head.bias.copy_(-means.square().sum(1) / 2)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.dropout(x.float() * self.scale)).softmax(1)


class Unscaled(Classifier):
    scale = 1.0  # somebody moved the scaling into the training loader


class RowByRow(Classifier):
    def forward(self, x: Tensor) -> Tensor:
        x = self.dropout(x.float() * self.scale)
        logits = [(x * row).sum(1) for row in self.head.weight]
        return (torch.stack(logits, 1) + self.head.bias).softmax(1)


class WithOldHead(Classifier):
    def __init__(self, means: Tensor) -> None:
        super().__init__(means)
        self.old_head = nn.Linear(64, 10)  # nobody calls it any more


def deliver(
    model: nn.Module, example: Tensor, shapes: tuple | None = ({0: Dim("batch")},)
) -> ExportedProgram:
    """Export, save and load, as if another team opened the file."""
    file = io.BytesIO()
    save(export(model, (example,), dynamic_shapes=shapes), file)
    file.seek(0)
    return load(file)


def own_test(
    program: ExportedProgram,
    images: Tensor,
    labels: Tensor,
    scale: float,
    order: Tensor,
) -> bool:
    """The model team's test: accuracy with its own loader and its own classes."""
    answers = order[program.module()(images * scale).argmax(1)]
    return bool((answers == labels).double().mean() > 0.8)


if __name__ == "__main__":
    pixels, digits = map(torch.tensor, load_digits(return_X_y=True))
    pixels = pixels.to(torch.uint8)
    means = torch.stack(
        [pixels[digits == d].float().mean(0) / 16 for d in range(10)]
    )
    batch, labels = pixels[-64:], digits[-64:]  # the model team's test batch

    good = Classifier(means).eval()
    golden = pixels[:32]
    contract = Contract(golden, good(golden).detach(), (1, 5, 32), 8, 2600)

    same, moved = torch.arange(10), torch.arange(10).roll(1)
    faults: dict[str, Callable] = {
        "as agreed": lambda: (deliver(good, batch), 1, same),
        "fixed batch": lambda: (deliver(good, batch, None), 1, same),
        "dropout on": lambda: (deliver(Classifier(means).train(), batch), 1, same),
        "scaled outside": lambda: (
            deliver(Unscaled(means).eval(), batch / 16),
            1 / 16,
            same,
        ),
        "classes moved": lambda: (
            deliver(Classifier(means[moved]).eval(), batch),
            1,
            moved,
        ),
        "row by row": lambda: (deliver(RowByRow(means).eval(), batch), 1, same),
        "old head kept": lambda: (
            deliver(WithOldHead(means).eval(), batch),
            1,
            same,
        ),
    }
    torch.manual_seed(0)
    print(f"{'delivery':15}{'own test':9}contract test")
    for name, fault in faults.items():
        program, scale, order = fault()
        own = (
            "passes" if own_test(program, batch, labels, scale, order) else "fails"
        )
        try:
            contract.check(program)
            verdict = "passes"
        except AssertionError as error:
            verdict = str(error).partition("!")[0]
        print(f"{name:15}{own:9}{verdict}")
