# right: out.tolist() == [6.0, 15.0]
# said: If all samples share `weights`
import torch


def predict(weights, x):
    return weights @ x


weights = torch.ones(3)
out = torch.vmap(predict)(weights, torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))  # <- error
# instead: out = torch.vmap(predict, in_dims=(None, 0))(weights, torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
