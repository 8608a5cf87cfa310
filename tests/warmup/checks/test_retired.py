"""Retired names are found, except where the page about them shows them."""

from __future__ import annotations

from warmup.checks import retired


def test_only_the_page_about_a_retired_name_and_the_snippets_that_it_shows_may_use_it(tmp_path):
    text = "\ntorch.cuda.amp.GradScaler()\n\n\ntorch.qr(functorch)\n"
    page = '---\ntitle: T\n---\n```python title="x.py"\n--8<-- "senior/mixed-precision/grad_scaler.py"\n```\n'
    for file, content in {
        "docs/senior/mixed-precision/grad-scaler.md": page + text,
        "docs/senior/mixed-precision/grad-scaler-clip.md": "---\ntitle: T\n---\n" + text,
        "snippets/senior/mixed-precision/grad_scaler.py": text,
        "snippets/senior/mixed-precision/grad_scaler_clip.py": text,
        "snippets/junior/mixed-precision/grad_scaler.py": text,
    }.items():
        path = tmp_path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    found = {}
    for problem in retired.find(tmp_path):
        found.setdefault(problem.path.removeprefix(f"{tmp_path.as_posix()}/"), []).append(
            (problem.line, problem.message.split("'")[1])
        )
    others = [(5, "functorch"), (5, "torch.qr(")]
    everything = [(2, "torch.cuda.amp."), *others]

    def below(lines, names):
        return [(line + lines, retired_name) for line, retired_name in names]

    assert {file: sorted(names) for file, names in found.items()} == {
        "docs/senior/mixed-precision/grad-scaler.md": below(6, others),
        "docs/senior/mixed-precision/grad-scaler-clip.md": below(3, everything),
        "snippets/senior/mixed-precision/grad_scaler.py": others,
        "snippets/senior/mixed-precision/grad_scaler_clip.py": everything,
        "snippets/junior/mixed-precision/grad_scaler.py": everything,
    }


def test_an_exercise_may_ask_for_a_function_of_a_retired_name(tmp_path):
    folder = tmp_path / "snippets/practice/write"
    for file, content in {
        "clip/starter.py": "def clip_grad_norm(parameters):\n    raise NotImplementedError\n",
        "clip/mistakes.yml": "clip_grad_norm([])\ntorch.qr(x)\n",
        "other/starter.py": "def other():\n    clip_grad_norm([])\n",
    }.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(content)
    found = [str(problem) for problem in retired.find(tmp_path)]
    assert len(found) == 2
    assert "clip/mistakes.yml:2: 'torch.qr('" in found[1] + found[0]
    assert "other/starter.py:2: 'clip_grad_norm('" in found[1] + found[0]
