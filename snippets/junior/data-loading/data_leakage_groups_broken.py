import torch


def nearest_neighbor_accuracy(
    x: torch.Tensor, y: torch.Tensor, train: torch.Tensor, test: torch.Tensor
) -> float:
    """Share of ``test`` rows whose nearest ``train`` row has the same label."""
    nearest = torch.cdist(x[test], x[train]).argmin(dim=1)
    return (y[train][nearest] == y[test]).float().mean().item()


if __name__ == "__main__":
    torch.manual_seed(0)
    patients = 1000
    faces = torch.randn(patients, 32)
    sick = torch.randint(2, (patients,))  # not visible in the face
    patient = torch.arange(patients).repeat_interleave(5)  # five photos of each
    photos = faces[patient] + 0.3 * torch.randn(len(patient), 32)

    by_photo = torch.randperm(len(patient)).split([4000, 1000])
    held_out = torch.isin(patient, torch.randperm(patients)[:200])
    by_patient = (~held_out).nonzero().flatten(), held_out.nonzero().flatten()
    for name, (train, test) in (("photos", by_photo), ("patients", by_patient)):
        accuracy = nearest_neighbor_accuracy(photos, sick[patient], train, test)
        shared = len(set(patient[train].tolist()) & set(patient[test].tolist()))
        both = f"patients in both parts: {shared}"
        print(f"split by {name:9} accuracy {accuracy:.3f}   {both}")
