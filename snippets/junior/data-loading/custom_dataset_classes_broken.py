import tempfile
from pathlib import Path


def classes_in(root: Path) -> dict[str, int]:
    """The label of each class, numbered in the order of the folders' names."""
    return {
        folder.name: label for label, folder in enumerate(sorted(root.iterdir()))
    }


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        files = {
            "train": ["bird", "cat", "cat", "dog"],
            "val": ["cat", "dog", "dog", "dog"],
        }
        for split, names in files.items():
            for name in names:
                Path(folder, split, name).mkdir(parents=True, exist_ok=True)
        train, val = (classes_in(Path(folder, split)) for split in files)
        print(f"train: {train}")
        print(f"val:   {val}")
        predictions = [train[name] for name in files["val"]]
        for source, labels in (("val folder", val), ("train folder", train)):
            correct = sum(
                labels[name] == label
                for name, label in zip(files["val"], predictions)
            )
            score = f"{correct} of {len(predictions)}"
            print(
                f"labels from the {source:12}: a perfect model gets {score} right"
            )
