import torch

LEAKS = (
    "columns chosen on all rows",
    "a patient on both sides",
    "label among inputs",
)


class Study:
    """Five photos of each of 300 patients; the disease shows in none of them."""

    def __init__(self, seed: int = 0) -> None:
        torch.manual_seed(seed)
        self.patient = torch.arange(300).repeat_interleave(5)
        self.sick = torch.randint(2, (300,))
        faces = torch.randn(300, 32)
        self.photos = faces[self.patient] + 0.3 * torch.randn(1500, 32)
        self.noise = torch.randn(300, 20000)  # measured once per patient

    def score(self, leak: str, y: torch.Tensor) -> float:
        """Test accuracy of the pipeline with one of LEAKS, on labels y (1500,)."""
        x, rows = self.photos, torch.arange(1500)  # split by patient, but
        if leak == LEAKS[0]:
            x, y, rows = self.noise, y[::5], torch.arange(300)
            gap = x[y == 1].mean(0) - x[y == 0].mean(0)
            x = x[:, gap.abs().topk(50).indices]
        elif leak == LEAKS[1]:
            rows = torch.randperm(1500)
        else:
            x = torch.cat([x, 100.0 * self.sick[self.patient].unsqueeze(1)], dim=1)
        train, test = rows[: len(rows) * 4 // 5], rows[len(rows) * 4 // 5 :]
        nearest = torch.cdist(x[test], x[train]).argmin(dim=1)
        return (y[train][nearest] == y[test]).float().mean().item()


if __name__ == "__main__":
    study = Study()
    labels = {
        "true labels": study.sick[study.patient],
        "rows shuffled": study.sick[study.patient][torch.randperm(1500)],
        "patients shuffled": study.sick[torch.randperm(300)][study.patient],
    }
    print(f"{'leak':27}" + "".join(f"{name:>19}" for name in labels))
    for leak in LEAKS:
        found = "".join(f"{study.score(leak, y):19.2f}" for y in labels.values())
        print(f"{leak:27}{found}")
