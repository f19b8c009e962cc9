# right: len(shown) == 5
import torch


def show(model, x):
    prediction = model(x)
    return prediction.numpy()  # <- error
    # then: return prediction.detach().numpy()


shown = show(torch.nn.Linear(2, 1), torch.ones(5, 2))
# said: prediction.detach().numpy()
