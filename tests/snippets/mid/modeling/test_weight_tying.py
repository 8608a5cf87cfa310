"""Every claim of docs/mid/modeling/weight-tying.md, proven beyond the example shown."""

import io

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from warmup.testing import load_snippet

broken = load_snippet("mid/modeling/weight_tying_broken.py")


def is_tied(model):
    return model.head.weight is model.embed.weight


class TestWeightTying:
    @pytest.mark.parametrize(("v", "d"), [(10, 4), (3, 7), (1, 1)])
    def test_a_tied_weight_is_counted_once_and_saved_under_two_names(self, v, d):
        model = broken.Tied(v, d)
        assert sum(p.numel() for p in model.parameters()) == v * d
        assert len(torch.optim.SGD(model.parameters()).param_groups[0]["params"]) == 1
        assert list(model.state_dict()) == ["embed.weight", "head.weight"]
        assert sum(t.numel() for t in model.state_dict().values()) == 2 * v * d
        assert len(list(model.named_parameters(remove_duplicate=False))) == 2

    @pytest.mark.parametrize("sparse", [False, True])
    def test_the_gradient_is_the_sum_and_dense(self, sparse):
        embed, head = nn.Embedding(10, 4, sparse=sparse).double(), nn.Linear(4, 10, bias=False).double()
        head.weight = nn.Parameter(embed.weight.detach().clone())
        tokens = torch.randint(10, (6,))
        cross_entropy(head(embed(tokens).tanh()), tokens).backward()
        total = embed.weight.grad.to_dense() + head.weight.grad
        embed.weight.grad = None
        head.weight = embed.weight
        cross_entropy(head(embed(tokens).tanh()), tokens).backward()
        assert embed.weight.grad.layout == torch.strided
        torch.testing.assert_close(embed.weight.grad, total)

    @pytest.mark.parametrize("name", broken.CHANGES)
    def test_tie_restores_what_a_change_ended(self, name):
        model = broken.Tied()
        out = broken.CHANGES[name](model)
        model = out if isinstance(out, broken.Tied) else model
        assert is_tied(model) == (name in {"deepcopy of the model", "double()", "load_state_dict"})
        model.tie()
        assert is_tied(model) and len(list(model.parameters())) == 1

    def test_two_parameters_of_one_memory_get_both_updates(self):
        model = broken.Tied()
        broken.share_data(model)
        before = model.embed.weight.detach().clone()
        for p in model.parameters():
            p.grad = torch.ones_like(p)
        torch.optim.SGD(model.parameters(), lr=0.1).step()
        torch.testing.assert_close(model.embed.weight.detach(), before - 0.2)
        assert model.embed.weight.data_ptr() == model.head.weight.data_ptr()

    @pytest.mark.parametrize(
        ("optimizer", "same"),
        [
            (lambda p: torch.optim.SGD(p, 0.1), True),
            (lambda p: torch.optim.SGD(p, 0.1, momentum=0.9), True),
            (lambda p: torch.optim.SGD(p, 0.1, weight_decay=0.1), False),
            (lambda p: torch.optim.Adam(p, 0.1), False),
            (lambda p: torch.optim.AdamW(p, 0.1), False),
        ],
    )
    def test_shared_memory_trains_as_tied_with_sgd_without_decay_only(self, optimizer, same):
        ends = []
        for share in (False, True):
            torch.manual_seed(0)
            model = broken.Tied().double()
            if share:
                broken.share_data(model)
            steps = optimizer(model.parameters())
            for _ in range(3):
                tokens = torch.arange(10)
                steps.zero_grad()
                cross_entropy(model.head(model.embed(tokens).tanh()), tokens.roll(1)).backward()
                steps.step()
            ends.append(model.embed.weight.detach())
        assert torch.allclose(*ends, rtol=0, atol=1e-12) == same

    @pytest.mark.parametrize(("limit", "same"), [(1e3, True), (0.1, False), (0.01, False)])
    def test_with_clipping_shared_memory_trains_otherwise_than_tied_with_sgd(self, limit, same):
        ends = []
        for share in (False, True):
            torch.manual_seed(0)
            model = broken.Tied().double()
            if share:
                broken.share_data(model)
            tokens = torch.arange(10)
            cross_entropy(model.head(model.embed(tokens).tanh()), tokens.roll(1)).backward()
            nn.utils.clip_grad_norm_(model.parameters(), limit)
            torch.optim.SGD(model.parameters(), 1.0).step()
            ends.append(model.embed.weight.detach())
        assert torch.allclose(*ends, rtol=0, atol=1e-12 if same else 1e-4) == same

    @pytest.mark.parametrize("v", [3, 10])
    def test_a_loaded_state_assigned_gives_two_parameters_of_one_memory(self, v):
        torch.save(broken.Tied(v).state_dict(), file := io.BytesIO())
        file.seek(0)
        model = broken.Tied(v)
        model.load_state_dict(torch.load(file), assign=True)
        assert not is_tied(model) and model.head.weight.data_ptr() == model.embed.weight.data_ptr()

    def test_a_model_built_on_meta_is_tied_until_to_empty(self):
        with torch.device("meta"):
            model = broken.Tied()
        assert is_tied(model)
        assert not is_tied(model.to_empty(device="cpu"))

    @pytest.mark.parametrize("d", [16, 100])
    def test_the_root_of_the_width_gives_the_lookup_variance_one(self, d):
        embed = nn.Embedding(400, d)
        nn.init.normal_(embed.weight, std=d**-0.5)
        assert (embed(torch.arange(400)) * d**0.5).std().item() == pytest.approx(1, rel=0.05)

    @pytest.mark.parametrize(("e", "d"), [(3, 8), (5, 2)])
    def test_another_width_of_the_embedding_fails_in_forward_and_two_projections_fit_it(self, e, d):
        embed, head = nn.Embedding(10, e), nn.Linear(d, 10, bias=False)
        head.weight = embed.weight
        with pytest.raises(RuntimeError, match="cannot be multiplied"):
            head(torch.randn(4, d))
        model = nn.Sequential(embed, nn.Linear(e, d), nn.Tanh(), nn.Linear(d, e), head)
        assert model(torch.arange(4)).shape == (4, 10)

    def test_an_optimizer_built_before_holds_the_old_weight_and_does_not_load_afterwards(self):
        embed, head = nn.Embedding(5, 2), nn.Linear(2, 5, bias=False)
        model = nn.ModuleList([embed, head])
        early = torch.optim.Adam(model.parameters())
        head.weight = embed.weight
        head(embed(torch.tensor([1]))).sum().backward()
        assert [p.grad is None for p in early.param_groups[0]["params"]] == [False, True]
        late = torch.optim.Adam(model.parameters())
        with pytest.raises(ValueError, match="doesn't match the size"):
            late.load_state_dict(early.state_dict())

    def test_saving_writes_the_memory_once_and_a_strict_load_wants_both_names(self):
        def size(state):
            torch.save(state, file := io.BytesIO())
            return file.getbuffer().nbytes

        state = broken.Tied(1000, 16).state_dict()
        assert size(state) < 1.2 * 64000 < size({k: t.clone() for k, t in state.items()})
        with pytest.raises(RuntimeError, match=r"head\.weight"):
            broken.Tied().load_state_dict({"embed.weight": torch.zeros(10, 4)})

    @pytest.mark.parametrize("d", [16, 256])
    def test_the_deviation_of_the_logits_is_the_root_of_the_width(self, d):
        logits = torch.randn(500, d) @ nn.Embedding(400, d).weight.mT
        assert logits.std().item() == pytest.approx(d**0.5, rel=0.1)
        assert (logits / d**0.5).std().item() == pytest.approx(1, rel=0.1)

    @pytest.mark.parametrize("masked", [False, True])
    def test_the_output_layer_moves_the_row_of_padding_idx_unless_its_logit_is_masked(self, masked):
        embed, head = nn.Embedding(5, 3, padding_idx=0), nn.Linear(3, 5, bias=False)
        cross_entropy(head(embed(torch.tensor([0, 1]))), torch.tensor([2, 3])).backward()
        assert not embed.weight.grad[0].any()
        head.weight = embed.weight
        steps = torch.optim.AdamW(embed.parameters(), 0.1)
        for _ in range(2):
            logits = head(embed(torch.tensor([0, 1])))
            if masked:
                logits = logits.masked_fill(torch.arange(5) == 0, -torch.inf)
            steps.zero_grad()
            cross_entropy(logits, torch.tensor([2, 3])).backward()
            steps.step()
        assert embed.weight[0].any() != masked

    def test_tying_to_the_weight_of_the_output_layer_replaces_the_row_of_zeros(self):
        embed, head = nn.Embedding(5, 3, padding_idx=0), nn.Linear(3, 5, bias=False)
        assert not embed.weight[0].any()
        embed.weight = head.weight
        assert embed.weight[0].all()

    def test_the_matrix_of_the_smallest_gpt_2_has_38_6_million_weights(self):
        assert round(50257 * 768 / 1e6, 1) == 38.6

    def test_defaults_of_the_class(self):
        assert broken.Tied().embed.weight.shape == (10, 4)
