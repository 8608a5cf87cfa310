# /// script
# dependencies = ["torch"]
# ///
print(2)
