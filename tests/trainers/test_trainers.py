"""What holds for each broken trainer: its bugs are all that is wrong, and its check tells them apart."""

from __future__ import annotations

import ast
import copy
import io
import math
import re
import sys
import tokenize

import pytest
import torch

from trainer import PAGES, SLUGS, TRAINERS, trainer_of

COUNTED = re.compile(
    r"\b(two|three|four|both|[2-4]|second|third|other|another|more|last|remaining) (bugs?|faults?|mistakes?)\b", re.I
)


@pytest.fixture(params=SLUGS)
def trainer(request):
    return trainer_of(request.param)


def comments(text):
    found = [one.string for one in tokenize.generate_tokens(io.StringIO(text).readline) if one.type == tokenize.COMMENT]
    nodes = [
        node for node in ast.walk(ast.parse(text)) if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
    ]
    return sorted(found), sorted(ast.get_docstring(node) or "" for node in nodes)


def test_each_trainer_has_a_page():
    assert {path.stem for path in PAGES.glob("*.md")} - {"index"} == set(SLUGS)
    assert all((TRAINERS / slug / "check.py").is_file() for slug in SLUGS)


def test_no_comment_differs(trainer):
    assert comments(trainer.broken) == comments(trainer.fixed)


def test_the_script_fits_a_page_and_has_its_work_in_train(trainer):
    lines = trainer.broken.splitlines()
    header = lines.index("# ///", 1) + 1 if lines[0] == "# /// script" else 0
    assert 40 <= len(lines) - header <= 80
    assert max(map(len, lines)) <= 84
    assert "train" in trainer.check.check.keeps


def test_the_check_accepts_the_repaired_script(trainer):
    assert not any(trainer.symptoms().values())
    assert trainer.script().printed.getvalue() == "", "its functions print nothing"


def test_the_check_rejects_the_broken_script(trainer):
    assert any(trainer.symptoms(*trainer.bugs).values())


def test_the_check_rejects_each_bug_alone(trainer):
    found = {name: trainer.symptoms(name) for name in trainer.bugs}
    assert all(any(one.values()) for one in found.values()), found


# What looks at no number that a training returns: at the model, its inputs, the steps, or words.
OF_NO_NUMBER = {
    "batch-one-only": {"error_with_four", "gradient_to_others", "other_numbers", "end_is_read"},
    "exactly-chance": {"wrong_share", "same_batches"},
    "garbage-samples": {
        *("garbage", "sees_future", "misquoted", "speaks_otherwise", "alone_otherwise", "forgets", "again"),
        *("other_shares", "other_order", "other_kept"),
    },
    "low-loss-garbage-samples": {
        *("garbage", "wrong_next", "sees_future", "blind_to_past", "prefix_differs", "misquoted"),
    },
    "memory-grows": {"grows", "grows_with_training", "grows_with_validation", "does_not_watch"},
    "nan-at-step-30": {"nan_answer", "nan_gradient", "padding_counts", "wrong_slope"},
    "replicas-diverge": {"same_loss", "moves_far"},
    "resume-jumps": {"other_steps"},
    "slower-each-step": {"slower", "uneven", "state_is_lost"},
    "stuck-at-ln-v": {"sure_and_right", "sure_and_wrong"},
    "tied-weights": {"too_large", "grows"},
    "too-good-to-be-true": {"one_before", "far_before", "forgets", "companions", "grows_with_embedding"},
    "train-good-val-bad": {"companions", "other_inputs"},
}


def spoiled(value):
    """A value in which each number with a fraction is NaN."""
    if isinstance(value, float):
        return math.nan
    if isinstance(value, torch.Tensor):
        return torch.full_like(value, math.nan) if value.is_floating_point() else value
    if isinstance(value, dict):
        return {key: spoiled(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(map(spoiled, value))
    if hasattr(value, "__dict__") and not isinstance(value, torch.nn.Module):
        spoilt = copy.copy(value)
        vars(spoilt).update(spoiled(vars(value)))
        return spoilt
    return value


def test_no_experiment_takes_nan_for_a_good_number(trainer):
    check = trainer.check.check
    script = sys.modules["checking"].Script(trainer.fixed, "<spoiled>", check.keeps)
    train = script.names.train
    script.names.train = lambda *arguments, **named: spoiled(train(*arguments, **named))
    passed = {one.__name__ for _, one in check.experiments if not check.outcome(one, script)[0]}
    assert passed == OF_NO_NUMBER[trainer.slug]


def test_nothing_says_how_many_bugs_there_are(trainer):
    before = trainer.page.text.partition("\n## Diagnosis")[0].partition("\n---\n")[2]
    words = "\n".join(words for words, _ in trainer.check.check.experiments)
    assert not COUNTED.search(before + trainer.broken + words)
