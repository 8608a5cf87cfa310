"""Every claim that docs/mid/modeling/lazy-modules.md makes, proven beyond the example shown."""

import copy
import io
import pickle

import pytest
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.optim.swa_utils import AveragedModel

from warmup.testing import load_snippet

materialize = load_snippet("mid/modeling/lazy_modules_materialize.py").materialize


def lazy() -> nn.Sequential:
    return nn.Sequential(nn.LazyConv2d(4, 3), nn.LazyBatchNorm2d(), nn.ReLU(), nn.Flatten(), nn.LazyLinear(2))


class TestLazyModules:
    def test_the_first_forward_makes_plain_layers_of_the_same_parameter_objects(self):
        model = lazy()
        objects = list(model.parameters())
        model(torch.randn(2, 3, 8, 8))
        assert [type(layer) for layer in model] == [nn.Conv2d, nn.BatchNorm2d, nn.ReLU, nn.Flatten, nn.Linear]
        assert all(a is b for a, b in zip(objects, model.parameters(), strict=True))
        assert model[4].in_features == 4 * 6 * 6

    @pytest.mark.parametrize(
        "use",
        [lambda p: p.numel(), nn.init.zeros_, lambda p: p.requires_grad_(False), lambda p: p.shape],
    )
    def test_a_parameter_without_a_shape_refuses(self, use):
        weight = nn.LazyLinear(3).weight
        with pytest.raises((ValueError, RuntimeError), match="uninitialized"):
            use(weight)

    @pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "RMSprop", "NAdam", "Adadelta", "Adamax", "Rprop"])
    def test_an_optimizer_that_makes_its_state_late_trains_what_it_got_too_early(self, name):
        layer = nn.LazyLinear(3)
        optimizer = getattr(torch.optim, name)(layer.parameters(), lr=0.1)
        layer(torch.randn(4, 5)).square().sum().backward()
        before = layer.weight.detach().clone()
        optimizer.step()
        assert (layer.weight != before).all()

    @pytest.mark.parametrize("name", ["Adagrad", "Muon"])
    def test_an_optimizer_that_looks_at_its_parameters_refuses_before_and_not_after(self, name):
        layer = nn.LazyLinear(3, bias=False)
        with pytest.raises(ValueError):
            getattr(torch.optim, name)(layer.parameters(), lr=0.1)
        materialize(layer, torch.zeros(1, 5))
        getattr(torch.optim, name)(layer.parameters(), lr=0.1)

    def test_a_weight_without_a_shape_has_one_dimension_so_a_grouping_by_ndim_errs_quietly(self):
        for layer, x in ((nn.LazyLinear(3), torch.zeros(1, 5)), (nn.LazyConv2d(3, 1), torch.zeros(1, 2, 4, 4))):
            assert layer.weight.ndim == 1
            assert materialize(layer, x).weight.ndim == x.ndim

    def test_a_lazy_batch_norm_refuses_a_copy(self):
        with pytest.raises(ValueError, match="uninitialized"):
            copy.deepcopy(nn.LazyBatchNorm1d())

    def test_copies_made_before_differ_and_copies_made_after_do_not(self):
        model = nn.Sequential(nn.LazyConv2d(4, 3), nn.Flatten(), nn.LazyLinear(2))
        early = copy.deepcopy(model)
        x = torch.zeros(1, 3, 8, 8)
        materialize(model, x)
        materialize(early, x)
        assert not torch.equal(model[0].weight, early[0].weight)
        assert torch.equal(model[0].weight, copy.deepcopy(model)[0].weight)

    def test_ddp_refuses(self):
        dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
        try:
            with pytest.raises(RuntimeError, match="dummy forward"):
                DistributedDataParallel(nn.LazyLinear(3))
        finally:
            dist.destroy_process_group()

    def test_a_layer_keeps_its_own_dtype_and_to_before_the_dry_run_sets_it(self):
        x = torch.zeros(1, 5, dtype=torch.float64)
        with pytest.raises(RuntimeError, match="dtype"):
            nn.LazyLinear(3)(x)
        layer = nn.LazyLinear(3).to(torch.float64)
        assert layer(x).dtype == layer.weight.dtype == torch.float64

    def test_a_checkpoint_with_shapes_loads_without_a_dry_run_and_not_the_other_way(self):
        plain, layer = nn.Linear(5, 3), nn.LazyLinear(3)
        layer.load_state_dict(plain.state_dict())
        x = torch.randn(2, 5)
        assert torch.equal(layer(x), plain(x)) and type(layer) is nn.Linear
        with pytest.raises(RuntimeError, match="uninitialized"):
            plain.load_state_dict(nn.LazyLinear(3).state_dict())

    def test_a_saved_state_without_shapes_does_not_load_by_default(self):
        file = io.BytesIO()
        torch.save(nn.LazyLinear(3).state_dict(), file)
        file.seek(0)
        with pytest.raises(pickle.UnpicklingError, match="UninitializedParameter"):
            torch.load(file)

    @pytest.mark.parametrize(("mode", "trains"), [(torch.no_grad, True), (torch.inference_mode, False)])
    @pytest.mark.parametrize("second", [lambda: nn.LazyConv1d(3, 1), lambda: nn.LazyBatchNorm1d()])
    def test_a_dry_run_in_inference_mode_leaves_weights_that_autograd_cannot_save(self, mode, trains, second):
        model, x = nn.Sequential(nn.LazyConv1d(2, 1), second()).eval(), torch.randn(4, 5, 6)
        with mode():
            model(x)
        assert all(p.requires_grad and p.is_inference() != trains for p in model.parameters())
        model.train()
        if trains:
            model(x).sum().backward()
        else:
            with pytest.raises(RuntimeError, match="Inference tensors cannot be saved"):
                model(x).sum().backward()

    def test_freezing_a_whole_lazy_model_refuses(self):
        with pytest.raises(ValueError, match="uninitialized"):
            nn.Sequential(nn.LazyLinear(3)).requires_grad_(False)

    def test_an_averaged_model_made_too_early_starts_elsewhere(self):
        model, x = nn.LazyLinear(3), torch.ones(1, 5)
        early = AveragedModel(model)
        model(x), early(x)
        assert not torch.equal(model.weight, early.module.weight)
        assert torch.equal(model.weight, AveragedModel(model).module.weight)

    @pytest.mark.parametrize("build", [lambda: nn.LazyLinear(3), lambda: nn.Sequential(nn.LazyLinear(4), nn.ReLU())])
    def test_an_averaged_model_made_too_early_cannot_be_updated_until_it_has_run(self, build):
        model, x = build(), torch.ones(1, 5)
        early = AveragedModel(model)
        model(x)
        with pytest.raises(ValueError, match="uninitialized"):
            early.update_parameters(model)
        early(x)
        early.update_parameters(model)  # the first update copies
        assert all(torch.equal(a, b) for a, b in zip(model.parameters(), early.module.parameters(), strict=True))

    @pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
    def test_the_same_seed_gives_the_weights_of_an_explicit_model_built_in_the_dtype_of_the_draw(self, dtype):
        def seeded(build):
            torch.manual_seed(3)
            return build()

        model = nn.Sequential(nn.LazyLinear(64), nn.LazyLinear(3)).to(dtype)
        seeded(lambda: materialize(model, torch.zeros(1, 50, dtype=dtype)))
        built = seeded(lambda: nn.Sequential(nn.Linear(50, 64, dtype=dtype), nn.Linear(64, 3, dtype=dtype)))
        moved = seeded(lambda: nn.Sequential(nn.Linear(50, 64), nn.Linear(64, 3))).to(dtype)
        assert all(torch.equal(a, b) for a, b in zip(model.parameters(), built.parameters(), strict=True))
        if dtype == torch.float64:
            assert not torch.equal(model[0].weight, moved[0].weight)

    @pytest.mark.parametrize("rate", [0.1, 0.5])
    @pytest.mark.parametrize("train", [False, True])
    def test_dropout_in_train_mode_moves_the_generator_of_a_dry_run(self, rate, train):
        torch.manual_seed(3)
        explicit = nn.Sequential(nn.Linear(5, 4), nn.Dropout(rate), nn.Linear(4, 3))
        torch.manual_seed(3)
        model = nn.Sequential(nn.LazyLinear(4), nn.Dropout(rate), nn.LazyLinear(3)).train(train)
        model(torch.zeros(1, 5))
        assert torch.equal(model[2].weight, explicit[2].weight) != train

    @pytest.mark.parametrize("build", [lambda: nn.LazyLinear(3), lambda: nn.LazyConv1d(3, 2)])
    def test_the_method_bfloat16_refuses_where_to_works(self, build):
        assert build().to(torch.bfloat16).weight.dtype == torch.bfloat16 and build().half().bias.dtype == torch.float16
        with pytest.raises(ValueError, match="uninitialized"):
            build().bfloat16()

    @pytest.mark.parametrize(("build", "shape"), [(nn.LazyConv1d, (2, 3, 8)), (nn.LazyConv2d, (2, 3, 8, 8))])
    def test_a_lazy_convolution_on_the_cpu_takes_a_meta_input_and_its_memory(self, build, shape):
        layer = build(4, 3)
        assert layer(torch.empty(shape, device="meta")).device.type == "meta"
        assert layer.weight.device.type == "cpu" and layer.weight.numel() > 0

    @pytest.mark.parametrize("assign", [False, True])
    def test_a_loaded_checkpoint_gives_shapes_and_the_first_forward_the_class(self, assign):
        plain, layer = nn.Linear(5, 3), nn.LazyLinear(3)
        layer.load_state_dict(plain.state_dict(), assign=assign)
        assert layer.weight.shape == (3, 5) and type(layer) is nn.LazyLinear
        layer(torch.zeros(1, 5))
        assert type(layer) is nn.Linear and torch.equal(layer.weight, plain.weight)

    def test_a_lazy_batch_norm_without_running_statistics_can_be_copied(self):
        copy.deepcopy(nn.LazyBatchNorm1d(track_running_stats=False))

    def test_materialize_keeps_modes_statistics_and_gradients(self):
        model = lazy().train()
        model[1].eval()
        assert materialize(model, torch.ones(1, 3, 8, 8)) is model
        assert [layer.training for layer in model] == [True, False, True, True, True] and model.training
        assert model[1].num_batches_tracked == 0 and not model[1].running_mean.any()
        assert all(p.requires_grad and p.grad is None for p in model.parameters())

    def test_materialize_names_what_was_not_reached_and_restores_modes_after_an_error(self):
        class Skips(nn.Module):
            def __init__(self):
                super().__init__()
                self.used, self.unused = nn.LazyLinear(2), nn.LazyBatchNorm1d()

            def forward(self, x):
                return self.used(x)

        with pytest.raises(RuntimeError, match="unused.weight, unused.bias, unused.running_mean"):
            materialize(Skips(), torch.ones(1, 3))
        model = lazy()
        with pytest.raises(RuntimeError):
            materialize(model, torch.ones(1, 1, 1, 3, 8, 8))
        assert all(layer.training for layer in model)
        plain = nn.Linear(2, 2).eval()
        assert not materialize(plain, torch.ones(1, 2)).training

    def test_a_dry_run_in_train_mode_moves_the_statistics(self):
        model = lazy().train()
        with torch.no_grad():
            model(torch.ones(2, 3, 8, 8))
        assert model[1].num_batches_tracked == 1 and model[1].running_mean.any()

    @pytest.mark.parametrize("mixed", [False, True])
    def test_the_same_seed_gives_the_same_weights_if_all_layers_are_lazy(self, mixed):
        torch.manual_seed(3)
        explicit = nn.Sequential(nn.Linear(5, 4), nn.Linear(4, 3))
        torch.manual_seed(3)
        model = nn.Sequential(nn.LazyLinear(4), nn.Linear(4, 3) if mixed else nn.LazyLinear(3))
        materialize(model, torch.zeros(1, 5))
        assert torch.equal(model[0].weight, explicit[0].weight) != mixed

    def test_meta_needs_the_whole_model_there(self):
        with torch.device("meta"):
            model = lazy()
        assert model(torch.empty(2, 3, 8, 8, device="meta")).shape == (2, 2)
        with pytest.raises(RuntimeError, match="meta"):
            lazy()(torch.empty(2, 3, 8, 8, device="meta"))

    def test_another_number_of_features_raises_later(self):
        layer = nn.LazyLinear(3)
        layer(torch.ones(1, 6))
        with pytest.raises(RuntimeError, match="shapes"):
            layer(torch.ones(1, 5))

    def test_freezing_by_the_attribute_lasts_and_by_the_method_raises(self):
        layer = nn.LazyLinear(3)
        for parameter in layer.parameters():
            parameter.requires_grad = False
        layer(torch.ones(1, 2))
        frozen = [parameter.requires_grad for parameter in layer.parameters()]
        assert frozen == [False, False]
        with pytest.raises(ValueError, match="uninitialized"):
            nn.LazyLinear(3).requires_grad_(False)
