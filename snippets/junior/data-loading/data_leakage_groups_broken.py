import torch

torch.manual_seed(0)
patient = torch.arange(1000).repeat_interleave(5)  # five photos of each
photos = torch.randn(1000, 32)[patient] + 0.3 * torch.randn(5000, 32)
sick = torch.randint(2, (1000,))[patient]  # shows in no photo

by_photo = torch.randperm(5000) < 1000  # which photos are for testing
by_patient = torch.randperm(1000)[patient] < 200
for name, test in (("photos", by_photo), ("patients", by_patient)):
    nearest = torch.cdist(photos[test], photos[~test]).argmin(1)
    right = sick[~test][nearest] == sick[test]
    both = set(patient[test].tolist()) & set(patient[~test].tolist())
    print(f"split by {name:9} accuracy {right.float().mean():.3f}", end="   ")
    print(f"patients in both parts: {len(both)}")
