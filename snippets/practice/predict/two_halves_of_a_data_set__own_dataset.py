from torch.utils.data import Dataset, random_split


class Images(Dataset):
    augment = True

    def __len__(self):
        return 10

    def __getitem__(self, index):
        return "augmented" if self.augment else "plain"


train, val = random_split(Images(), [8, 2])
val.dataset = Images()
val.dataset.augment = False
print(train[0], val[0])
