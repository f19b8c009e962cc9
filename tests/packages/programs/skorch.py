"""Classifiers and regressors of scikit-learn: fit, grid search, callbacks, checkpoints, saving and loading."""
# requires: skorch==1.4.0 scikit-learn==1.9.1

import json
import pickle
import tempfile
from pathlib import Path

import numpy as np
import torch
from sklearn.datasets import make_classification, make_regression
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from skorch import NeuralNetBinaryClassifier, NeuralNetClassifier, NeuralNetRegressor
from skorch.callbacks import Checkpoint, EarlyStopping, EpochScoring, Freezer, GradientNormClipping, LRScheduler
from skorch.dataset import ValidSplit
from skorch.helper import SliceDataset

X, y = make_classification(200, 12, n_informative=6, random_state=0)
X, y = X.astype(np.float32), y.astype(np.int64)


class Network(torch.nn.Module):
    def __init__(self, units=10, outputs=2, dropout=0.0):
        super().__init__()
        self.hidden = torch.nn.Linear(12, units)
        self.dropout = torch.nn.Dropout(dropout)
        self.output = torch.nn.Linear(units, outputs)

    def forward(self, X):
        return self.output(self.dropout(torch.relu(self.hidden(X))))


def classifier(**options):
    torch.manual_seed(0)
    options = {"max_epochs": 4, "lr": 0.1, "train_split": ValidSplit(5), "verbose": 0} | options
    return NeuralNetClassifier(Network, criterion=torch.nn.CrossEntropyLoss, **options)


found = {}
net = classifier(optimizer=torch.optim.Adam, optimizer__weight_decay=1e-3, lr=0.01).fit(X, y)
found["losses"] = net.history[:, ("train_loss", "valid_loss", "valid_acc")]
found["probabilities"] = net.predict_proba(X[:5]).tolist()
net.partial_fit(X, y)
found["epochs"] = len(net.history)

# Callbacks: a schedule, clipping, a score of scikit-learn, a stop, the best epoch kept, a layer that is frozen.
with tempfile.TemporaryDirectory() as folder:
    net = classifier(
        max_epochs=8,
        callbacks=[
            LRScheduler("StepLR", step_size=2, gamma=0.5),
            GradientNormClipping(1.0),
            EpochScoring("roc_auc", lower_is_better=False),
            EarlyStopping(patience=3),
            Checkpoint(dirname=folder, monitor="valid_loss_best"),
            Freezer("hidden.*"),
        ],
    ).fit(X, y)
    found["callbacks"] = net.history[:, ("train_loss", "roc_auc", "event_lr")]
    other = classifier().initialize()
    other.load_params(checkpoint=Checkpoint(dirname=folder, monitor="valid_loss_best"))
    found["checkpoint"] = other.predict_proba(X[:3]).tolist()
    files = {name: Path(folder, name) for name in ("f_params", "f_optimizer", "f_history")}
    net.save_params(**files)
    other.initialize().load_params(**files)
    found["loaded"] = other.partial_fit(X, y).history[-1, "train_loss"]
    found["pickled"] = pickle.loads(pickle.dumps(net)).predict_proba(X[:3]).tolist()

# Searches of scikit-learn: the net is cloned, its parameters are set by name.
search = GridSearchCV(
    Pipeline([("scale", StandardScaler()), ("net", classifier(train_split=False, max_epochs=2))]),
    {"net__lr": [0.01, 0.1], "net__module__units": [4, 8], "net__optimizer__momentum": [0.0, 0.9]},
    cv=2,
    scoring="accuracy",
    refit=False,
)
torch.manual_seed(1)
search.fit(X, y)
found["search"] = [float(each) for each in search.cv_results_["mean_test_score"]]
torch.manual_seed(2)
found["slices"] = cross_val_predict(
    classifier(train_split=False),
    SliceDataset(torch.utils.data.TensorDataset(torch.tensor(X), torch.tensor(y))),
    y,
    cv=2,
)[:10].tolist()

# Regression, and two classes by one output.
inputs, targets = make_regression(100, 12, n_informative=4, random_state=0)
inputs, targets = inputs.astype(np.float32), (targets[:, None] / 100).astype(np.float32)
torch.manual_seed(0)
net = NeuralNetRegressor(Network, module__outputs=1, module__dropout=0.2, max_epochs=3, lr=0.05, verbose=0)
found["regressor"] = net.fit(inputs, targets).history[:, "train_loss"]
found["predicted"] = net.predict(inputs[:4]).flatten().tolist()
torch.manual_seed(0)
net = NeuralNetBinaryClassifier(Network, module__outputs=1, max_epochs=3, lr=0.1, verbose=0)
found["binary"] = net.fit(X, y.astype(np.float32)).history[:, "valid_loss"]
print(json.dumps(found))
