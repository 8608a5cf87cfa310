"""Names as people write them."""

from __future__ import annotations

import pytest

from warmup import vocabulary


@pytest.mark.parametrize(
    ("slug", "label"),
    [
        ("ddp", "DDP"),
        ("zero-grad", "Zero grad"),
        ("in-place-error", "In-place error"),
        ("grad-scaler", "Grad scaler"),
        ("softmax-cross-entropy-gradient", "Softmax cross-entropy gradient"),
        ("fp16-vs-bf16", "FP16 vs BF16"),
        ("low-gpu-utilization", "Low GPU utilization"),
        ("training-loop", "Training loop"),
    ],
)
def test_slugs_are_written_as_people_write_them(slug, label):
    assert vocabulary.label(slug) == label
