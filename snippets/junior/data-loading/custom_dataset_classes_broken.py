def number(folders):
    return {name: i for i, name in enumerate(sorted(set(folders)))}


train = ["bird", "cat", "cat", "dog"]  # the folder of each image
val = ["cat", "dog", "dog", "dog"]
print("train:", number(train))
print("val:  ", number(val))

predictions = [number(train)[name] for name in val]  # a perfect model
for split, names in (("val", val), ("train", train)):
    labels = [number(names)[name] for name in val]
    right = sum(a == b for a, b in zip(predictions, labels))
    print(f"numbers from {split}: {right} of 4 right")
