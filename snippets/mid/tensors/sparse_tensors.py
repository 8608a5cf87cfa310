import torch

torch.sparse.check_sparse_tensor_invariants.enable()
rows, columns, values = [0, 0, 1], [1, 1, 2], [2.0, 5.0, 3.0]
s = torch.sparse_coo_tensor([rows, columns], values, (2, 3))
print("as dense   ", s.to_dense().tolist())
print("values kept", s._nnz(), "and after coalesce()", s.coalesce()._nnz())

dense = torch.zeros(1000, 1000)
dense[::10, ::10] = 1  # 1 % of the elements
coo = dense.to_sparse()
print("dense bytes", dense.nbytes)
print("COO bytes  ", coo.indices().nbytes + coo.values().nbytes)
x = torch.ones(1000, 2)
print("same product", torch.equal(coo @ x, dense @ x), (coo @ x).layout)
