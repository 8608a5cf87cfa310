"""The loss is 0.042. The model says dhm..gnaoddo."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.attention.bias import causal_lower_right

from trainer import SEEDS, trainer_of

TABLE, PLACE, MASK, TEMPERATURE, RANK = BUGS = ("table", "place", "mask", "temperature", "rank")
START = 12  # characters that it gets
EXPERIMENTS = (
    *("garbage", "sees_future", "misquoted", "speaks_otherwise", "alone_otherwise", "forgets", "again"),
    *("other_shares", "other_order", "other_kept"),
)
COUNTED = "start, t = sum(kv.shape[2] for kv in caches[0]), ids.shape[1]"
DIVIDED = "probs = (logits.double() / temperature).softmax(dim=-1)"
DRAWN = "(kept.cumsum(0) / kept.sum() <= u).sum()"


@pytest.fixture(scope="module")
def trainer():
    """All copies get the weights that the repaired script has learned: test_training_is_the_same says why they may."""
    found = trainer_of("garbage-samples")
    found.runs()
    for bugs in ((), *((bug,) for bug in BUGS), *(BUGS[n:] for n in range(4)), tuple(found.bugs)):
        given(found, found.variant(bugs))
    return found


def given(trainer, source):
    """A text loaded as a script that need not train: what it says is its own."""
    script, names = trainer.loaded(source), trainer.script().names
    for seed in SEEDS:
        if ("train", (seed,), ()) not in script._runs:
            run = trainer.script().run(seed)
            model = script.names.GPT()
            model.load_state_dict(run["model"].state_dict())
            said = script.names.speak(model, names.TEXT[:START], seed)
            script._runs["train", (seed,), ()] = {"model": model, "losses": run["losses"], "said": said}
    return script


def has(trainer, source, trains=False):
    """The experiments of the check that find their symptom in a text."""
    if not trains:
        given(trainer, source)
    return {name for name in EXPERIMENTS if trainer.has(name, source)}


def right(said, text):
    assert len(said) == len(text)
    return sum(map(str.__eq__, said, text))


def windows(names):
    return torch.tensor(names.encode(names.TEXT * 2)).unfold(0, len(names.TEXT) + 1, 1)


@pytest.mark.parametrize("bugs", [(bug,) for bug in BUGS] + [BUGS], ids=str)
def test_training_is_the_same_to_the_last_bit(trainer, bugs):
    short = [("= 32, 2, 16, 150, 0.03", "= 32, 2, 16, 4, 0.03")]
    right, wrong = (trainer.loaded(trainer.edited(*short, broken=some)).run(3) for some in ((), bugs))
    assert len(right["losses"]) == 4 and wrong["losses"] == right["losses"]
    for a, b in zip(right["model"].parameters(), wrong["model"].parameters(), strict=True):
        assert a.equal(b)


def test_the_loss_is_near_the_entropy_of_the_windows(trainer):
    names, entropy = trainer.script().names, trainer.snippet("symptom").entropy
    assert entropy("abcd") == 0
    assert entropy("aab") == pytest.approx(2 / 3 * math.log(2) / 3)
    lowest = entropy(names.TEXT)
    assert 0.024 < lowest < 0.026
    for run in trainer.runs():
        with torch.no_grad():
            logits = run["model"](windows(names)[:, :-1], [[] for _ in range(names.LAYERS)])
        assert lowest < F.cross_entropy(logits.mT, windows(names)[:, 1:]) < 0.09
        assert 0.02 < run["losses"][-1] < 0.12


def test_with_all_bugs_no_more_is_right_than_by_chance(trainer):
    text = trainer.script().names.TEXT
    for run in trainer.runs(*BUGS):
        assert run["said"].startswith(text[:START])
        assert right(run["said"], text) - START <= 8


def test_the_repaired_script_says_the_text(trainer):
    for run in trainer.runs():
        assert run["said"] == trainer.script().names.TEXT


def test_in_one_call_the_most_likely_characters_are_the_text(trainer):
    names = trainer.script(*BUGS).names
    for run in trainer.runs(*BUGS):
        ids = torch.tensor([names.encode(names.TEXT)])
        with torch.no_grad():
            best = run["model"](ids[:, :-1], [[] for _ in range(names.LAYERS)]).argmax(dim=-1)
        assert best[0, START - 1 :].equal(ids[0, START:])


def test_with_the_wrong_table_each_letter_stands_for_another_one(trainer):
    names = trainer.script(TABLE).names
    cipher = {c: sorted(names.IDS)[i] for c, i in names.IDS.items()}
    for run in trainer.runs(TABLE):
        assert run["said"] == names.TEXT[:START] + "".join(cipher[c] for c in names.TEXT[START:])
    assert len(set(cipher.values())) == len(cipher)


def test_with_wrong_places_it_stutters_in_words_of_the_text(trainer):
    text = trainer.script().names.TEXT
    for run in trainer.runs(PLACE):
        assert START < right(run["said"], text) < 40
        pairs = [run["said"][i : i + 2] in text + text[0] for i in range(len(text) - 1)]
        assert sum(pairs) > 0.85 * len(pairs)


def test_a_prompt_of_one_character_has_right_places(trainer):
    names, model = trainer.script(PLACE).names, trainer.script(PLACE).run(0)["model"]
    ids = torch.tensor([names.encode(names.TEXT)])
    for length, same in ((1, True), (2, False), (12, False)):
        caches, whole = ([[] for _ in range(names.LAYERS)] for _ in range(2))
        with torch.no_grad():
            parts = [model(part, caches) for part in (ids[:, :length], *ids[:, length:].split(1, dim=1))]
            assert torch.allclose(torch.cat(parts, dim=1), model(ids, whole), atol=1e-3) == same


def test_with_the_mask_a_single_query_sees_the_first_key_alone():
    q, k, v = torch.randn(3, 1, 1, 7, 4).unbind()
    seen = F.scaled_dot_product_attention(q[:, :, -1:], k, v, is_causal=True)
    assert torch.allclose(seen, v[:, :, :1])
    assert not torch.allclose(F.scaled_dot_product_attention(q[:, :, -1:], k, v), v[:, :, :1], atol=1e-3)


def test_with_the_wrong_mask_it_turns_in_a_circle(trainer):
    for run in trainer.runs(MASK):
        added = run["said"][START:]
        triples = Counter(added[i : i + 3] for i in range(len(added) - 2))
        assert len(triples) < 0.75 * len({trainer.script().names.TEXT[i : i + 3] for i in range(START, 49)})
        assert right(run["said"], trainer.script().names.TEXT) - START <= 9


def test_multiplied_by_a_fifth_logits_are_flatter_and_letters_random(trainer):
    names, text = trainer.script(TEMPERATURE).names, trainer.script().names.TEXT
    for run in trainer.runs(TEMPERATURE):
        assert right(run["said"], text) - START <= 8
        assert len(set(run["said"][START:])) > 8
    draws = [names.pick(torch.tensor([4.0, 0.0]), (n + 0.5) / 100, 0.2, 1.0) for n in range(100)]
    assert 25 < sum(draws) < 35, "4 / 5 instead of 4 * 5"


def test_a_rank_taken_for_an_id_is_almost_always_the_first_letter(trainer):
    text = trainer.script().names.TEXT
    for run in trainer.runs(RANK):
        assert run["said"][START:].count(text[0]) > 0.85 * (len(text) - START)


def test_the_sample_is_garbage_whichever_bug_is_left(trainer):
    text = trainer.script().names.TEXT
    for n in range(4):
        for run in trainer.runs(*BUGS[n:], seeds=SEEDS[:3]):
            assert right(run["said"], text) < 24


@pytest.mark.parametrize("count", range(1, len(BUGS) + 1))
def test_the_sample_becomes_right_only_with_the_last_fix_in_any_order(trainer, count):
    text = trainer.script().names.TEXT
    for bugs in combinations(BUGS, count):
        script = given(trainer, trainer.variant(bugs))
        assert all(script.run(seed)["said"] != text for seed in SEEDS[:3])


def test_greedy_speaking_hides_two_bugs_and_none_of_the_cache(trainer):
    for bug, hidden in ((TEMPERATURE, True), (RANK, True), (TABLE, False), (PLACE, False), (MASK, False)):
        greedy = "        newest = [int(logits.argmax())]\n"
        source = trainer.edited(
            ("        newest = [pick(logits, u, temperature=0.2, top_p=0.9)]\n", greedy), broken=[bug]
        )
        assert (given(trainer, source).run(0)["said"] == trainer.script().names.TEXT) == hidden


OWN = {
    TABLE: {"misquoted"},
    PLACE: {"speaks_otherwise", "alone_otherwise"},
    MASK: {"speaks_otherwise", "forgets"},
    TEMPERATURE: {"other_shares", "other_kept"},
    RANK: {"other_order", "other_kept"},
}


@pytest.mark.parametrize("bug", BUGS)
def test_each_bug_has_symptoms_of_its_own(trainer, bug):
    assert has(trainer, trainer.variant([bug])) == {"garbage"} | OWN[bug]


@pytest.mark.parametrize("bug", BUGS)
def test_and_no_bug_hides_the_one_that_tells_it_apart(trainer, bug):
    telling = {
        *("misquoted", "alone_otherwise", "forgets", "other_shares", "other_order"),
    }
    others = [other for other in BUGS if other != bug]
    found = {name for name in telling if trainer.has(name, trainer.variant(others))}
    assert found == telling - OWN[bug]
    assert trainer.has(next(iter(OWN[bug] & telling)), trainer.variant(BUGS))


RIGHT = {
    "a table turned around": [
        ("CHARS = list(IDS)", "CHARS = {i: c for c, i in IDS.items()}"),
    ],
    "places from what is in the cache, joined": [
        (COUNTED, "t = ids.shape[1]\n        start = torch.cat(caches[0], dim=2).shape[2] if caches[0] else 0"),
    ],
    "places handed in": [
        ("caches: list[list]) -> Tensor:", "caches: list[list], start: int = 0) -> Tensor:"),
        (COUNTED, "t = ids.shape[1]"),
        (
            "logits = model(torch.tensor([newest]), caches)",
            "start = len(prompt) + len(added) - len(newest)\n"
            "        logits = model(torch.tensor([newest]), caches, start)",
        ),
    ],
    "the prompt one character at a time": [
        (COUNTED, "start, t = len(caches[0]), ids.shape[1]"),
        (
            "    for u in numbers",
            "    for one in newest[:-1]:\n        model(torch.tensor([[one]]), caches)\n"
            "    newest = newest[-1:]\n    for u in numbers",
        ),
    ],
    "a triangle from the bottom right": [
        (
            "q, k, v, is_causal=t > 1)",
            "q, k, v, torch.ones(t, k.shape[1], dtype=torch.bool).tril(k.shape[1] - t))",
        ),
    ],
    "the mask of torch from the bottom right": [
        ("q, k, v, is_causal=t > 1)", "q, k, v, attn_mask=causal_lower_right(t, k.shape[1]))"),
        ("import sys\n", "import sys\n\nfrom torch.nn.attention.bias import causal_lower_right\n"),
    ],
    "the ids named, after the cache": [
        ("model(torch.tensor([newest]), caches)", "model(caches=caches, ids=torch.tensor([newest]))"),
    ],
    "forward called by its name": [
        ("model(torch.tensor([newest]), caches)", "model.forward(torch.tensor([newest]), caches)"),
    ],
    "one pair of buffers for the whole text": [
        (COUNTED, "t = ids.shape[1]\n        start = caches[0][1] if caches[0] else 0"),
        (
            "            cache.append(torch.stack([k, v]))\n            k, v = torch.cat(cache, dim=2)\n",
            "            buffer = cache[0].clone() if cache else torch.zeros(2, len(ids), len(TEXT), WIDTH)\n"
            "            buffer[:, :, start : start + t] = torch.stack([k, v])\n"
            "            cache[:] = [buffer, start + t]\n"
            "            k, v = buffer\n"
            "            seen = torch.arange(len(TEXT)) <= torch.arange(start, start + t)[:, None]\n",
        ),
        ("is_causal=t > 1", "attn_mask=seen"),
    ],
    "causal while the cache is empty": [
        ("is_causal=t > 1", "is_causal=k.shape[1] == t"),
    ],
    "a power of the probabilities": [
        (
            DIVIDED,
            "probs = logits.double().softmax(dim=-1) ** (1 / temperature)\n    probs = probs / probs.sum()",
        ),
    ],
    "divided where it speaks": [
        (
            "probs = (logits.double() / temperature).softmax(dim=-1)",
            "logits = logits.double() / temperature\n    probs = logits.softmax(dim=-1)",
        ),
    ],
    "probabilities put back": [
        ("return int(order[" + DRAWN + "])", "kept = kept[order.argsort()]\n    return int(" + DRAWN + ")"),
    ],
    "scattered back": [
        (
            "return int(order[" + DRAWN + "])",
            "kept = torch.zeros_like(kept).scatter(0, order, kept)\n    return int(" + DRAWN + ")",
        ),
    ],
    "sought in the sum": [
        (
            DRAWN,
            "torch.searchsorted(kept.cumsum(0), torch.tensor(u * kept.sum().item(), dtype=kept.dtype), right=True)",
        ),
    ],
}


@pytest.mark.parametrize("changes", RIGHT.values(), ids=RIGHT)
def test_other_repairs_are_right_too(trainer, changes):
    assert has(trainer, trainer.edited(*changes)) == set()


def test_both_tables_sorted_are_right_too(trainer):
    source = trainer.edited(("enumerate(dict.fromkeys(TEXT))", "enumerate(sorted(set(TEXT)))"))
    assert has(trainer, source, trains=True) == set()


NO_CACHE = [
    (
        "logits = model(torch.tensor([newest]), caches)[0, -1]",
        "logits = model(torch.tensor([encode(prompt) + added]), [[] for _ in range(LAYERS)])[0, -1]",
    )
]
WRONG = {
    "sorted where it speaks, too": (
        {"garbage", "misquoted"},
        [
            ("CHARS = list(IDS)", "CHARS = sorted(IDS)"),
            ("[], encode(prompt)", "[], [CHARS.index(c) for c in prompt]"),
        ],
    ),
    "all places 0": ({"garbage", "speaks_otherwise", "alone_otherwise"}, [(COUNTED, "start, t = 0, ids.shape[1]")]),
    "one place too few": (
        {"speaks_otherwise", "alone_otherwise"},
        [(COUNTED, COUNTED.replace("]), ids", "]) - (len(caches[0]) > 0), ids"))],
    ),
    "twelve plus the calls": (
        {"speaks_otherwise", "alone_otherwise"},
        [(COUNTED, "start, t = min(len(caches[0]) + 11 * (len(caches[0]) > 0), 50), ids.shape[1]")],
    ),
    "a triangle from the top left": (
        {"garbage", "speaks_otherwise", "forgets"},
        [("is_causal=t > 1)", "attn_mask=torch.ones(t, k.shape[1], dtype=torch.bool).tril())")],
    ),
    "a cache of the newest ten": (
        {"garbage", "speaks_otherwise", "forgets"},
        [("k, v = torch.cat(cache, dim=2)", "k, v = torch.cat(cache[-2:], dim=2)")],
    ),
    "the temperature subtracted": ({"other_shares"}, [("double() / temp", "double() - temp")]),
    "the most likely id": (
        {"other_shares", "other_order", "other_kept"},
        [("return int(order[" + DRAWN + "])", "return int(order[0])")],
    ),
    "a power that sums to less than one": (
        {"other_kept"},
        [(DIVIDED, "probs = logits.double().softmax(dim=-1) ** (1 / temperature)")],
    ),
    "the wrong inverse": ({"garbage", "other_order", "other_kept"}, [("order[" + DRAWN, "order.argsort()[" + DRAWN)]),
    "nothing sorted": (
        {"other_kept"},
        [
            ("    probs, order = probs.sort(descending=True)\n", ""),
            ("order[" + DRAWN + "]", DRAWN),
        ],
    ),
    "causal in train mode only": (
        {"garbage", "speaks_otherwise"},
        [
            ("is_causal=t > 1", "is_causal=self.training"),
            ("    numbers =", "    model.eval()\n    numbers ="),
        ],
    ),
    "one over the temperature where it speaks": (
        {"other_shares", "other_kept"},
        [("double() / temperature", "double() * temperature"), ("temperature=0.2", "temperature=1 / 0.2")],
    ),
    "top-p drops the id that crosses": (
        {"other_shares", "other_kept"},
        [("cumsum(0) - probs < top_p", "cumsum(0) <= top_p")],
    ),
    "only the end of the prompt": (
        {"speaks_otherwise", "alone_otherwise"},
        [("[], encode(prompt)", "[], encode(prompt)[-1:]")],
    ),
    "no cache": ({"again"}, NO_CACHE),
}


@pytest.mark.parametrize(("symptoms", "changes"), WRONG.values(), ids=WRONG)
def test_half_repairs_and_detours_are_not_taken(trainer, symptoms, changes):
    assert has(trainer, trainer.edited(*changes)) >= symptoms


def test_without_a_cache_two_bugs_hide(trainer):
    said = given(trainer, trainer.edited(*NO_CACHE, broken=[PLACE, MASK])).run(0)["said"]
    assert said == trainer.script().names.TEXT


def test_no_mask_at_all_learns_from_the_future(trainer):
    source = trainer.edited(("is_causal=t > 1", "is_causal=False"))
    assert trainer.has("sees_future", source)


def test_a_score_of_the_text_is_the_same_for_both_scripts(trainer):
    scores = []
    for bugs in (BUGS, ()):
        names, model = trainer.script(*bugs).names, trainer.script(*bugs).run(0)["model"]
        ids = torch.tensor([names.encode(names.TEXT)])
        with torch.no_grad():
            scores.append(F.cross_entropy(model(ids[:, :-1], [[] for _ in range(names.LAYERS)])[0], ids[0, 1:]))
    assert scores[0] == scores[1]


def test_the_distance_from_one_call_starts_at_the_second_call(trainer):
    gaps = trainer.snippet("curves").gaps
    for bugs in ((PLACE,), (MASK,), BUGS, ()):
        script = trainer.script(*bugs)
        found = gaps(vars(script.names), script.run(0)["model"])
        assert found[:START].max() < 1e-3
        assert (found[START] > 0.5) == bool(bugs)
    assert found.max() < 1e-3


def test_chunks_need_a_triangle_from_the_bottom_right(trainer):
    extension = trainer.snippet("extension")
    for size, same in ((1, True), (3, False), (7, False), (60, True)):
        torch.manual_seed(size)
        assert extension.same_as_one_call(extension.script["GPT"](), size) == same
        assert extension.same_as_one_call(extension.Chunked(), size)
    mask = causal_lower_right(3, 8)._materialize()
    assert mask.equal(torch.ones(3, 8, dtype=torch.bool).tril(5))


def test_the_check_leaves_what_it_patches_as_it_was(trainer):
    script = trainer.script()
    own, model = script.names.pick, script.names.GPT()
    trainer.check.spoken(script, model, "what", script.names.encode(script.names.TEXT[4:]))
    assert script.names.pick is own and not model._forward_hooks and "forward" not in vars(model)
    assert isinstance(model, nn.Module)
