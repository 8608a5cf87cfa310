"""What docs/junior/training-loop/overfitting.md claims, proven beyond the example shown."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from warmup.testing import load_snippet

overfitting = load_snippet("junior/training-loop/overfitting_remedies.py")
overfitting_turn = load_snippet("junior/training-loop/overfitting_turn.py")
stopping = load_snippet("junior/training-loop/overfitting_early_stopping.py")
overfitting_confidence = load_snippet("junior/training-loop/overfitting_confidence.py")


@pytest.fixture(scope="module")
def fitted():
    """Histories for other points than the page's, by remedy."""
    remedies = {
        "nothing": {},
        "default": {"weight_decay": 0.01},
        "decay": {"weight_decay": 1.0},
        "strong decay": {"weight_decay": 10.0},
        "data": {"points": 200},
    }
    return {name: overfitting.fit(seed=4, **options) for name, options in remedies.items()}


@pytest.fixture(scope="module")
def curves():
    """Training loss, held-out loss and distance to the sine over the steps, for four seeds."""
    return [list(zip(*overfitting_turn.losses(seed), strict=True)) for seed in range(4)]


class TestOverfitting:
    def test_the_noise_has_variance_a_quarter_and_nothing_beats_it(self):
        x, y = overfitting.noisy_sine(100_000, seed=9)
        assert x.dtype == y.dtype == torch.float32 and x.shape == y.shape == (100_000, 1)
        assert x.min() >= -1 and x.max() <= 1 and x.std().item() == pytest.approx(2 / 12**0.5, rel=1e-2)
        assert F.mse_loss(torch.sin(3 * x), y).item() == pytest.approx(0.25, rel=2e-2)
        for other in (torch.sin(3.3 * x), torch.sin(3 * x) + 0.1, 0.9 * torch.sin(3 * x)):
            assert F.mse_loss(other, y) > F.mse_loss(torch.sin(3 * x), y)

    def test_error_on_new_points_is_the_distance_to_the_signal_plus_the_noise(self):
        x, y = overfitting.noisy_sine(200_000, seed=8)
        bent = torch.sin(3 * x) + 0.3 * torch.cos(20 * x)
        expected = F.mse_loss(bent, torch.sin(3 * x)).item() + 0.25
        assert F.mse_loss(bent, y).item() == pytest.approx(expected, rel=1e-2)

    def test_the_held_out_points_are_not_the_training_points(self):
        assert not torch.isin(overfitting.noisy_sine(20, seed=2)[0], overfitting.noisy_sine(500, seed=0)[0]).any()

    def test_the_training_loss_falls_below_the_noise_and_the_held_out_loss_turns(self, fitted):
        history = fitted["nothing"]
        best = min(history, key=lambda row: row[2])
        assert history[-1][1] < 0.15 < history[0][1]
        assert best[0] < 150 and history[-1][2] > 1.1 * best[2]
        assert history[-1][1] < best[1]  # and training improved all the while

    def test_the_default_weight_decay_does_next_to_nothing(self, fitted):
        assert torch.optim.AdamW([nn.Parameter(torch.ones(1))]).defaults["weight_decay"] == 0.01
        for (_, _, without), (_, _, decayed) in zip(fitted["nothing"], fitted["default"], strict=True):
            assert decayed == pytest.approx(without, abs=0.03)

    def test_without_a_gradient_what_counts_is_rate_times_decay_times_steps(self):
        def size(lr, decay, steps):
            w = nn.Parameter(torch.ones(1))
            optimizer = torch.optim.AdamW([w], lr=lr, weight_decay=decay)
            for _ in range(steps):
                w.grad = torch.zeros(1)
                optimizer.step()
            return w.item()

        assert size(0.01, 0.01, 300) == pytest.approx(0.97, abs=1e-3)
        assert size(0.01, 1.0, 300) == pytest.approx(0.99**300, rel=1e-3)
        assert size(0.02, 0.01, 150) == pytest.approx(size(0.01, 0.02, 150), rel=1e-4)

    @pytest.mark.parametrize("decay", [0.01, 1.0])
    def test_a_weight_without_a_gradient_tensor_is_not_decayed(self, decay):
        zero, none = nn.Parameter(torch.ones(1)), nn.Parameter(torch.ones(1))
        optimizer = torch.optim.AdamW([zero, none], lr=0.01, weight_decay=decay)
        for _ in range(300):
            zero.grad = torch.zeros(1)
            optimizer.step()
        assert none.item() == 1 and zero.item() == pytest.approx((1 - 0.01 * decay) ** 300, rel=1e-3)

    def test_the_held_out_loss_turns_while_training_goes_on_with_every_seed(self, curves):
        for training, held_out, distance in curves:
            best = held_out.index(min(held_out))
            assert 20 < best < 200 and held_out[-1] > held_out[best]
            assert training[-1] < training[best] < 0.25 and training[-1] < 0.15
            assert distance[best] < distance[10] and distance[best] < distance[-1]  # nearest to the sine near the turn

    def test_a_short_patience_stops_at_the_first_bump(self, curves):
        def stop(held_out, patience):
            best = 0
            for step, loss in enumerate(held_out):
                if loss < held_out[best]:
                    best = step
                elif step - best >= patience:
                    return step, best
            return step, best

        for _, held_out, _ in curves:
            stopped, best = stop(held_out, 5)
            assert stopped <= 12 and held_out[best] > 1.2 * min(held_out)
            assert held_out[stop(held_out, 50)[1]] == min(held_out)

    @pytest.mark.parametrize(("outputs", "loss_of"), [(1, F.mse_loss), (2, F.cross_entropy)])
    def test_a_model_overfits_without_any_noise(self, outputs, loss_of):
        torch.manual_seed(0)
        x = torch.randn(1030, 20)
        signal = x[:, :2].sum(dim=1, keepdim=True)
        y = signal.sin() if outputs == 1 else (signal > 0).long().squeeze(1)
        model = nn.Sequential(nn.Linear(20, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, outputs))
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
        history = []
        for _ in range(200):
            fit = model(x)
            training, held_out = loss_of(fit[:30], y[:30]), loss_of(fit[30:], y[30:])
            history.append((training.item(), held_out.item()))
            optimizer.zero_grad()
            training.backward()
            optimizer.step()
        best = min(history, key=lambda row: row[1])
        assert history[-1][0] < 0.01 * best[0] and history[-1][1] > 1.3 * best[1]

    @pytest.mark.parametrize("seed", [0, 1])
    def test_after_few_steps_batch_norm_in_eval_mode_has_a_high_loss_on_the_training_set_too(self, seed):
        torch.manual_seed(seed)
        x = 3 * torch.randn(640, 20) + 5
        y = (x[:, 0] > 5).long()
        hidden = [nn.Linear(20, 64), nn.BatchNorm1d(64, momentum=0.01), nn.ReLU()]
        hidden += [nn.Linear(64, 64), nn.BatchNorm1d(64, momentum=0.01), nn.ReLU()]
        model = nn.Sequential(*hidden, nn.Linear(64, 2))
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
        for xs, ys in zip(x[:320].split(32), y[:320].split(32), strict=True):
            loss = F.cross_entropy(model(xs), ys)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        assert F.cross_entropy(model(x[320:]), y[320:]) < 0.4  # with the batch's own statistics it is low on new data
        model.eval()
        on_training, on_held_out = F.cross_entropy(model(x[:320]), y[:320]), F.cross_entropy(model(x[320:]), y[320:])
        assert loss < 0.4 and on_training > 2.5 * loss
        assert on_held_out.item() == pytest.approx(on_training.item(), rel=0.2)

    @pytest.mark.parametrize("build", [lambda w: torch.optim.SGD(w, lr=0.05), lambda w: torch.optim.Adam(w, lr=0.01)])
    def test_on_data_of_another_kind_the_loss_rises_without_overfitting(self, build):
        torch.manual_seed(0)
        size, same, other = torch.tensor([1.0, 0.5]), torch.tensor([1.0, 1.0]), torch.tensor([1.0, -0.5])
        w = torch.nn.Parameter(torch.zeros(2))
        optimizer, held_out = build([w]), torch.randn(1000, 2) * size
        curves = []
        for _ in range(400):
            x = torch.randn(256, 2) * size  # new samples without noise in each step: there is nothing to memorize
            training = (x @ w - x @ same).square().mean()
            kinds = [(held_out @ w - held_out @ truth).square().mean().item() for truth in (same, other)]
            curves.append((training.item(), *kinds))
            optimizer.zero_grad()
            training.backward()
            optimizer.step()
        first, last = curves[0], curves[-1]
        assert last[0] < 0.05 * first[0] and last[1] < 0.05 * first[1]
        assert 1.2 * min(curve[2] for curve in curves) < last[2] < first[2]

    def test_least_squares_overfits_without_any_steps(self):
        x, w = torch.randn(2050, 49, dtype=torch.float64), torch.randn(49, 1, dtype=torch.float64)
        y = x @ w + torch.randn(2050, 1, dtype=torch.float64) / 2
        fitted = torch.linalg.lstsq(x[:50], y[:50]).solution
        assert F.mse_loss(x[:50] @ fitted, y[:50]) < 0.1 and F.mse_loss(x[50:] @ fitted, y[50:]) > 0.5

    def test_with_gradients_rate_times_decay_times_steps_does_not_tell_the_size(self):
        def size(decay, steps):
            torch.manual_seed(0)
            w = nn.Parameter(torch.ones(500))
            optimizer = torch.optim.AdamW([w], lr=0.01, weight_decay=decay)
            for _ in range(steps):
                w.grad = torch.randn(500)
                optimizer.step()
            return w.square().mean().sqrt().item()

        assert size(0.1, 1500) > 1.15 * size(1.0, 150)

    def test_the_smallest_gap_is_not_the_best_model(self, fitted):
        _, training, held_out = fitted["strong decay"][-1]
        _, free_training, free_held_out = fitted["nothing"][-1]
        assert held_out - training < 0.75 * (free_held_out - free_training)
        assert training > 2 * free_training and held_out > free_held_out - 0.02
        assert held_out > fitted["decay"][-1][2] + 0.05

    def test_stopping_in_time_is_as_good_as_tuned_decay_and_data_beats_both(self, fitted):
        best = min(row[2] for row in fitted["nothing"])
        assert best < fitted["decay"][-1][2] + 0.02
        assert fitted["data"][-1][2] < min(best, fitted["decay"][-1][2])

    def test_the_model_has_some_4000_weights(self, monkeypatch):
        built = []
        monkeypatch.setattr(
            overfitting.nn, "Sequential", lambda *layers, make=nn.Sequential: built.append(make(*layers)) or built[-1]
        )
        overfitting.fit(steps=10, dropout=0.5)
        assert 4000 < sum(parameter.numel() for parameter in built[0].parameters()) < 4500
        assert any(isinstance(layer, nn.Dropout) and layer.p == 0.5 for layer in built[0])

    def test_dropout_is_measured_in_eval_mode(self):
        first, second = (overfitting.fit(steps=10, dropout=p)[0] for p in (0.0, 0.9))
        assert first != second
        assert overfitting.fit(steps=10, dropout=0.9)[0] == second

    def test_a_state_dict_is_the_live_weights_and_loading_it_changes_nothing(self):
        model = nn.Linear(2, 1)
        state = model.state_dict()
        with torch.no_grad():
            model.weight.add_(1)
        after = model.weight.detach().clone()
        assert torch.equal(state["weight"], after)
        model.load_state_dict(state)
        assert torch.equal(model.weight, after)

    def test_the_same_decisions_with_more_confidence_cost_more(self):
        early, late = (overfitting_confidence.fit(steps, seed=3) for steps in (50, 200))
        assert late[0] < early[0] and late[1] > 1.2 * early[1]
        assert late[2] == pytest.approx(early[2], abs=0.03) and late[3] > early[3]

    def test_scaled_logits_decide_the_same_and_cost_more(self):
        logits, y = torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), torch.tensor([0, 1, 1])
        losses = [F.cross_entropy(scale * logits, y).item() for scale in (1, 3, 9)]
        assert losses == sorted(losses) and losses[-1] > 2.5

    def test_the_clouds_overlap(self):
        x, y = overfitting_confidence.two_clouds(20_000, seed=5)
        difference = x[y == 1].mean(0) - x[y == 0].mean(0)
        torch.testing.assert_close(difference, torch.full((10,), 0.6), atol=0.05, rtol=0)
        best = ((x.sum(1) > 3) == (y == 1)).float().mean().item()
        assert 0.8 < best < 0.86

    @pytest.mark.parametrize("noise_of_the_set", [0.0, 0.04])
    def test_the_best_of_fifty_equals_is_too_low_on_average_and_not_always_on_one_held_out_set(self, noise_of_the_set):
        torch.manual_seed(0)
        losses = 0.3 + noise_of_the_set * torch.randn(1000, 1) + 0.02 * torch.randn(1000, 50)
        best = losses.min(dim=1).values
        assert best.mean() < 0.27
        assert (best > 0.3).any() == (noise_of_the_set > 0)

    @pytest.mark.parametrize("momentum", [0.001, 0.1])
    def test_a_high_loss_on_the_training_set_in_eval_mode_does_not_rule_overfitting_out(self, momentum):
        torch.manual_seed(0)
        x, y = 3 * torch.randn(1128, 10) + 5, torch.randint(2, (1128,))
        norm = nn.BatchNorm1d(128, momentum=momentum)
        model = nn.Sequential(nn.Linear(10, 128), norm, nn.ReLU(), nn.Linear(128, 2))
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
        for _ in range(100):
            loss = F.cross_entropy(model(x[:128]), y[:128])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

        def measured():
            model.eval()
            return F.cross_entropy(model(x[:128]), y[:128]).item(), F.cross_entropy(model(x[128:]), y[128:]).item()

        assert loss < 0.1 and (measured()[0] > 1) == (momentum < 0.1)
        norm.momentum = 1.0
        model.train()(x[:128])  # the statistics of the training set
        assert measured()[0] < 0.1 and measured()[1] > 1

    @pytest.mark.parametrize("seed", [0, 3])
    def test_at_the_turn_some_of_the_noise_is_fitted_and_less_than_half(self, seed):
        torch.manual_seed(seed)
        x = 2 * torch.rand(520, 1) - 1
        signal, noise = torch.sin(3 * x), torch.randn(520, 1) / 2
        model = nn.Sequential(nn.Linear(1, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
        optimizer, found = torch.optim.AdamW(model.parameters(), lr=0.01), []
        for _ in range(301):
            error = model(x) - signal
            squares = (error - noise).square()
            share = (error * noise)[:20].mean() / noise[:20].square().mean()
            found.append((squares[20:].mean().item(), share.item()))
            optimizer.zero_grad()
            squares[:20].mean().backward()
            optimizer.step()
        assert 0.05 < min(found)[1] < 0.5 and min(found)[1] + 0.05 < found[-1][1]

    @pytest.mark.parametrize("seed", [0, 1, 2])
    def test_fitted_to_the_end_the_error_peaks_where_the_model_is_as_large_as_the_data(self, seed):
        generator = torch.Generator().manual_seed(seed)
        weight = torch.randn(1000, 1, generator=generator, dtype=torch.float64) / 1000**0.5
        x, new = (torch.randn(n, 1000, generator=generator, dtype=torch.float64) for n in (20, 500))
        errors = [
            F.mse_loss(new[:, :size] @ torch.linalg.pinv(x[:, :size]) @ (x @ weight), new @ weight).item()
            for size in (5, 20, 1000)
        ]
        assert errors[1] > 1.5 * errors[0] and errors[1] > 1.5 * errors[2]

    @pytest.mark.parametrize("copies", [1, 5])
    def test_with_copies_a_part_of_the_training_set_does_not_show_overfitting(self, copies):
        x, y = (t.repeat(copies, 1) for t in overfitting.noisy_sine(100 // copies, seed=2))
        torch.manual_seed(0)
        kept, part = torch.randperm(100).split([80, 20])
        model = nn.Sequential(nn.Linear(1, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
        for _ in range(300):
            optimizer.zero_grad()
            F.mse_loss(model(x[kept]), y[kept]).backward()
            optimizer.step()
        with torch.inference_mode():
            of_part = F.mse_loss(model(x[part]), y[part])
            new_x, new_y = overfitting.noisy_sine(500, seed=0)
            of_new = F.mse_loss(model(new_x), new_y)
        assert of_new > 0.25 and (of_part < of_new / 2) == (copies == 5)

    def test_a_network_fits_random_labels(self):
        x, y = torch.randn(64, 10), torch.randint(2, (64,))
        model = nn.Sequential(nn.Linear(10, 128), nn.Tanh(), nn.Linear(128, 2))
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.02)
        for _ in range(150):
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        assert (model(x).argmax(1) == y).all()

    @pytest.mark.parametrize("min_delta", [0.0, 0.15])
    @pytest.mark.parametrize("patience", [1, 2, 4])
    def test_early_stopping_ends_after_patience_epochs_and_restores_the_best(self, patience, min_delta):
        losses = [0.9, float("nan"), 0.5, 0.4, 0.6, 0.45, 0.4, 0.7, 0.2, 0.8, 0.8, 0.8, 0.8, 0.8]
        model = torch.nn.BatchNorm1d(2)
        stop = stopping.EarlyStopping(model, patience, min_delta)
        epoch = best = 0  # by hand
        lowest, ended = float("inf"), None
        for epoch, loss in enumerate(losses, 1):
            model.running_mean.fill_(epoch)
            if loss < lowest - min_delta:
                lowest, best = loss, epoch
            if stop(loss):
                ended = epoch
                break
        assert ended == best + patience and stop.best == lowest
        stop.restore()
        assert model.running_mean.tolist() == [best, best]

    @pytest.mark.parametrize("patience", [0, -1])
    def test_early_stopping_refuses_a_patience_below_one(self, patience):
        with pytest.raises(ValueError, match=f"^patience {patience} is less than 1$"):
            stopping.EarlyStopping(torch.nn.Linear(1, 1), patience)

    def test_early_stopping_keeps_no_tensor_that_the_loop_goes_on_to_change(self):
        stop, loss = stopping.EarlyStopping(torch.nn.Linear(1, 1), patience=1), torch.tensor(1.0)
        assert [stop(loss.mul_(0.5)) for _ in range(4)] == [False] * 4 and stop.best == 1 / 16

    def test_early_stopping_without_an_improvement_restores_the_start(self):
        model = torch.nn.Linear(1, 1)
        start = model.weight.item()
        stop = stopping.EarlyStopping(model, patience=2)
        torch.nn.init.constant_(model.weight, 7)
        assert [stop(float("nan")), stop(float("inf"))] == [False, True]
        stop.restore()
        assert model.weight.item() == start

    def test_argmin_over_kept_losses_returns_the_step_of_a_nan(self):
        assert torch.tensor([3.0, float("nan"), 1.0]).argmin() == 1
