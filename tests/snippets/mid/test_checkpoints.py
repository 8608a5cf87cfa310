"""Every claim that the pages of docs/mid/checkpoints make, proven beyond the example shown."""

import argparse
import copy
import io
import os
import pickle
import random
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn
from torch.optim import lr_scheduler
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

from warmup.testing import load_snippet

small = load_snippet("mid/checkpoints/resume_exactly.py")
parts = load_snippet("mid/checkpoints/resume_exactly_parts.py")
resume = load_snippet("mid/checkpoints/resume_exactly_trainer.py")
scaler_snippet = load_snippet("mid/checkpoints/resume_exactly_scaler.py")
iterator_snippet = load_snippet("mid/checkpoints/resume_exactly_iterator.py")
files = load_snippet("mid/checkpoints/resume_exactly_file_broken.py")
myth = load_snippet("mid/checkpoints/resume_exactly_myth.py")


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


def resumed(dataset: TensorDataset, stop: int, steps: int, change: dict | None = None):
    first = resume.Trainer(dataset, seed=7)
    first.train(stop)
    state = through_a_file(first.state_dict())
    second = resume.Trainer(dataset, seed=7)
    torch.manual_seed(12345)
    second.load_state_dict(state | (change or {}))
    second.train(steps - stop)
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


class TestResumeExactly:
    @pytest.mark.parametrize("stop", range(0, 26))
    def test_a_run_resumed_after_any_step_is_the_same_run(self, stop):
        whole = resume.Trainer(data(), seed=7)  # 30 samples: the last of 8 batches is short
        whole.train(25)
        again = resumed(data(), stop, 25)
        assert torch.equal(weights(again), weights(whole))
        assert again.scheduler.get_last_lr() == whole.scheduler.get_last_lr()

    def test_the_generators_of_every_gpu_are_saved_and_restored(self, monkeypatch):
        states = [torch.tensor([1], dtype=torch.uint8), torch.tensor([2], dtype=torch.uint8)]
        restored = []
        monkeypatch.setattr(torch.cuda, "get_rng_state_all", lambda: states)
        monkeypatch.setattr(torch.cuda, "set_rng_state_all", restored.append)
        state = through_a_file(resume.Trainer(data()).state_dict())
        resume.Trainer(data()).load_state_dict(state)
        assert restored == [states]

    def test_stopping_twice_is_the_same_run(self):
        whole = resume.Trainer(data())
        whole.train(20)
        state = resume.Trainer(data()).state_dict()
        for steps in (3, 9, 8):
            part = resume.Trainer(data())
            part.load_state_dict(through_a_file(state))
            part.train(steps)
            state = part.state_dict()
        assert torch.equal(weights(part), weights(whole))

    @pytest.mark.parametrize("lost", ["model", "optimizer", "scheduler", "rng", "epoch", "batch"])
    def test_every_lost_part_gives_other_weights_and_no_error(self, lost):
        whole = resume.Trainer(data(), seed=7)
        whole.train(25)
        untouched = resume.Trainer(data(), seed=7).state_dict()[lost]
        assert not torch.equal(weights(resumed(data(), 13, 25, {lost: copy.deepcopy(untouched)})), weights(whole))

    def test_the_trainer_is_a_plain_training_loop(self):
        trainer = resume.Trainer(data(), seed=7, batch_size=5, total_steps=12)
        trainer.train(12)
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
        assert torch.equal(weights(trainer), torch.cat([p.detach().flatten() for p in model.parameters()]))
        assert trainer.scheduler.get_last_lr() == [0.0]

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
            trainers = [resume.Trainer(data(), seed=7) for _ in range(2)]
            for trainer in trainers:
                trainer.loader = Unseeded(data(), 4, sampler=trainer.sampler, generator=torch.Generator())
            torch.manual_seed(1)
            trainers[0].train(stop)
            trainers[1].load_state_dict(through_a_file(trainers[0].state_dict()))
            trainers[1].train(20 - stop)
            return weights(trainers[1])

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
        assert small.equal(small.train(steps, through_a_file(small.train(stop))), small.train(steps))

    @pytest.mark.parametrize("lost", ["model", "optimizer", "random", "step"])
    def test_each_part_of_the_small_program_is_needed(self, lost):
        state = through_a_file(small.train(9)) | {lost: small.train(0)[lost]}
        if lost == "optimizer":
            state[lost]["state"] = {}
        assert not small.equal(small.train(15, state), small.train(15))

    @pytest.mark.parametrize(("stop", "persistent", "same"), [(8, False, True), (8, True, False), (5, False, False)])
    def test_random_augmentation_in_a_worker_resumes_between_epochs_without_persistent_workers(
        self, stop, persistent, same
    ):
        def trainer():
            made = resume.Trainer(Noisy(), seed=7, num_workers=1)
            if persistent:
                made.loader = DataLoader(
                    Noisy(),
                    4,
                    sampler=made.sampler,
                    num_workers=1,
                    persistent_workers=True,
                    generator=torch.Generator(),
                )
            return made

        whole = trainer()
        whole.train(10)
        first = trainer()
        first.train(stop)
        state = through_a_file(first.state_dict())
        second = trainer()
        second.load_state_dict(state)
        second.train(10 - stop)
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

    def test_the_trainer_refuses_an_empty_dataset(self):
        with pytest.raises(ValueError, match="^the dataset is empty$"):
            resume.Trainer(data(0))
        resume.Trainer(data(1)).train(3)

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

    def test_save_atomically_keeps_the_old_file_when_saving_fails_and_torch_save_does_not(self, tmp_path):
        path = tmp_path / "run.pt"
        for save, survives in ((files.save_atomically, True), (torch.save, False)):
            save({"step": 1}, path)
            assert files.load(path) == "step 1"
            with pytest.raises((pickle.PicklingError, AttributeError)):
                save({"step": 2, "log": lambda: None}, path)
            assert (files.load(path) == "step 1") is survives
        files.save_atomically({"step": 3}, path)
        assert files.load(path) == "step 3"

    def test_save_atomically_flushes_to_disk_before_it_replaces(self, tmp_path, monkeypatch):
        calls = []
        fsync, replace = os.fsync, os.replace

        def spy_fsync(descriptor):
            calls.append(("fsync", os.fstat(descriptor).st_size))
            fsync(descriptor)

        monkeypatch.setattr(os, "fsync", spy_fsync)
        monkeypatch.setattr(os, "replace", lambda a, b: (calls.append(("replace", a)), replace(a, b)))
        files.save_atomically({"step": 1}, tmp_path / "run.pt")
        (first, size), (second, temporary) = calls
        assert (first, second) == ("fsync", "replace")
        assert size == (tmp_path / "run.pt").stat().st_size
        assert temporary.parent == tmp_path and list(tmp_path.iterdir()) == [tmp_path / "run.pt"]

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


edits = load_snippet("mid/checkpoints/state_dict_vs_full_model_edits_broken.py")


class TestStateDictVsFullModel:
    def test_a_whole_model_breaks_at_paths_and_a_state_dict_at_names_and_shapes(self):
        def outcomes(edit):
            return edits.outcome(edit, whole=True), edits.outcome(edit, whole=False)

        assert outcomes("nothing") == ("same output", "same output")
        assert outcomes("class renamed") == ("load: AttributeError", "same output")
        assert outcomes("file moved") == ("load: ModuleNotFoundError", "same output")
        for edit in ("attribute renamed", "layer added"):
            assert outcomes(edit) == ("call: AttributeError", "load: RuntimeError")

    def test_a_setting_is_kept_by_the_whole_model_only_and_an_edited_forward_is_kept_by_neither(self):
        assert edits.outcome("setting edited", whole=True) == "same output"
        assert edits.outcome("setting edited", whole=False) == "OTHER OUTPUT"
        assert edits.outcome("forward edited", whole=True) == edits.outcome("forward edited", whole=False)
        assert edits.outcome("forward edited", whole=True) == "OTHER OUTPUT"

    def test_a_changed_shape_raises_for_a_state_dict_and_not_for_a_whole_model(self, monkeypatch):
        monkeypatch.setitem(edits.EDITS, "shape", ("nets", {"nn.Linear(4, 3)": "nn.Linear(4, 5)"}))
        assert edits.outcome("shape", whole=True) == "same output"
        assert edits.outcome("shape", whole=False) == "load: RuntimeError"

    @pytest.mark.parametrize("whole", [True, False])
    def test_the_file_is_written_before_the_edit_and_read_after_it(self, whole):
        net = edits.make_class("nets", edits.SOURCE)()
        file = edits.save(net if whole else net.state_dict())
        file.seek(0)
        assert ("nets.Net" in torch.serialization.get_unsafe_globals_in_checkpoint(file)) is whole
        edits.make_class("models", edits.SOURCE)
        with pytest.raises(ModuleNotFoundError):
            __import__("nets")
        __import__("models")

    def test_init_does_not_run_for_a_whole_model(self):
        net = edits.make_class("nets", edits.SOURCE)()
        file = edits.save(net)
        edits.make_class("nets", edits.SOURCE.replace("super().__init__()", "raise OSError"))
        file.seek(0)
        assert torch.equal(torch.load(file, weights_only=False).body.weight, net.body.weight)

    def test_mode_and_requires_grad_and_settings_are_saved_and_grad_is_not(self):
        net = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.3)).eval()
        net[0].weight.requires_grad_(False)
        net(torch.ones(1, 2)).sum().backward()
        file = edits.save(net)
        file.seek(0)
        loaded = torch.load(file, weights_only=False)
        assert not loaded.training and loaded[1].p == 0.3
        assert not loaded[0].weight.requires_grad and loaded[0].bias.requires_grad
        assert net[0].bias.grad is not None and loaded[0].bias.grad is None

    def test_a_lambda_as_a_hook_of_a_module_makes_the_save_raise_and_one_of_a_tensor_is_dropped(self):
        net = nn.Linear(2, 2)
        net.weight.register_hook(lambda gradient: gradient)
        file = edits.save(net)
        file.seek(0)
        assert not torch.load(file, weights_only=False).weight._backward_hooks and net.weight._backward_hooks
        net.register_forward_hook(lambda *args: None)
        edits.save(net.state_dict())
        with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
            edits.save(net)

    @pytest.mark.parametrize(
        "parametrize", [nn.utils.parametrizations.weight_norm, nn.utils.parametrizations.orthogonal]
    )
    def test_a_parametrized_module_is_saved_as_a_state_dict_only(self, parametrize):
        models = [nn.Sequential(parametrize(nn.Linear(3, 3))) for _ in range(2)]
        with pytest.raises(RuntimeError, match="only supported through state_dict"):
            torch.save(models[0], io.BytesIO())
        file = io.BytesIO()
        torch.save(models[0].state_dict(), file)
        file.seek(0)
        models[1].load_state_dict(torch.load(file))
        assert all(key == "0.bias" or key.startswith("0.parametrizations.weight.") for key in models[1].state_dict())
        assert torch.equal(models[0][0].weight, models[1][0].weight)

    def test_a_stand_in_runs_no_method_of_the_lost_class_and_a_hook_of_its_file_needs_one_too(self):
        source = edits.SOURCE + "    def __setstate__(self, state): raise OSError\ndef hook(*args): raise OSError\n"
        stub = type("Stub", (nn.Module,), {})
        for hooked in (False, True):
            net = edits.make_class("nets", source)()
            if hooked:
                net.register_forward_hook(edits.sys.modules["nets"].hook)
            file = edits.save(net)
            edits.sys.modules.pop("nets")
            file.seek(0)
            allowed = [nn.Linear, (stub, "nets.Net")]
            if hooked:
                with (
                    torch.serialization.safe_globals(allowed),
                    pytest.raises(pickle.UnpicklingError, match="nets.hook"),
                ):
                    torch.load(file)
                file.seek(0)
                allowed.append((print, "nets.hook"))
            with torch.serialization.safe_globals(allowed):
                loaded = torch.load(file)
            assert torch.equal(loaded.state_dict()["body.weight"], net.body.weight)

    def test_the_default_refuses_a_whole_model_and_accepts_one_whose_classes_are_allowed(self):
        file = edits.save(nn.Sequential(nn.Linear(2, 2)))
        file.seek(0)
        with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
            torch.load(file)
        file.seek(0)
        with torch.serialization.safe_globals([nn.Linear, nn.Sequential]):
            assert isinstance(torch.load(file), nn.Sequential)

    @pytest.mark.parametrize("wrap", [lambda net: net, lambda net: nn.Sequential(net, nn.Linear(2, 2))])
    def test_without_versions_a_missing_counter_passes_and_with_versions_it_raises(self, wrap):
        state = wrap(nn.BatchNorm1d(2)).state_dict()
        for name in [name for name in state if name.endswith("num_batches_tracked")]:
            del state[name]
        with pytest.raises(RuntimeError, match="num_batches_tracked"):
            wrap(nn.BatchNorm1d(2)).load_state_dict(state)
        for copied in (dict(state), dict(state.items()), state.copy()):
            wrap(nn.BatchNorm1d(2)).load_state_dict(copied)
        with pytest.raises(RuntimeError, match="num_batches_tracked"):
            wrap(nn.BatchNorm1d(2)).load_state_dict(copy.copy(state))

    def test_versions_survive_a_file(self):
        state = nn.BatchNorm1d(2).state_dict()
        assert through_a_file(state)._metadata == state._metadata == {"": {"version": 2}}

    def test_a_pre_hook_renames_keys_at_any_prefix_and_leaves_the_callers_dict_alone(self):
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.body = nn.Linear(4, 2)
                self.register_load_state_dict_pre_hook(self.rename)

            @staticmethod
            def rename(module, state, prefix, *args):
                for old in [key for key in state if key.startswith(prefix + "fc.")]:
                    state[prefix + "body." + old.removeprefix(prefix + "fc.")] = state.pop(old)

        for prefix, model in (("", Net()), ("0.", nn.Sequential(Net())), ("0.0.", nn.Sequential(nn.Sequential(Net())))):
            weights = {prefix + "fc.weight": torch.ones(2, 4), prefix + "fc.bias": torch.ones(2)}
            names = list(weights)
            model.load_state_dict(weights)
            assert list(weights) == names
            assert all(bool((p == 1).all()) for p in model.parameters())


rates = load_snippet("mid/checkpoints/full_checkpoint_rates.py")
compare_parts = load_snippet("mid/checkpoints/full_checkpoint_parts.py")


class TestFullCheckpoint:
    SCHEDULERS = {
        "lambda": lambda optimizer: lr_scheduler.LambdaLR(optimizer, lambda t: 1 - t / 20),
        "one cycle": lambda optimizer: lr_scheduler.OneCycleLR(optimizer, 0.1, total_steps=20),
        "linear": lambda optimizer: lr_scheduler.LinearLR(optimizer, 0.1, total_iters=20),
        "sequential": rates.new_scheduler,
    }
    UNWRITTEN = {
        "step": lambda optimizer: lr_scheduler.StepLR(optimizer, 3),
        "cosine": lambda optimizer: lr_scheduler.CosineAnnealingLR(optimizer, 20),
    }

    def after_resume(self, make, *, lost=None, built_last=False, stop=5):
        """Rates of the run that never stopped and of the resumed one, from ``stop`` on."""
        optimizer = rates.new_optimizer()
        whole = rates.rates(optimizer, make(optimizer), 15)[stop:]
        optimizer = rates.new_optimizer()
        scheduler = make(optimizer)
        rates.rates(optimizer, scheduler, stop)
        saved = copy.deepcopy((optimizer.state_dict(), scheduler.state_dict()))
        optimizer = rates.new_optimizer()
        scheduler = None if built_last else make(optimizer)
        if lost != "optimizer":
            optimizer.load_state_dict(saved[0])
        scheduler = scheduler or make(optimizer)
        if lost != "scheduler":
            scheduler.load_state_dict(saved[1])
        return whole, rates.rates(optimizer, scheduler, 15 - stop)

    @pytest.mark.parametrize("name", SCHEDULERS)
    def test_complete_goes_on_and_a_lost_part_does_not(self, name):
        whole, complete = self.after_resume(self.SCHEDULERS[name])
        assert complete == pytest.approx(whole)
        for lost in ("optimizer", "scheduler"):
            whole, other = self.after_resume(self.SCHEDULERS[name], lost=lost)
            assert other != pytest.approx(whole)
        # The rate of the very next step comes from the optimizer:
        assert other[0] == pytest.approx(whole[0])

    @pytest.mark.parametrize("name", SCHEDULERS)
    def test_a_scheduler_built_last_is_wrong_once_if_closed_form_and_to_the_end_if_chained(self, name):
        # SequentialLR is set right by its milestone, here 10.
        stop = 12 if name == "sequential" else 5
        whole, other = self.after_resume(self.SCHEDULERS[name], built_last=True, stop=stop)
        wrong = [abs(a - b) > 1e-9 for a, b in zip(whole, other, strict=True)]
        assert wrong[0]
        assert all(wrong) if name in ("linear", "sequential") else not any(wrong[1:])

    @pytest.mark.parametrize("name", UNWRITTEN)
    def test_the_constructors_of_step_and_cosine_leave_the_rate_so_either_order_works(self, name):
        whole, other = self.after_resume(self.UNWRITTEN[name], built_last=True)
        assert other == pytest.approx(whole) and len(set(whole)) > 1

    @pytest.mark.parametrize("name", [*SCHEDULERS, *UNWRITTEN])
    def test_a_lost_optimizer_costs_a_closed_form_schedule_one_rate_and_a_chained_one_more(self, name):
        whole, other = self.after_resume((self.SCHEDULERS | self.UNWRITTEN)[name], lost="optimizer")
        wrong = [abs(a - b) > 1e-9 for a, b in zip(whole, other, strict=True)]
        closed = name in ("lambda", "one cycle")
        assert wrong[0] and (sum(wrong) == 1 if closed else sum(wrong) >= 5)

    @pytest.mark.parametrize(
        ("case", "shows"), [("nothing", set()), ("optimizer", {"adam"}), ("scheduler", {"count"}), ("order", {"rate"})]
    )
    @pytest.mark.parametrize("stop", [3, 6])
    def test_rate_and_both_counts_together_show_each_lost_part(self, case, shows, stop):
        def make(optimizer):
            if case == "optimizer":  # with a constant rate
                return lr_scheduler.LambdaLR(optimizer, lambda t: 1.0)
            return lr_scheduler.LinearLR(optimizer, 0.1, total_iters=9)

        def seen(weight, optimizer, scheduler):
            adam = optimizer.state[weight].get("step", 0)
            return {"rate": optimizer.param_groups[0]["lr"], "count": scheduler.last_epoch, "adam": int(adam)}

        weight = torch.nn.Parameter(torch.ones(1))
        optimizer = torch.optim.AdamW([weight], lr=1.0)
        scheduler = make(optimizer)
        for _ in range(stop):
            weight.grad = torch.ones(1)
            optimizer.step(), scheduler.step()
        logged = seen(weight, optimizer, scheduler)
        resumed = torch.optim.AdamW([weight], lr=1.0)
        again = make(resumed)
        if case != "optimizer":
            resumed.load_state_dict(optimizer.state_dict())
        if case == "order":
            again = make(resumed)
        if case != "scheduler":
            again.load_state_dict(scheduler.state_dict())
        now = seen(weight, resumed, again)
        assert {name for name in logged if now[name] != logged[name]} == shows

    @pytest.mark.parametrize("momentum", [0.0, 0.9])
    def test_sgd_counts_no_steps_and_its_state_is_its_momentum(self, momentum):
        weight = torch.nn.Parameter(torch.ones(1))
        optimizer = torch.optim.SGD([weight], lr=0.1, momentum=momentum)
        weight.grad = torch.ones(1)
        optimizer.step()
        momenta = [name for name, value in optimizer.state[weight].items() if value is not None]
        assert momenta == (["momentum_buffer"] if momentum else [])

    def test_a_milestone_sets_a_sequential_schedule_right(self):
        whole, other = self.after_resume(rates.new_scheduler, built_last=True, stop=5)
        assert [abs(a - b) > 1e-9 for a, b in zip(whole, other, strict=True)] == [True] * 5 + [False] * 5

    def test_an_exponential_schedule_does_not_need_its_own_state(self):
        def make(optimizer):
            return lr_scheduler.ExponentialLR(optimizer, 0.9)

        whole, other = self.after_resume(make, lost="scheduler")
        assert other == pytest.approx(whole)
        whole, other = self.after_resume(make, lost="optimizer")
        assert other != pytest.approx(whole)

    def test_a_lost_scheduler_drives_a_chained_warmup_above_its_end(self):
        for stop, factor in ((3, 2), (5, 3)):
            _, other = self.after_resume(
                lambda optimizer: lr_scheduler.LinearLR(optimizer, 0.1, total_iters=9), lost="scheduler", stop=stop
            )
            assert max(other) > factor * 0.01
        assert max(rates.resumed("scheduler lost")) > 6 * 0.01

    def test_the_figure_shows_what_each_case_does(self):
        optimizer = rates.new_optimizer()
        whole = rates.rates(optimizer, rates.new_scheduler(optimizer), rates.END)
        assert max(whole) == pytest.approx(0.01)
        assert rates.resumed("nothing lost") == pytest.approx(whole[rates.STOP :])
        for case in ("optimizer lost", "scheduler built last"):
            ratio = [a / b for a, b in zip(rates.resumed(case), whole[rates.STOP :], strict=True)]
            assert min(ratio) > 0.1 and max(ratio) < 0.14

    def test_the_model_alone_makes_the_loss_after_the_load_and_all_parts_the_same_weights(self, monkeypatch):
        parts = ("model", "optimizer", "scheduler", "random")
        complete, model_only = compare_parts.compare(parts), compare_parts.compare(parts[:1])
        monkeypatch.setattr(compare_parts, "STEPS", 2)
        monkeypatch.setattr(compare_parts, "STOP", 1)
        without_model = compare_parts.compare(parts[1:])
        assert complete[0] == model_only[0] < without_model[0] / 2
        assert complete[3] == 0 and model_only[3] > 0.01
        assert complete[1] < model_only[1] and complete[2] < 0.001 < model_only[2]

    @pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
    def test_the_first_step_of_adam_has_the_size_of_the_learning_rate(self, size):
        for make in (torch.optim.Adam, lambda p, lr: torch.optim.AdamW(p, lr=lr, weight_decay=0)):
            weight = nn.Parameter(torch.zeros(50, dtype=torch.float64))
            optimizer = make([weight], lr=0.01)
            weight.grad = size * (1 + torch.rand(50, dtype=torch.float64))
            optimizer.step()
            torch.testing.assert_close(weight.detach(), torch.full_like(weight, -0.01), rtol=1e-4, atol=0)

    @pytest.mark.parametrize("size, moved", [(1e-8, 0.5), (1e-10, 0.01), (0.0, 0.0)])
    def test_a_gradient_as_small_as_eps_moves_a_weight_by_less(self, size, moved):
        weight = nn.Parameter(torch.zeros(1, dtype=torch.float64))
        weight.grad = torch.full_like(weight, size)
        torch.optim.Adam([weight], lr=0.01).step()
        assert -weight.item() / 0.01 == pytest.approx(moved, rel=0.02)

    @pytest.mark.parametrize("make, times", [("Adam", 2), ("AdamW", 2), ("SGD", 0), ("momentum", 1)])
    def test_optimizer_state_is_two_averages_for_adam_one_for_momentum_none_for_sgd_or_frozen(self, make, times):
        model = nn.Sequential(nn.Linear(40, 40), nn.Linear(40, 40))
        model[0].requires_grad_(False)
        optimizer = (
            torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
            if make == "momentum"
            else getattr(torch.optim, make)(model.parameters(), lr=0.1)
        )
        model(torch.ones(2, 40)).sum().backward()
        optimizer.step()
        states = optimizer.state_dict()["state"].values()
        held = sum(t.numel() for s in states for t in s.values() if isinstance(t, torch.Tensor) and t.dim() > 0)
        assert held == times * sum(p.numel() for p in model[1].parameters())

    @pytest.mark.parametrize("value", [np.float64(0.5), Path("a"), argparse.Namespace(lr=1)])
    def test_a_number_of_numpy_a_path_and_a_namespace_make_the_file_unloadable(self, value):
        with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
            through_a_file({"value": value})
        plain = {"loss": float(np.float64(0.5)), "path": "a", "config": {"lr": 1, "sizes": [1, 2], "name": None}}
        assert through_a_file(plain) == plain

    def test_loading_overrides_what_the_constructors_got(self):
        weight = nn.Parameter(torch.ones(1))
        old = torch.optim.AdamW([weight], lr=0.1, weight_decay=0.2, betas=(0.5, 0.6))
        saved = copy.deepcopy((old.state_dict(), lr_scheduler.StepLR(old, 3).state_dict()))
        new = torch.optim.AdamW([weight], lr=0.7, weight_decay=0.8)
        schedule = lr_scheduler.StepLR(new, 3)
        new.load_state_dict(saved[0])
        schedule.load_state_dict(saved[1])
        group = new.param_groups[0]
        assert (group["lr"], group["weight_decay"], group["betas"]) == (0.1, 0.2, (0.5, 0.6))
        assert schedule.base_lrs == [0.1]

    def test_another_rate_has_to_be_written_into_groups_and_scheduler(self):
        for everywhere, expected in ((False, [0.5, 0.05]), (True, [0.5, 0.25])):
            optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=0.1)
            scheduler = lr_scheduler.LambdaLR(optimizer, lambda step: 1 / (1 + step))
            optimizer.param_groups[0]["lr"] = 0.5
            if everywhere:
                scheduler.base_lrs = [0.5]
            assert rates.rates(optimizer, scheduler, 2) == pytest.approx(expected)

    def test_another_number_of_parameters_raises_and_another_order_does_not(self):
        a, b = nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(2))
        optimizer = torch.optim.SGD([a, b], lr=0.1, momentum=0.9)
        a.grad, b.grad = torch.ones(2), torch.full((2,), 2.0)
        optimizer.step()
        with pytest.raises(ValueError, match="size of optimizer"):
            torch.optim.SGD([a, b, nn.Parameter(torch.ones(2))], lr=0.1).load_state_dict(optimizer.state_dict())
        swapped = torch.optim.SGD([b, a], lr=0.1, momentum=0.9)
        swapped.load_state_dict(optimizer.state_dict())
        assert swapped.state[b]["momentum_buffer"].tolist() == [1.0, 1.0]


seeds = load_snippet("mid/checkpoints/reproducibility_seeds.py")
hashes = load_snippet("mid/checkpoints/reproducibility_hash.py")
spread = load_snippet("mid/checkpoints/reproducibility_spread.py")
switches = load_snippet("mid/checkpoints/reproducibility_switches_broken.py")


@pytest.fixture
def same_settings():
    """Threads, switches and the state of NumPy are as before afterwards."""
    threads, state = torch.get_num_threads(), np.random.get_state()
    cudnn = torch.backends.cudnn.deterministic
    yield
    torch.set_num_threads(threads)
    torch.set_deterministic_debug_mode("default")
    torch.backends.cudnn.deterministic = cudnn
    np.random.set_state(state)


class OwnGenerator(TensorDataset):
    """Keeps a NumPy generator; ``per_sample`` seeds one for each index instead."""

    def __init__(self, per_sample):
        super().__init__(torch.zeros(4))
        self.generator, self.per_sample = np.random.default_rng(0), per_sample

    def __getitem__(self, index):
        generator = np.random.default_rng([0, index]) if self.per_sample else self.generator
        return generator.random()


@pytest.mark.usefixtures("same_settings")
class TestReproducibility:
    @pytest.mark.parametrize("total", [torch.sum, torch.mean])
    def test_the_number_of_threads_changes_sums_and_not_the_numbers_drawn(self, total):
        drawn, sums = [], []
        for threads in (1, 4, 1):
            torch.set_num_threads(threads)
            torch.manual_seed(0)
            x = torch.randn(20, 100_000)
            drawn.append(x)
            sums.append(torch.stack([total(row) for row in x]))
        assert torch.equal(drawn[0], drawn[1])
        assert torch.equal(sums[0], sums[2]) and not torch.equal(sums[0], sums[1])

    def test_the_size_of_the_batch_changes_the_same_row(self):
        torch.manual_seed(0)
        x, w = torch.randn(256, 512), torch.randn(512, 512)
        assert not torch.equal(torch.cat([row[None] @ w for row in x]), x @ w)

    @pytest.mark.parametrize("draw", [torch.rand, torch.randn, torch.randperm])
    def test_one_more_draw_shifts_the_stream_and_a_generator_of_its_own_does_not(self, draw):
        def after(extra):
            torch.manual_seed(0)
            extra()
            return draw(20)

        assert not torch.equal(after(lambda: torch.rand(1)), after(lambda: None))
        own = torch.Generator()
        for apart in (
            lambda: torch.rand(1, generator=own),
            lambda: nn.init.kaiming_uniform_(torch.empty(3, 3), generator=own),
            lambda: list(DataLoader(range(5), shuffle=True, generator=own)),
        ):
            assert torch.equal(after(apart), after(lambda: None))
        with pytest.raises(TypeError, match="generator"):
            nn.functional.dropout(torch.ones(1), generator=own)

    @pytest.mark.parametrize("draw", [seeds.torch_rand, random.random, np.random.rand])
    def test_without_workers_torch_seeds_torch_only_and_with_workers_all_three(self, draw):
        assert (seeds.epoch(draw, 0) == seeds.epoch(draw, 0)) is (draw is seeds.torch_rand)
        first = seeds.epoch(draw, 1)
        assert first == seeds.epoch(draw, 1) != seeds.epoch(draw, 0)
        two = seeds.epoch(draw, 2)
        assert first != two and len(set(two)) == 4

    def test_workers_follow_the_loaders_own_generator_if_it_has_one(self):
        def epoch(seed, own):
            torch.manual_seed(seed)
            generator = torch.Generator().manual_seed(own)
            return [x.item() for x in DataLoader(seeds.Noisy(random.random), num_workers=1, generator=generator)]

        assert epoch(0, 1) == epoch(5, 1) != epoch(0, 2)

    def test_a_generator_in_the_dataset_is_copied_into_each_worker(self):
        def epoch(per_sample, workers):
            return [batch.item() for batch in DataLoader(OwnGenerator(per_sample), num_workers=workers)]

        a, b, c, d = epoch(per_sample=False, workers=2)
        assert a == b != c == d
        each = epoch(per_sample=True, workers=2)
        assert len(set(each)) == 4 and each == epoch(per_sample=True, workers=0)

    @pytest.mark.parametrize("persistent", [False, True])
    def test_new_workers_repeat_a_copied_generator_and_persistent_ones_do_not_see_the_epoch(self, persistent):
        class WithEpoch(OwnGenerator):
            epoch = 0

            def __getitem__(self, index):
                return self.generator.random(), self.epoch

        dataset = WithEpoch(per_sample=False)
        loader = DataLoader(dataset, num_workers=1, batch_size=None, persistent_workers=persistent)
        seen = []
        for dataset.epoch in range(2):
            seen.append(list(loader))
        assert ([a for a, _ in seen[0]] == [a for a, _ in seen[1]]) is not persistent
        assert {epoch for _, epoch in seen[1]} == ({0} if persistent else {1})

    def test_a_sampler_hands_the_epoch_to_persistent_workers(self):
        class Sampler:
            def __iter__(self):
                return iter([(self.epoch, index) for index in range(4)])

        class Drawn(TensorDataset):
            def __getitem__(self, key):
                return np.random.default_rng([0, *key]).random()

        def epochs(**workers):
            loader = DataLoader(Drawn(torch.zeros(4)), sampler=Sampler(), batch_size=None, **workers)
            seen = []
            for loader.sampler.epoch in range(2):
                seen.append(list(loader))
            return seen

        without = epochs()
        assert epochs(num_workers=1, persistent_workers=True) == without and without[0] != without[1]

    def test_only_deterministic_algorithms_refuse_put(self):
        torch.backends.cudnn.deterministic = True
        assert not torch.are_deterministic_algorithms_enabled() and not torch.backends.cudnn.benchmark
        assert switches.put(accumulate=False).startswith("[")
        torch.set_deterministic_debug_mode("error")  # the switch itself imports torch.compile
        assert switches.put(accumulate=False).startswith("RuntimeError: put_ does not have a deterministic")
        assert switches.put(accumulate=True) == "[3.0, 0.0]"
        torch.set_deterministic_debug_mode("warn")
        with pytest.warns(UserWarning, match="put_ does not have a deterministic"):
            assert switches.put(accumulate=False).startswith("[")

    def test_deterministic_mode_fills_new_memory_with_nan(self):
        torch.set_deterministic_debug_mode("error")
        assert torch.empty(100).isnan().all() and torch.utils.deterministic.fill_uninitialized_memory
        assert (torch.empty(100, dtype=torch.int16) == 2**15 - 1).all()

    def test_a_seed_in_each_epoch_repeats_order_and_masks(self):
        def two_epochs(seed_of, own=None):
            seen = []
            for epoch in range(2):
                torch.manual_seed(seed_of(epoch))
                order = torch.cat(list(DataLoader(range(50), batch_size=5, shuffle=True, generator=own)))
                seen.append((order.tolist(), nn.functional.dropout(torch.ones(50)).tolist()))
            return seen

        same, other = two_epochs(lambda epoch: 0), two_epochs(lambda epoch: epoch)
        assert same[0] == same[1]
        assert other[0][0] != other[1][0] and other[0][1] != other[1][1]
        own = two_epochs(lambda epoch: 0, torch.Generator().manual_seed(3))
        assert own[0][0] != own[1][0] and own[0][1] == own[1][1]

    def test_a_set_of_strings_follows_the_hash_seed_and_a_sorted_one_does_not(self):
        assert len({hashes.classes("list", seed) for seed in ("1", "2", "3")}) > 1
        assert len({hashes.classes("sorted", seed) for seed in ("1", "2")}) == 1
        assert hashes.classes("list", "1") == hashes.classes("list", "1")

    def test_seeds_scatter_more_than_the_two_widths_differ(self):
        narrow, wide = ([spread.held_out_loss(seed, width) for seed in range(4)] for width in (24, 32))
        assert spread.held_out_loss(0, 24) == narrow[0]
        assert max(narrow) - min(narrow) > 2 * abs(sum(narrow) - sum(wide)) / 4
        assert {a < b for a, b in zip(narrow, wide, strict=True)} == {True, False}
