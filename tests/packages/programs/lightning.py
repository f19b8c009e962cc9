"""Lightning: Trainer on the CPU with metrics, checkpoints, early stopping, resuming, accumulation, and Fabric."""
# requires: lightning==2.6.6 torchmetrics==1.9.0

import json
import logging
import tempfile
import warnings
from pathlib import Path

import lightning as L
import torch
import torchmetrics
from lightning.fabric import Fabric
from lightning.pytorch.callbacks import (
    Callback,
    EarlyStopping,
    GradientAccumulationScheduler,
    LearningRateMonitor,
    ModelCheckpoint,
    StochasticWeightAveraging,
)
from lightning.pytorch.loggers import CSVLogger
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
warnings.simplefilter("ignore")
found = {}
generator = torch.Generator().manual_seed(0)
features = torch.randn(64, 6, generator=generator)
labels = (features[:, 0] > 0).long() + (features[:, 1] > 0.5).long()


class Data(L.LightningDataModule):
    def setup(self, stage):
        self.train = TensorDataset(features[:48], labels[:48])
        self.held_out = TensorDataset(features[48:], labels[48:])

    def train_dataloader(self):
        return DataLoader(self.train, batch_size=8)

    def val_dataloader(self):
        return DataLoader(self.held_out, batch_size=8)

    test_dataloader = predict_dataloader = val_dataloader


class Classifier(L.LightningModule):
    def __init__(self, hidden=8, rate=0.05):
        super().__init__()
        self.save_hyperparameters()
        self.network = nn.Sequential(nn.Linear(6, hidden), nn.Tanh(), nn.Linear(hidden, 3))
        self.accuracy = torchmetrics.Accuracy("multiclass", num_classes=3)
        with torch.no_grad():
            for parameter in self.parameters():
                parameter.copy_(torch.randn(parameter.shape, generator=torch.Generator().manual_seed(7)) * 0.4)

    def forward(self, batch):
        return self.network(batch)

    def training_step(self, batch, index):
        loss = nn.functional.cross_entropy(self(batch[0]), batch[1])
        self.log("train_loss", loss, on_step=True, on_epoch=True)
        return loss

    def validation_step(self, batch, index):
        logits = self(batch[0])
        self.accuracy(logits, batch[1])
        self.log("val_accuracy", self.accuracy, on_epoch=True)
        self.log("val_loss", nn.functional.cross_entropy(logits, batch[1]), prog_bar=True)

    test_step = validation_step

    def predict_step(self, batch, index):
        return self(batch[0]).argmax(1)

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=self.hparams.rate)
        return {
            "optimizer": optimizer,
            "lr_scheduler": {
                "scheduler": torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 8),
                "interval": "epoch",
            },
        }


class Manual(Classifier):
    def __init__(self, **named):
        super().__init__(**named)
        self.automatic_optimization = False

    def training_step(self, batch, index):
        optimizer = self.optimizers()
        loss = nn.functional.cross_entropy(self(batch[0]), batch[1])
        optimizer.zero_grad()
        self.manual_backward(loss)
        self.clip_gradients(optimizer, 0.5, "norm")
        optimizer.step()
        self.log("train_loss", loss)


class Losses(Callback):
    def __init__(self):
        self.seen = []

    def on_train_batch_end(self, trainer, module, outputs, batch, index):
        self.seen.append(float(outputs["loss"]) if outputs else float(trainer.callback_metrics["train_loss"]))


def trainer(folder, *callbacks, **named):
    settings = {"logger": False, "enable_progress_bar": False, "enable_model_summary": False, "accelerator": "cpu"}
    return L.Trainer(default_root_dir=folder, callbacks=list(callbacks), **settings | named)


def weights(module):
    return sum(parameter.abs().sum().item() for parameter in module.parameters())


def fit(folder):
    losses, rates = Losses(), LearningRateMonitor()
    keep = ModelCheckpoint(folder, monitor="val_loss", save_top_k=2, save_last=True, filename="{epoch}")
    stop = EarlyStopping("val_loss", patience=3)
    logger = CSVLogger(folder, name="logs")
    model = Classifier()
    run = trainer(
        folder, losses, keep, stop, rates, max_epochs=5, gradient_clip_val=1.0, logger=logger, log_every_n_steps=1
    )
    run.fit(model, datamodule=Data())
    found["losses"] = losses.seen
    found["metrics"] = {name: value.item() for name, value in run.callback_metrics.items()}
    found["weights"] = weights(model)
    found["files"] = sorted(file.name for file in Path(folder).glob("*.ckpt"))
    found["best"] = [float(keep.best_model_score), Path(keep.best_model_path).name]
    found["logged"] = len(Path(logger.log_dir, "metrics.csv").read_text().splitlines())
    found["validated"] = [sorted(each.items()) for each in run.validate(model, datamodule=Data(), verbose=False)][0]
    found["tested"] = run.test(model, datamodule=Data(), verbose=False, ckpt_path="best")[0]["val_accuracy"]
    found["predicted"] = torch.cat(run.predict(model, datamodule=Data())).tolist()
    return keep.last_model_path


def resume(folder, path):
    losses = Losses()
    model = Classifier.load_from_checkpoint(path)
    found["hyperparameters"] = dict(model.hparams)
    run = trainer(folder, losses, max_epochs=7)
    run.fit(model, datamodule=Data(), ckpt_path=path)
    found["resumed"] = [run.current_epoch, run.global_step, *losses.seen, weights(model)]


def variations(folder):
    L.seed_everything(1)
    losses = Losses()
    run = trainer(
        folder,
        losses,
        GradientAccumulationScheduler({0: 2, 1: 3}),
        max_epochs=2,
        limit_train_batches=4,
        barebones=False,
    )
    run.fit(Classifier(), datamodule=Data())
    found["accumulated"] = [run.global_step, *losses.seen]
    losses = Losses()
    model = Manual(rate=0.1)
    trainer(folder, losses, max_epochs=2, limit_val_batches=0).fit(model, datamodule=Data())
    found["manual"] = losses.seen
    model = Classifier()
    swa = StochasticWeightAveraging(swa_lrs=0.01, swa_epoch_start=2, device="cpu")
    trainer(folder, swa, max_epochs=4).fit(model, datamodule=Data())
    found["averaged"] = weights(model)
    model = Classifier()
    trainer(folder, fast_dev_run=2).fit(model, datamodule=Data())
    found["two steps"] = weights(model)
    model = Classifier()
    losses = Losses()
    trainer(folder, losses, max_epochs=1, precision="bf16-mixed").fit(model, datamodule=Data())
    found["bfloat16"] = [round(loss, 1) for loss in losses.seen]


def fabric(folder):
    run = Fabric(accelerator="cpu", devices=1)
    run.launch()
    module = Classifier()
    model, optimizer = run.setup(module.network, torch.optim.SGD(module.network.parameters(), lr=0.1))
    data = run.setup_dataloaders(DataLoader(TensorDataset(features, labels), batch_size=16))
    losses = []
    for inputs, targets in data:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(inputs), targets)
        run.backward(loss)
        run.clip_gradients(model, optimizer, max_norm=1.0)
        optimizer.step()
        losses.append(loss.item())
    state = {"model": model, "optimizer": optimizer, "step": len(losses)}
    run.save(Path(folder, "fabric.ckpt"), state)
    before = weights(model)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
    run.load(Path(folder, "fabric.ckpt"), state)
    found["fabric"] = [*losses, before, weights(model), state["step"]]


with tempfile.TemporaryDirectory() as folder:
    resume(folder, fit(folder))
    variations(folder)
    fabric(folder)
print(json.dumps(found))
