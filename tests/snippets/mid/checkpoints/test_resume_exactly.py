"""What docs/mid/checkpoints/resume-exactly.md claims, proven beyond the example shown."""

import copy
import io
import os
import pickle
import random

import numpy as np
import pytest
import torch
from torch import nn
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
