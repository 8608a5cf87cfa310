"""What docs/mid/checkpoints/resume-exactly.md claims, proven beyond the example shown."""

import copy
import io
import os
import pickle
import random
import re
import signal
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

from warmup.project import ROOT
from warmup.testing import load_snippet

small = load_snippet("mid/checkpoints/resume_exactly.py")
parts = load_snippet("mid/checkpoints/resume_exactly_parts.py")
resume = load_snippet("mid/checkpoints/resume_exactly_trainer.py")
scaler_snippet = load_snippet("mid/checkpoints/resume_exactly_scaler.py")
iterator_snippet = load_snippet("mid/checkpoints/resume_exactly_iterator.py")
files = load_snippet("mid/checkpoints/resume_exactly_file_broken.py")
myth = load_snippet("mid/checkpoints/resume_exactly_myth.py")

PAGE = ROOT / "docs/mid/checkpoints/resume-exactly.md"


def data(size: int = 30) -> TensorDataset:
    generator = torch.Generator().manual_seed(5)
    return TensorDataset(torch.randn(size, 8, generator=generator), torch.randn(size, 1, generator=generator))


def weights(trainer) -> torch.Tensor:
    return torch.cat([p.detach().flatten() for p in trainer.model.parameters()])


def through_a_file(state: dict) -> dict:
    file = io.BytesIO()
    torch.save(state, file)
    file.seek(0)
    return torch.load(file)


def same_model(a: dict, b: dict) -> bool:
    return all(map(torch.equal, a["model"].values(), b["model"].values()))


def mse(model, batch):
    return nn.functional.mse_loss(model(batch[0]), batch[1])


def trainer(dataset, seed: int = 0, batch_size: int = 4, steps: int = 40, **options):
    """One whose model has dropout; options are the loader's."""
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(0.5), nn.Linear(16, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    loader = DataLoader(dataset, batch_size, sampler=resume.EpochSampler(len(dataset), seed), **options)
    return resume.Trainer(model, mse, optimizer, loader, torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps))


def saved(run) -> dict:
    with tempfile.TemporaryDirectory() as folder:
        run.save(f"{folder}/run.pt")
        return torch.load(f"{folder}/run.pt")


def go_on(run, state: dict):
    """The run, with a state loaded as if in a new process."""
    for seed in (torch.manual_seed, np.random.seed, random.seed):
        seed(12345)
    with tempfile.TemporaryDirectory() as folder:
        torch.save(state, f"{folder}/run.pt")
        run.load(f"{folder}/run.pt")
    return run


def resumed(dataset: TensorDataset, stop: int, steps: int, change: dict | None = None):
    first = trainer(dataset, seed=7)
    first.train(stop)
    state = saved(first) | (change or {})
    second = go_on(trainer(dataset, seed=7), state)
    second.train(steps)
    return second


class Unseeded(DataLoader):
    """Makes its iterators as if it had no generator."""

    def __iter__(self):
        kept, self.generator = self.generator, None
        iterator = super().__iter__()
        self.generator = kept
        return iterator


class Noisy(torch.utils.data.Dataset):
    """32 samples with random noise, drawn where the sample is read."""

    def __len__(self):
        return 32

    def __getitem__(self, index):
        return index / 32 + torch.randn(8), torch.ones(1)


USUAL = "30 samples, seed 7, 8 batches of 4"


class TestResumeExactly:
    @pytest.mark.parametrize("stop", range(0, 26))
    def test_a_run_resumed_after_any_step_is_the_same_run(self, stop):
        whole = trainer(data(), seed=7)  # 30 samples: the last of 8 batches is short
        whole.train(25)
        again = resumed(data(), stop, 25)
        assert torch.equal(weights(again), weights(whole))
        assert again.scheduler.get_last_lr() == whole.scheduler.get_last_lr()

    def test_the_generators_of_every_gpu_are_saved_and_restored(self, monkeypatch):
        states = [torch.tensor([1], dtype=torch.uint8), torch.tensor([2], dtype=torch.uint8)]
        restored = []
        monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
        monkeypatch.setattr(torch.cuda, "get_rng_state_all", lambda: states)
        monkeypatch.setattr(torch.cuda, "set_rng_state_all", restored.append)
        go_on(trainer(data()), saved(trainer(data())))
        assert restored == [states]

    def test_stopping_twice_is_the_same_run(self):
        whole = trainer(data())
        whole.train(20)
        state = saved(trainer(data()))
        for steps in (3, 12, 20):
            part = go_on(trainer(data()), state)
            part.train(steps)
            state = saved(part)
        assert torch.equal(weights(part), weights(whole))

    @pytest.mark.parametrize("lost", ["model", "optimizer", "scheduler", "random", "done"])
    def test_every_lost_part_gives_other_weights_and_no_error(self, lost):
        whole = trainer(data(), seed=7)
        whole.train(25)
        first = trainer(data(), seed=7)
        untouched = saved(first)
        first.train(13)
        state = saved(first)
        (state if lost in state else state["parts"])[lost] = (untouched | untouched["parts"])[lost]
        again = go_on(trainer(data(), seed=7), state)
        again.train(25)
        assert not torch.equal(weights(again), weights(whole))

    def test_the_trainer_is_a_plain_training_loop(self):
        run = trainer(data(), seed=7, batch_size=5, steps=12)
        run.model.eval()
        run.train(12)
        torch.manual_seed(7)
        model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(0.5), nn.Linear(16, 1))
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
        scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=12)
        for epoch in range(2):
            order = torch.randperm(30, generator=torch.Generator().manual_seed(7 + epoch))
            for indices in order.split(5):
                x, y = data()[indices]
                optimizer.zero_grad()
                nn.functional.mse_loss(model(x), y).backward()
                optimizer.step()
                scheduler.step()
        assert torch.equal(weights(run), torch.cat([p.detach().flatten() for p in model.parameters()]))
        assert run.scheduler.get_last_lr() == [0.0]

    def test_the_sampler_is_a_function_of_seed_and_epoch_and_skips_indices(self):
        sampler = resume.EpochSampler(20, seed=3)
        torch.manual_seed(0)
        order = list(sampler)
        torch.manual_seed(1)
        assert list(sampler) == order and sorted(order) == list(range(20)) and order != list(range(20))
        sampler.epoch = 0
        assert list(sampler) == order
        sampler.start = 8
        assert list(sampler) == order[8:] and len(sampler) == 12
        sampler.start = 24
        assert list(sampler) == [] and len(sampler) == 0
        sampler.start, sampler.epoch = 0, 1
        assert list(sampler) != order

    def test_distributed_sampler_seeds_with_seed_plus_epoch_too(self):
        ours = resume.EpochSampler(20, seed=3)
        theirs = DistributedSampler(range(20), num_replicas=1, rank=0, seed=3)
        for epoch in (0, 4):
            ours.epoch = epoch
            theirs.set_epoch(epoch)
            assert list(ours) == list(theirs)

    def test_without_a_generator_of_its_own_the_loader_shifts_the_masks(self):
        def run(stop: int) -> torch.Tensor:
            first, second = (trainer(data(), seed=7) for _ in range(2))
            for one in (first, second):
                one.loader = Unseeded(data(), 4, sampler=one.sampler, generator=torch.Generator())
            torch.manual_seed(1)
            first.train(stop)
            second = go_on(second, saved(first))
            second.train(20)
            return weights(second)

        assert not torch.equal(run(13), run(0))
        assert torch.equal(run(0), run(0))

    @pytest.mark.parametrize(("shuffle", "draws"), [(True, 2), (False, 1)])
    @pytest.mark.parametrize("samples", [1, 4, 9])
    def test_a_pass_over_a_loader_draws_from_the_global_generator_unless_it_has_its_own(self, shuffle, draws, samples):
        assert iterator_snippet.draws(DataLoader(range(samples), shuffle=shuffle)) == draws
        own = DataLoader(range(samples), shuffle=shuffle, generator=torch.Generator())
        assert iterator_snippet.draws(own) == 0

    @pytest.mark.parametrize("shuffle", [True, False])
    def test_validation_shifts_the_masks_and_the_next_order_and_not_masks_from_another_generator(self, shuffle):
        def after(validate, own=False):
            torch.manual_seed(0)
            generator = torch.Generator().manual_seed(5) if own else None
            if validate:
                list(DataLoader(range(4), shuffle=shuffle))
            order = [batch.item() for batch in DataLoader(range(50), shuffle=True)]
            return order, torch.rand(8, generator=generator)

        assert after(True)[0] != after(False)[0]
        assert not torch.equal(after(True)[1], after(False)[1])
        assert torch.equal(after(True, own=True)[1], after(False, own=True)[1])

    def test_persistent_workers_draw_a_base_seed_in_their_first_pass_only(self):
        loader = DataLoader(range(4), num_workers=1, persistent_workers=True, multiprocessing_context="fork")
        assert [iterator_snippet.draws(loader) for _ in range(3)] == [1, 0, 0]

    @pytest.mark.parametrize(("stop", "steps"), [(1, 15), (6, 14), (9, 15), (12, 13)])
    def test_the_small_program_resumes_exactly_from_any_step(self, stop, steps):
        assert same_model(small.train(steps, through_a_file(small.train(stop))), small.train(steps))

    @pytest.mark.parametrize("lost", ["model", "optimizer", "random", "step"])
    def test_each_part_of_the_small_program_is_needed(self, lost):
        state = through_a_file(small.train(9)) | {lost: small.train(0)[lost]}
        if lost == "optimizer":
            state[lost]["state"] = {}
        assert not same_model(small.train(15, state), small.train(15))

    @pytest.mark.parametrize(("stop", "persistent", "same"), [(8, False, True), (8, True, False), (5, False, False)])
    def test_random_augmentation_in_a_worker_resumes_between_epochs_without_persistent_workers(
        self, stop, persistent, same
    ):
        def noisy():
            made = trainer(Noisy(), seed=7, num_workers=1, multiprocessing_context="fork")
            if persistent:
                made.loader = DataLoader(
                    Noisy(),
                    4,
                    sampler=made.sampler,
                    num_workers=1,
                    persistent_workers=True,
                    multiprocessing_context="fork",
                    generator=torch.Generator(),
                )
            return made

        whole = noisy()
        whole.train(10)
        first = noisy()
        first.train(stop)
        state = saved(first)
        second = go_on(noisy(), state)
        second.train(10)
        assert torch.equal(weights(second), weights(whole)) is same

    @pytest.mark.parametrize("steps", [8, 20])
    def test_a_lost_grad_scaler_skips_the_first_steps_again(self, steps):
        scaler = torch.amp.GradScaler("cpu")
        assert scaler_snippet.skipped(scaler, steps) == 7
        restored = torch.amp.GradScaler("cpu")
        restored.load_state_dict(through_a_file(scaler.state_dict()))
        assert restored.get_scale() == 512 and scaler_snippet.skipped(restored, steps) == 0
        assert scaler_snippet.skipped(torch.amp.GradScaler("cpu"), steps) == 7

    def test_a_lost_ema_starts_from_the_current_weights(self):
        model = nn.Linear(2, 1)
        ema = torch.optim.swa_utils.AveragedModel(model, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.9))
        for _ in range(3):
            ema.update_parameters(model)
            nn.init.normal_(model.weight)
        restored, lost = (torch.optim.swa_utils.AveragedModel(model) for _ in range(2))
        restored.load_state_dict(through_a_file(ema.state_dict()))
        assert torch.equal(restored.module.weight, ema.module.weight) and restored.n_averaged == 3
        assert torch.equal(lost.module.weight, model.weight) and not torch.equal(lost.module.weight, ema.module.weight)

    def test_a_loader_has_no_state_dict(self):
        loader = DataLoader(range(4))
        assert not hasattr(loader, "state_dict") and not hasattr(iter(loader), "state_dict")

    def test_the_random_state_resumes_a_shuffled_loader_between_epochs_only(self):
        loader = DataLoader(range(40), batch_size=4, shuffle=True)
        state = torch.get_rng_state()
        whole = myth.epoch(loader)
        torch.set_rng_state(state)
        assert myth.epoch(loader) == whole
        batches = iter(loader)
        for _ in range(5):
            next(batches)
        state = torch.get_rng_state()
        rest = [batch.tolist() for batch in batches]
        torch.set_rng_state(state)
        assert myth.epoch(loader)[:5] != rest

    @pytest.mark.parametrize("stop", range(1, 15))
    def test_each_part_of_the_smallest_program_is_needed_at_every_stop(self, stop):
        whole, state = parts.train(15, **parts.start)["weight"], through_a_file(parts.train(stop, **parts.start))
        assert torch.equal(parts.train(15, **state)["weight"], whole)
        for lost, first in parts.start.items():
            assert not torch.equal(parts.train(15, **state | {lost: first})["weight"], whole)

    @pytest.mark.parametrize("own", [True, False])
    def test_the_global_state_does_not_resume_a_loader_with_a_generator_of_its_own(self, own):
        def loader():
            generator = torch.Generator().manual_seed(0) if own else None
            return DataLoader(range(40), batch_size=4, shuffle=True, generator=generator)

        first = loader()
        myth.epoch(first)
        state = torch.get_rng_state()
        whole = myth.epoch(first)
        torch.manual_seed(9)
        torch.set_rng_state(state)
        assert (myth.epoch(loader()) == whole) is not own

    @pytest.mark.parametrize("weighted", [True, False])
    @pytest.mark.parametrize("own", [True, False])
    def test_the_global_state_does_not_resume_a_sampler_with_a_generator_of_its_own(self, own, weighted):
        def loader():
            generator = torch.Generator().manual_seed(0) if own else None
            if weighted:
                sampler = torch.utils.data.WeightedRandomSampler([1.0] * 40, 40, generator=generator)
            else:
                sampler = torch.utils.data.RandomSampler(range(40), generator=generator)
            return DataLoader(range(40), batch_size=4, sampler=sampler)

        first = loader()
        myth.epoch(first)
        state = torch.get_rng_state()
        whole = myth.epoch(first)
        torch.manual_seed(9)
        torch.set_rng_state(state)
        assert (myth.epoch(loader()) == whole) is not own

    @pytest.mark.parametrize("workers", [1, 2])
    def test_the_global_state_does_not_resume_a_loader_with_persistent_workers(self, workers):
        for persistent in (False, True):
            options = {"num_workers": workers, "persistent_workers": persistent, "multiprocessing_context": "fork"}
            first, second = (DataLoader(range(40), batch_size=4, shuffle=True, **options) for _ in range(2))
            myth.epoch(first)
            state = torch.get_rng_state()
            whole = myth.epoch(first)
            torch.set_rng_state(state)
            assert (myth.epoch(second) == whole) is not persistent

    def test_another_number_of_workers_draws_another_augmentation(self):
        def epoch(workers):
            generator = torch.Generator().manual_seed(0)
            options = {"num_workers": workers, "generator": generator, "multiprocessing_context": "fork"}
            return torch.cat([x for x, _ in DataLoader(Noisy(), 4, **options)])

        one, two, again = epoch(1), epoch(2), epoch(2)
        assert torch.equal(two, again) and not torch.equal(one, two)

    @pytest.mark.parametrize(("size", "options"), [(0, {}), (3, {"drop_last": True})])
    def test_the_trainer_refuses_a_loader_without_a_batch(self, size, options):
        with pytest.raises(ValueError, match="^the loader has no batch$"):
            trainer(data(size), **options)
        trainer(data(1)).train(3)

    @pytest.mark.parametrize("options", [{"shuffle": True}, {"batch_sampler": [[0]]}, {}])
    def test_the_trainer_refuses_a_loader_whose_place_it_cannot_restore(self, options):
        model = nn.Linear(8, 1)
        with pytest.raises(TypeError, match="^needs an EpochSampler, and no persistent workers$"):
            resume.Trainer(model, mse, torch.optim.SGD(model.parameters()), DataLoader(data(), **options))
        with pytest.raises(TypeError, match="^needs an EpochSampler, and no persistent workers$"):
            trainer(data(), num_workers=1, persistent_workers=True)

    def test_the_trainer_refuses_a_stream(self):
        class Stream(torch.utils.data.IterableDataset):
            def __iter__(self):
                return iter(data())

        with pytest.raises(TypeError, match="^needs an EpochSampler"):
            model = nn.Linear(8, 1)
            resume.Trainer(model, mse, torch.optim.SGD(model.parameters()), DataLoader(Stream(), 4))
        with pytest.raises(ValueError, match="expected unspecified sampler option"):
            DataLoader(Stream(), 4, sampler=resume.EpochSampler(30))

    def test_a_file_of_weights_alone_is_refused_and_changes_nothing(self):
        run = trainer(data())
        before = weights(run)
        for other in (trainer(data(), seed=9).model.state_dict(), before):
            with pytest.raises(ValueError, match=r"^no file of Trainer\.save$"):
                go_on(run, other)
        assert torch.equal(weights(run), before) and run.done == 0

    @pytest.mark.parametrize("stop", [5, 8, 13])
    def test_after_training_the_loader_gives_all_samples(self, stop):
        run = trainer(data())
        run.train(3)
        run.train(stop)
        assert len(run.loader) == run.batches and sum(len(x) for x, _ in run.loader) == 30
        state = saved(run)
        whole = trainer(data())
        whole.train(20)
        again = go_on(trainer(data()), state)
        again.train(20)
        assert torch.equal(weights(again), weights(whole))

    @pytest.mark.parametrize("stop", [7, 8, 9, 16, 21])
    def test_a_scheduler_per_epoch_and_one_for_a_plateau_are_parts(self, stop):
        class PerEpoch(resume.Trainer):
            def step(self, batch):
                super().step(batch)
                if (self.done + 1) % self.batches == 0:
                    self.parts["per_epoch"].step()
                    self.parts["plateau"].step(1.0)

        def new():
            made = trainer(data(), seed=7)
            schedule = torch.optim.lr_scheduler
            parts = {
                "per_epoch": schedule.StepLR(made.optimizer, 1, 0.5),
                "plateau": schedule.ReduceLROnPlateau(made.optimizer, patience=0),
            }
            return PerEpoch(made.model, mse, made.optimizer, made.loader, **parts)

        whole, rates = new(), []
        for until in (7, 8, 16, 24):
            whole.train(until)
            rates.append(whole.optimizer.param_groups[0]["lr"])
        assert rates == pytest.approx([0.01, 0.005, 0.00025, 0.0000125])
        first = new()
        first.train(stop)
        state = saved(first)
        again = go_on(new(), state)
        again.train(24)
        assert torch.equal(weights(again), weights(whole))

    def test_the_lines_of_the_page_resume_tied_weights_dicts_and_two_optimizers(self, tmp_path, monkeypatch):
        lines = re.search(r"```text\n(trainer = .*?)```", PAGE.read_text(), re.DOTALL)[1]
        lines = lines.replace("10_000", "20").replace("+ 100", "+ 5")
        x = torch.randint(9, (31, 4), generator=torch.Generator().manual_seed(5))
        samples = [{"ids": ids, "next": ids[0]} for ids in x]

        def run(folder: str, seed: int, killed_at: int | None = None) -> dict[str, torch.Tensor]:
            torch.manual_seed(seed)
            embedding, head = nn.Embedding(9, 6), nn.Linear(6, 9)
            head.weight = embedding.weight
            model = nn.Sequential(embedding, nn.Dropout(0.2), nn.Flatten(0, 1), head)

            class Two(resume.Trainer):
                def step(self, batch):
                    if self.done == killed_at:
                        raise KeyboardInterrupt
                    self.parts["second"].zero_grad()
                    super().step(batch)
                    self.parts["second"].step()

            def loss(model, batch):
                return nn.functional.cross_entropy(model(batch["ids"][:, :1]), batch["next"])

            second = torch.optim.SGD([head.bias], lr=0.1, momentum=0.9)
            (tmp_path / folder).mkdir(exist_ok=True)
            monkeypatch.chdir(tmp_path / folder)
            names = {"Trainer": partial(Two, second=second), "Path": Path, "model": model, "loss": loss}
            names["optimizer"] = torch.optim.AdamW([head.weight], lr=0.01)
            names["loader"] = DataLoader(samples, 4, sampler=resume.EpochSampler(31))
            exec(lines, names)
            return model.state_dict()

        whole = run("whole", seed=0)
        with pytest.raises(KeyboardInterrupt):
            run("killed", seed=0, killed_at=13)
        resumed = run("killed", seed=1)
        assert all(torch.equal(whole[name], resumed[name]) for name in whole)
        assert not all(torch.equal(whole[name], value) for name, value in run("other", seed=1).items())

    @pytest.mark.parametrize(
        ("change", "name", "other", "usual"),
        [
            ({"scaler": torch.amp.GradScaler("cpu")}, "scaler", "GradScaler", "None"),
            ({"scheduler": True}, "scheduler", "StepLR", "None"),
            ({"ema": True}, "ema", "AveragedModel", "None"),
            ({"optimizer": torch.optim.SGD}, "optimizer", "SGD", "Adam"),
            ({"size": 31}, "data and order", "31 samples, seed 7, 8 batches of 4", USUAL),
            ({"seed": 8}, "data and order", "30 samples, seed 8, 8 batches of 4", USUAL),
            ({"batch": 5}, "data and order", "30 samples, seed 7, 6 batches of 5", USUAL),
            ({"drop_last": True}, "data and order", "30 samples, seed 7, 7 batches of 4", USUAL),
        ],
    )
    def test_a_file_of_another_kind_of_run_is_refused_and_the_error_says_what_each_side_has(
        self, change, name, other, usual
    ):
        def new(
            size=30, seed=7, batch=4, drop_last=False, optimizer=torch.optim.Adam, scheduler=None, ema=None, **more
        ):
            model = nn.Linear(8, 1)
            loader = DataLoader(data(size), batch, sampler=resume.EpochSampler(size, seed), drop_last=drop_last)
            parts = {"ema": torch.optim.swa_utils.AveragedModel(model)} if ema else {}
            steps = optimizer(model.parameters(), lr=0.1)
            schedule = torch.optim.lr_scheduler.StepLR(steps, 5) if scheduler else None
            return resume.Trainer(model, mse, steps, loader, schedule, **parts, **more)

        first = new(**change)
        first.train(3)
        for run, state, file_has, run_has in (
            (new(), saved(first), other, usual),
            (new(**change), saved(new()), usual, other),
        ):
            before = weights(run)
            with pytest.raises(ValueError, match=f"^{name}: file has {file_has}, run has {run_has}$"):
                go_on(run, state)
            assert torch.equal(weights(run), before) and run.done == 0
            assert run.optimizer.state_dict()["state"] == {}

    def test_two_batch_sizes_with_as_many_batches_are_told_apart(self):
        for size in (6, 9):  # two batches of ten samples each
            run = trainer(data(10), batch_size=size)
            run.train(1)
            other = trainer(data(10), batch_size=15 - size)
            assert run.batches == other.batches == 2
            with pytest.raises(ValueError, match=f"batches of {size}, run has .* batches of {15 - size}$"):
                go_on(other, saved(run))

    @pytest.mark.parametrize(("here", "there"), [(0, 2), (2, 0), (1, 8)])
    def test_a_file_from_a_machine_with_another_number_of_gpus_is_refused(self, here, there, monkeypatch):
        monkeypatch.setattr(torch.cuda, "device_count", lambda: there)
        state = saved(trainer(data()))
        monkeypatch.setattr(torch.cuda, "device_count", lambda: here)
        with pytest.raises(ValueError, match=f"^GPUs: file has {there}, run has {here}$"):
            go_on(trainer(data()), state)

    def test_a_scaler_that_is_not_enabled_counts_as_none(self):
        def new(**options):
            made = trainer(data())
            return resume.Trainer(made.model, mse, made.optimizer, made.loader, made.scheduler, **options)

        off = torch.amp.GradScaler("cpu", enabled=False)
        for one, other in (({}, {"scaler": off}), ({"scaler": off}, {})):
            first = new(**one)
            first.train(9)
            again = go_on(new(**other), saved(first))
            assert again.done == 9 and torch.equal(weights(again), weights(first))

    @pytest.mark.parametrize("max_norm", [0.01, 1e9])
    def test_a_step_that_is_replaced_to_clip_resumes(self, max_norm):
        class Clipped(resume.Trainer):
            def step(self, batch):
                self.optimizer.zero_grad()
                self.loss_fn(self.model, batch).backward()
                norms.append(nn.utils.clip_grad_norm_(self.model.parameters(), max_norm).item())
                self.optimizer.step()

        def new():
            torch.manual_seed(7)
            model = nn.Sequential(nn.Linear(8, 16), nn.Dropout(0.5), nn.Linear(16, 1))
            loader = DataLoader(data(), 4, sampler=resume.EpochSampler(30))
            return Clipped(model, mse, torch.optim.SGD(model.parameters(), lr=0.1), loader)

        norms = []
        whole = new()
        whole.train(20)
        first = new()
        first.train(11)
        state = saved(first)
        second = go_on(new(), state)
        second.train(20)
        assert torch.equal(weights(second), weights(whole)) and norms[:20] == norms[20:]

    @pytest.mark.parametrize("stop", [9, 10, 21, 23])
    def test_accumulated_gradients_resume_right_after_an_update_only(self, stop):
        class Accumulates(resume.Trainer):
            def step(self, batch):
                (self.loss_fn(self.model, batch) / 3).backward()
                if (self.done + 1) % 3 == 0:
                    self.optimizer.step()
                    self.optimizer.zero_grad()

        def new():
            made = trainer(data(), seed=7)
            return Accumulates(made.model, mse, made.optimizer, made.loader)

        whole = new()
        whole.train(30)
        first = new()
        first.train(stop)
        state = saved(first)
        again = go_on(new(), state)
        again.train(30)
        assert torch.equal(weights(again), weights(whole)) == (stop % 3 == 0)

    @pytest.mark.parametrize("inside", [True, False])
    def test_a_file_saved_inside_a_step_trains_on_its_batch_twice(self, inside):
        states = []

        class Saves(resume.Trainer):
            def step(self, batch):
                super().step(batch)
                if inside and self.done == 11:
                    states.append(saved(self))

        def new():
            made = trainer(data(), seed=7)
            return Saves(made.model, mse, made.optimizer, made.loader)

        whole = new()
        whole.train(12)
        if not inside:
            states.append(saved(whole))
        whole.train(25)
        again = go_on(new(), states[0])
        assert again.done == (11 if inside else 12)
        again.train(25)
        assert torch.equal(weights(again), weights(whole)) is not inside

    @pytest.mark.parametrize("kept", ["attribute", "buffer", "persistent buffer"])
    def test_what_the_model_keeps_outside_its_state_dict_is_lost(self, kept):
        class Anneals(nn.Linear):
            def __init__(self):
                super().__init__(8, 1)
                if kept == "attribute":
                    self.count = torch.zeros(())
                else:
                    self.register_buffer("count", torch.zeros(()), persistent=kept != "buffer")

            def forward(self, x):
                self.count += self.training
                return super().forward(x) / self.count

        def new():
            torch.manual_seed(7)
            model, sampler = Anneals(), resume.EpochSampler(30)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            return resume.Trainer(model, mse, optimizer, DataLoader(data(), 4, sampler=sampler))

        whole, first = new(), new()
        whole.train(20)
        first.train(11)
        state = saved(first)
        again = go_on(new(), state)
        again.train(20)
        assert torch.equal(weights(again), weights(whole)) == (kept == "persistent buffer")

    @pytest.mark.parametrize("drop_last", [True, False])
    @pytest.mark.parametrize("stop", [1, 12, 13, 30])
    def test_a_run_with_images_dicts_a_scaler_an_ema_and_three_kinds_of_noise_resumes(self, stop, drop_last):
        pixels, labels = load_digits(return_X_y=True)

        class Digits(torch.utils.data.Dataset):
            def __len__(self):
                return 200

            def __getitem__(self, i):
                x = torch.tensor(pixels[i], dtype=torch.float32).view(1, 8, 8) / 16
                x = x.flip(2) if random.random() < 0.5 else x
                return {"x": x + float(np.random.rand()) / 10, "y": torch.tensor(labels[i])}

        class WithAverage(resume.Trainer):
            def step(self, batch):
                super().step(batch)
                self.parts["ema"].update_parameters(self.model)

        def loss(model, batch):
            with torch.autocast("cpu", dtype=torch.float16):
                logits = model(batch["x"])
            return nn.functional.cross_entropy(logits.float(), batch["y"])

        def new(seed):
            for one in (torch.manual_seed, np.random.seed, random.seed):
                one(seed)
            model = nn.Sequential(
                nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.Flatten(), nn.Dropout(0.3), nn.Linear(144, 10)
            )
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
            schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.1, total_steps=60)
            loader = DataLoader(Digits(), 16, sampler=resume.EpochSampler(200, seed=3), drop_last=drop_last)
            scaler = torch.amp.GradScaler("cpu", init_scale=2.0**20, growth_interval=9)
            average = torch.optim.swa_utils.AveragedModel(model)
            return WithAverage(model, loss, optimizer, loader, schedule, scaler, ema=average)

        whole = new(0)
        whole.train(40)
        assert whole.scheduler.last_epoch < 40  # some steps were skipped
        first = new(0)
        first.train(stop)
        state = saved(first)
        second = go_on(new(1), state)
        second.train(40)
        for name, part in whole.parts.items():
            again = second.parts[name].state_dict()
            if name in ("model", "ema"):
                assert all(torch.equal(again[key], value) for key, value in part.state_dict().items())
        assert second.scaler.state_dict() == whole.scaler.state_dict()
        assert second.scheduler.get_last_lr() == whole.scheduler.get_last_lr()

    @pytest.mark.parametrize(("before_iter", "same"), [(True, True), (False, False)])
    def test_between_epochs_the_random_state_is_restored_before_iter(self, before_iter, same):
        loader = DataLoader(range(40), batch_size=4, shuffle=True)
        state = torch.get_rng_state()
        whole = myth.epoch(loader)
        if before_iter:
            torch.set_rng_state(state)
            batches = iter(loader)
        else:
            batches = iter(loader)
            torch.set_rng_state(state)
        assert ([batch.tolist() for batch in batches] == whole) is same

    @pytest.mark.parametrize("persistent", [True, False])
    @pytest.mark.parametrize("with_index", [True, False])
    def test_noise_from_seed_epoch_and_index_resumes_anywhere_if_the_epoch_comes_with_the_index(
        self, persistent, with_index
    ):
        class Positions:
            epoch = start = 0

            def __iter__(self):
                return iter([(self.epoch, i) if with_index else i for i in range(self.start, 8)])

            def __len__(self):
                return 8 - self.start

        class Seeded(torch.utils.data.Dataset):
            epoch = 0

            def __len__(self):
                return 8

            def __getitem__(self, position):
                epoch, index = position if with_index else (self.epoch, position)
                return torch.rand((), generator=torch.Generator().manual_seed(1000 * epoch + index))

        def run(first_epoch, start=0):
            dataset, sampler = Seeded(), Positions()
            loader = DataLoader(
                dataset,
                2,
                sampler=sampler,
                num_workers=1,
                persistent_workers=persistent,
                multiprocessing_context="fork",
            )
            for epoch in range(first_epoch, 3):
                dataset.epoch = sampler.epoch = epoch
                sampler.start = start if epoch == first_epoch else 0
                yield torch.cat(list(loader)).tolist()

        whole, resumed = list(run(0)), list(run(1, start=4))
        assert (resumed == [whole[1][4:], whole[2]]) is (with_index or not persistent)
        assert (whole[0] != whole[1]) is (with_index or not persistent)

    def test_workers_take_their_seeds_from_the_loaders_generator(self):
        class Noise(torch.utils.data.Dataset):
            def __len__(self):
                return 4

            def __getitem__(self, index):
                return torch.rand(())

        def epoch(seed):
            generator = torch.Generator().manual_seed(seed)
            loader = DataLoader(Noise(), 2, generator=generator, num_workers=1, multiprocessing_context="fork")
            return [batch.tolist() for batch in loader]

        assert epoch(3) == epoch(3) != epoch(4)

    def test_a_save_that_fails_leaves_the_old_file_and_torch_save_does_not(self, tmp_path):
        path = tmp_path / "run.pt"
        for save, survives in ((resume.save_atomically, True), (torch.save, False)):
            save({"step": 1}, path)
            assert files.load(path) == "step 1"
            with pytest.raises((pickle.PicklingError, AttributeError)):
                save({"step": 2, "log": lambda: None}, path)
            assert (files.load(path) == "step 1") is survives
        resume.save_atomically({"step": 3}, path)
        assert files.load(path) == "step 3"

    def test_a_process_that_is_killed_while_it_saves_resumes_from_the_save_before(self, tmp_path):
        # A script of somebody else's, which only imports the file: another model, another loss, another schedule.
        program = """
import os, signal, sys
import torch
from torch import nn
from torch.utils.data import DataLoader
from resume_exactly_trainer import EpochSampler, Trainer

def new(seed):
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Embedding(50, 6), nn.Dropout(0.4), nn.Flatten(), nn.Linear(24, 3))
    texts = [{"ids": torch.arange(i, i + 4), "label": i % 3} for i in range(23)]
    loader = DataLoader(texts, 5, sampler=EpochSampler(23, seed=11))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2, momentum=0.9)
    loss = lambda model, batch: nn.functional.cross_entropy(model(batch["ids"]), batch["label"])
    return Trainer(model, loss, optimizer, loader, torch.optim.lr_scheduler.StepLR(optimizer, 7))

def killed_while_it_saves(state, file):
    file.write(b"half of it")
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)

first = new(seed=0)
if sys.argv[1] == "killed":
    first.train(until=8)
    first.save("run.pt")
    first.train(until=12)
    torch.save = killed_while_it_saves
    first.save("run.pt")
first.train(until=20)
again = new(seed=1)
again.load("run.pt")
assert again.done == 8
again.train(until=20)
print(all(map(torch.equal, first.model.parameters(), again.model.parameters())))
"""
        environment = os.environ | {"PYTHONPATH": str(Path(resume.__file__).parent), "OMP_NUM_THREADS": "1"}
        for case, ends in (("killed", -signal.SIGKILL), ("again", 0)):
            done = subprocess.run(
                [sys.executable, "-c", program, case],
                cwd=tmp_path,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == ends, done.stderr
            assert (tmp_path / "run.pt.tmp").read_bytes() == b"half of it"
        assert done.stdout == "True\n"

    def test_a_save_that_is_interrupted_before_it_renames_leaves_the_old_file(self, tmp_path, monkeypatch):
        resume.save_atomically({"step": 1}, tmp_path / "run.pt")
        with monkeypatch.context() as patch:
            patch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
            with pytest.raises(KeyboardInterrupt):
                resume.save_atomically({"step": 2}, tmp_path / "run.pt")
        assert files.load(tmp_path / "run.pt") == "step 1"
        resume.save_atomically({"step": 3}, tmp_path / "run.pt")  # over the temporary file that was left
        assert [file.name for file in tmp_path.iterdir()] == ["run.pt"]

    def test_save_atomically_flushes_to_disk_before_it_replaces(self, tmp_path, monkeypatch):
        calls = []
        fsync, replace = os.fsync, os.replace

        def spy_fsync(descriptor):
            calls.append(("fsync", os.fstat(descriptor).st_size))
            fsync(descriptor)

        monkeypatch.setattr(os, "fsync", spy_fsync)
        monkeypatch.setattr(os, "replace", lambda a, b: (calls.append(("replace", a)), replace(a, b)))
        resume.save_atomically({"step": 1}, tmp_path / "run.pt")
        (first, size), (second, temporary) = calls
        assert (first, second) == ("fsync", "replace")
        assert size == (tmp_path / "run.pt").stat().st_size
        assert temporary == f"{tmp_path}/run.pt.tmp" and list(tmp_path.iterdir()) == [tmp_path / "run.pt"]

    @pytest.mark.parametrize("value", [np.float64(0.5), np.ones(2), np.random.get_state()])
    def test_numpy_scalars_and_arrays_do_not_load(self, value):
        with pytest.raises(pickle.UnpicklingError, match="Unsupported global: GLOBAL numpy"):
            through_a_file({"value": value})

    @pytest.mark.parametrize("value", [0.5, random.getstate(), np.random.default_rng(0).bit_generator.state])
    def test_floats_and_plain_integer_states_load(self, value):
        assert through_a_file({"value": value})["value"] == value

    def test_state_dicts_are_live_and_optimizer_load_does_not_copy(self):
        model = nn.Linear(2, 1)
        optimizer = torch.optim.Adam(model.parameters(), lr=0.1)

        def step():
            optimizer.zero_grad()
            model(torch.ones(1, 2)).sum().backward()
            optimizer.step()

        step()
        live = model.state_dict()
        kept = copy.deepcopy(live), copy.deepcopy(optimizer.state_dict())
        step()
        assert not torch.equal(live["weight"], kept[0]["weight"])
        average = kept[1]["state"][0]["exp_avg"].clone()
        model.load_state_dict(kept[0])
        optimizer.load_state_dict(kept[1])
        before = kept[0]["weight"].clone()
        step()
        assert torch.equal(kept[0]["weight"], before)
        assert not torch.equal(kept[1]["state"][0]["exp_avg"], average)
        model.load_state_dict(kept[0], assign=True)
        assert model.weight.data_ptr() == kept[0]["weight"].data_ptr()
