"""The ten steps of a GPT: one file that grows, which each judge accepts, and which learns to speak."""

from __future__ import annotations

import types

import pytest
import torch
from torch import nn

from judging_case import WRITE, judge_of
from warmup.kinds import exercises, levels

STEPS = [one for one in levels.load().exercises if one.topic == exercises.STEPS]
SLUGS = [one.slug for one in STEPS]
TEXT = "the quick brown fox jumps over the lazy dog. "


@pytest.fixture(scope="module")
def whole():
    """The solutions of all steps in one file."""
    return "\n\n".join((WRITE / slug / "solution.py").read_text("utf-8") for slug in SLUGS)


@pytest.fixture(scope="module")
def gpt(whole):
    module = types.ModuleType("gpt")
    exec(compile(whole, "gpt.py", "exec"), vars(module))
    return module


def made(gpt, seed=0):
    torch.manual_seed(seed)
    blocks = [gpt.Block(32, gpt.Attention(32, 4)) for _ in range(2)]
    return gpt.GPT(gpt.TokenEmbedding(128, 32), gpt.Positions(64, 32), blocks, nn.LayerNorm(32))


def speak(gpt, model, prompt, count):
    caches = [gpt.Cache(1, 4, 64, 8) for _ in range(2)]
    tokens = torch.tensor([[ord(one) for one in prompt]])
    said = gpt.generate(model, caches, tokens, count, lambda logits: gpt.draw(logits, torch.zeros(1), 0.0))
    return "".join(map(chr, said[0].tolist()))


@pytest.fixture(scope="module")
def learned(gpt):
    model = made(gpt)
    batch = torch.tensor([[ord(one) for one in TEXT]])
    return model, gpt.fit(model, [batch] * 150, lr=1e-2)


def test_there_are_ten_steps_in_order():
    assert [one.rank for one in STEPS] == list(range(1, 11))
    assert [int(slug.split("-")[1]) for slug in SLUGS] == list(range(1, 11))


@pytest.mark.parametrize("slug", SLUGS)
def test_each_judge_accepts_the_file_with_all_steps(slug, whole):
    found = judge_of(slug).judge(whole, explain=False)
    assert found.passed, f"{found.failed}: {found.text}"


def test_the_whole_model_learns_a_sentence_and_says_it(gpt, learned):
    model, losses = learned
    assert 4.5 < losses[0] < 5.2 and losses[-1] < 0.1  # ln 128 is 4.85
    assert speak(gpt, model, TEXT[:4], len(TEXT) - 4) == TEXT


def test_the_text_with_a_cache_is_the_one_without(gpt, learned):
    model, _ = learned
    tokens = torch.tensor([[ord(one) for one in "dog "]])
    for _ in range(20):
        with torch.no_grad():
            tokens = torch.cat([tokens, model(tokens)[:, -1:].argmax(-1)], dim=1)
    assert speak(gpt, model, "dog ", 20) == "".join(map(chr, tokens[0].tolist()))


def test_the_whole_model_is_saved_and_loaded(gpt, learned, tmp_path):
    model, _ = learned
    optimizer, generator = torch.optim.AdamW(model.parameters()), torch.Generator()
    gpt.save(tmp_path / "gpt.pt", 150, model, optimizer, generator)
    other = made(gpt, seed=1)
    step = gpt.load(tmp_path / "gpt.pt", other, torch.optim.AdamW(other.parameters()), torch.Generator())
    assert step == 150 and speak(gpt, other, TEXT[:4], len(TEXT) - 4) == TEXT


def test_an_update_of_low_rank_teaches_it_another_ending(gpt, learned, tmp_path):
    model = made(gpt, seed=2)
    model.load_state_dict(learned[0].state_dict())
    other = TEXT.replace("lazy dog", "tall cat")
    gpt.add_lora(model, rank=8, alpha=16, name="qkv")
    batch = torch.tensor([[ord(one) for one in other]])
    losses = gpt.fit(model, [batch] * 150, lr=1e-2)
    gpt.merge_lora(model)
    assert losses[-1] < 0.3 < losses[0]
    assert list(model.state_dict()) == list(learned[0].state_dict())
    assert speak(gpt, model, other[:35], 10) == other
