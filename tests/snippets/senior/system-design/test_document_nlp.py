"""What docs/senior/system-design/document-nlp.md claims, proven beyond the example shown."""

import pytest
import torch
from torch import nn

from warmup.testing import load_snippet

budget = load_snippet("senior/system-design/document_nlp.py")
resume = load_snippet("senior/system-design/document_nlp_resume_broken.py")
long = load_snippet("senior/system-design/document_nlp_long_broken.py")


class TestDocuments:
    def test_the_rows_and_their_sum(self):
        assert [round(count, 2) for count in budget.gpus.values()] == [0.11, 0.66, 0.70, 2.81]
        assert round(sum(budget.gpus.values()), 2) == 4.28
        assert budget.gpus["extract, hardest 10%"] / budget.HARD == pytest.approx(7.02, abs=0.005)

    def test_a_day_has_20_million_vectors_of_30_7_gb_and_58_documents_a_second(self):
        assert budget.DOCS * budget.chunks == 20_000_000
        assert budget.day == 20_000_000 * 768 * 2 == 30.72e9
        assert round(budget.DOCS / 86_400) == 58
        assert round(budget.LARGE / budget.ENCODER) == 73
        assert budget.DOCS * budget.encoded * 4 == pytest.approx(34e9, rel=0.01)

    def test_re_ranking_costs_six_times_what_encoding_does(self):
        assert budget.gpus["re-rank 100 chunks"] / budget.gpus["encode every chunk"] == pytest.approx(6, abs=0.1)

    def test_the_chunks_of_the_budget_are_those_of_the_cutter(self):
        chunks = long.windows(budget.TOKENS)
        assert len(chunks) == budget.chunks
        assert sum(len(chunk) for chunk in chunks) == budget.encoded

    def test_a_year_is_encoded_in_40_days_of_one_gpu(self):
        assert round(365 * budget.gpus["encode every chunk"]) == 40

    @pytest.mark.parametrize(("load", "times"), [(0.75, 3), (0.9, 9)])
    def test_a_queue_is_worked_off_in_load_over_the_rest(self, load, times):
        outage = 6.0
        lag = outage * load  # work that has arrived, in hours of all workers
        assert lag / (1 - load) == pytest.approx(times * outage)


def worst(policy):
    writes = sum(1 for _ in resume.work(resume.Store(), policy))
    found = [resume.faults(resume.crash(policy, after)) for after in range(writes + 1)]
    return tuple(max(column) for column in zip(*found, strict=True))


OTHER = [("x", ["1", "2"]), ("y", ["3"]), ("y", ["4", "5", "6"]), ("x", ["7"]), ("z", [])]


class TestResume:
    @pytest.mark.parametrize("log", [resume.LOG, OTHER])
    def test_only_replacing_a_document_has_no_fault_at_any_crash(self, monkeypatch, log):
        monkeypatch.setattr(resume, "LOG", log)
        assert worst("commit first")[0] > 0
        assert worst("append")[0] == 0 < worst("append")[1]
        assert worst("upsert")[:2] == (0, 0) and worst("upsert")[2] > 0
        assert worst("replace") == (0, 0, 0)

    def test_an_upsert_leaves_old_text_without_a_crash(self):
        store = resume.Store()
        for _ in resume.work(store, "upsert"):
            pass
        assert ("a", 2, "a three") in store.rows and resume.faults(store) == (0, 0, 2)

    def test_if_no_version_is_shorter_an_upsert_suffices(self, monkeypatch):
        monkeypatch.setattr(resume, "LOG", [("a", ["1"]), ("b", ["2"]), ("a", ["3", "4"])])
        assert worst("upsert") == (0, 0, 0)

    @pytest.mark.parametrize("policy", ["upsert", "replace"])
    def test_a_dead_letter_that_is_replayed_late_brings_old_text_back(self, monkeypatch, policy):
        monkeypatch.setattr(resume, "LOG", [("a", ["new"]), ("a", ["old one", "old two"])])
        store = resume.Store()
        for _ in resume.work(store, policy):
            pass
        assert [text for _, _, text in store.rows] == ["old one", "old two"]

    @pytest.mark.parametrize(("bad", "stuck"), [("b", 1), ("c", 3)])
    def test_a_poison_document_stops_all_behind_it_unless_attempts_are_limited(self, bad, stuck):
        assert resume.poisoned(bad, None).offset == stuck
        limited = resume.poisoned(bad, 3)
        assert limited.offset == len(resume.LOG) and limited.dead == [bad]


class TestLong:
    @pytest.mark.parametrize("size", [16, 512])
    def test_one_token_too_many_fails_the_whole_batch(self, size):
        table = nn.Embedding(size, 4)
        assert table(torch.arange(size).expand(32, -1)).shape == (32, size, 4)
        with pytest.raises(IndexError, match="out of range"):
            table(torch.arange(size + 1).expand(32, -1))

    @pytest.mark.parametrize(("length", "size", "overlap"), [(1500, 512, 64), (300, 50, 7), (101, 20, 0), (40, 64, 8)])
    def test_a_span_of_one_more_than_the_overlap_is_whole_somewhere_and_a_longer_one_may_not(
        self, length, size, overlap
    ):
        chunks = long.windows(length, size, overlap)
        assert sorted({place for chunk in chunks for place in chunk}) == list(range(length))
        assert max(len(chunk) for chunk in chunks) <= size
        assert long.cut(length, overlap + 1, chunks) == 0
        assert (long.cut(length, overlap + 2, chunks) > 0) is (len(chunks) > 1)

    def test_without_overlap_128_of_1436_are_cut(self):
        assert long.cut(1500, 65, long.windows(1500, overlap=0)) == 128
