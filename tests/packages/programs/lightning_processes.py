"""Lightning in two processes: ddp with metrics of both, checkpoints, resuming, accumulation, gathering, and Fabric."""
# requires: lightning==2.6.6 torchmetrics==1.9.0
# processes: 2

import json
import logging
import os
import tempfile
import warnings
from pathlib import Path

import lightning as L
import torch
import torch.distributed as dist
import torchmetrics
from lightning.fabric import Fabric
from lightning.pytorch.callbacks import Callback, EarlyStopping, ModelCheckpoint
from lightning.pytorch.loggers import CSVLogger
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

logging.getLogger("lightning").setLevel(logging.ERROR)
warnings.simplefilter("ignore")
results = {}
rank = int(os.environ["RANK"])
generator = torch.Generator().manual_seed(0)
features = torch.randn(66, 6, generator=generator)
labels = (features[:, 0] > 0).long() + (features[:, 1] > 0.5).long()


class Data(L.LightningDataModule):
    """48 rows to train with, and 18 that are held out."""

    def setup(self, stage):
        self.train = TensorDataset(features[:48], labels[:48])
        self.held_out = TensorDataset(features[48:], labels[48:])

    def train_dataloader(self):
        return DataLoader(self.train, batch_size=4, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.held_out, batch_size=4)

    test_dataloader = predict_dataloader = val_dataloader


class Classifier(L.LightningModule):
    def __init__(self, rate=0.05):
        super().__init__()
        self.save_hyperparameters()
        self.network = nn.Sequential(
            nn.Linear(6, 8, bias=False), nn.BatchNorm1d(8, eps=0.1), nn.Tanh(), nn.Linear(8, 3)
        )
        metrics = {
            "accuracy": torchmetrics.Accuracy("multiclass", num_classes=3),
            "f1": torchmetrics.F1Score("multiclass", num_classes=3, average="macro"),
            "auroc": torchmetrics.AUROC("multiclass", num_classes=3),
            "confidence": torchmetrics.MeanMetric(),
        }
        self.metrics = nn.ModuleDict(metrics)
        with torch.no_grad():
            for parameter in self.parameters():
                parameter.copy_(torch.randn(parameter.shape, generator=torch.Generator().manual_seed(7)) * 0.4)

    def forward(self, batch):
        return self.network(batch)

    def training_step(self, batch, index):
        loss = nn.functional.cross_entropy(self(batch[0]), batch[1])
        self.log("train_loss", loss, on_step=True, on_epoch=True, sync_dist=True)
        return loss

    def validation_step(self, batch, index):
        logits = self(batch[0])
        for name, metric in self.metrics.items():
            metric(logits.softmax(1).amax(1)) if name == "confidence" else metric(logits, batch[1])
            self.log(f"val_{name}", metric, on_epoch=True)
        loss = nn.functional.cross_entropy(logits, batch[1])
        self.log("val_loss", loss, sync_dist=True)
        self.log("largest", logits.amax(), sync_dist=True, reduce_fx="max")
        self.log("mine", float(self.global_rank), sync_dist=True, reduce_fx="sum")

    test_step = validation_step

    def on_validation_epoch_end(self):
        everyone = self.all_gather({"rank": torch.tensor(self.global_rank), "rows": torch.ones(2) * self.global_rank})
        results["gathered"] = [everyone["rank"].tolist(), everyone["rows"].tolist()]

    def predict_step(self, batch, index):
        return self(batch[0]).argmax(1)

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=self.hparams.rate)
        return [optimizer], [torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 8)]


class Partly(Classifier):
    """In every other step the last layer takes no part in the loss."""

    def training_step(self, batch, index):
        hidden = self.network[:2](batch[0])
        return hidden.square().mean() if index % 2 else self.network[3](hidden).square().mean()


class Manual(Classifier):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False

    def training_step(self, batch, index):
        optimizer = self.optimizers()
        with optimizer.toggle_model(sync_grad=index % 2 == 1):
            loss = nn.functional.cross_entropy(self(batch[0]), batch[1])
            self.manual_backward(loss)
            if index % 2:
                self.clip_gradients(optimizer, 0.5, "norm")
                optimizer.step()
                optimizer.zero_grad()
        return loss


class Losses(Callback):
    """The losses of both ranks."""

    def __init__(self):
        self.seen = []

    def on_train_batch_end(self, trainer, module, outputs, batch, index):
        self.seen.append(trainer.strategy.all_gather(outputs["loss"].detach()).tolist())


def trainer(folder, *callbacks, **named):
    settings = {"logger": False, "enable_progress_bar": False, "enable_model_summary": False, "accelerator": "cpu"}
    settings |= {"devices": 2, "strategy": "ddp", "enable_checkpointing": False}
    return L.Trainer(default_root_dir=folder, callbacks=list(callbacks), **settings | named)


def weights(module):
    return [parameter.abs().sum().item() for parameter in module.parameters()]


def fit(folder):
    L.seed_everything(5, verbose=False)
    losses = Losses()
    keep = ModelCheckpoint(folder, monitor="val_loss", save_top_k=2, save_last=True, filename="{epoch}")
    last = ModelCheckpoint(Path(folder, "epochs"), save_top_k=-1, filename="{epoch}")
    callbacks = [losses, keep, last, EarlyStopping("val_loss", patience=3)]
    logger = CSVLogger(folder, name="logs")
    model = Classifier()
    run = trainer(
        folder, *callbacks, max_epochs=4, gradient_clip_val=1.0, logger=logger, log_every_n_steps=1,
        enable_checkpointing=True,
    )  # fmt: skip
    run.fit(model, datamodule=Data())
    results["who"] = [run.world_size, run.global_rank, type(run.strategy.cluster_environment).__name__]
    results["sampler"] = type(run.train_dataloader.sampler).__name__
    results["losses"] = losses.seen
    results["metrics"] = {name: value.item() for name, value in run.callback_metrics.items()}
    results["weights"] = weights(model)
    results["files"] = sorted(file.name for file in Path(folder).glob("*.ckpt"))
    results["best"] = [float(keep.best_model_score), Path(keep.best_model_path).name]
    results["validated"] = run.validate(model, datamodule=Data(), verbose=False)
    results["tested"] = run.test(model, datamodule=Data(), verbose=False, ckpt_path="best")
    results["predicted"] = [each.tolist() for each in run.predict(model, datamodule=Data())]
    if rank == 0:
        results["logged"] = len(Path(logger.log_dir, "metrics.csv").read_text().splitlines())
    return str(Path(folder, "epochs", "epoch=1.ckpt")), losses.seen


def resume(folder, path, expected):
    """From a checkpoint of rank 0, with the same losses as without a break."""
    L.seed_everything(5, verbose=False)
    losses = Losses()
    run = trainer(folder, losses, max_epochs=4, gradient_clip_val=1.0)
    model = Classifier()
    run.fit(model, datamodule=Data(), ckpt_path=path)
    results["resumed"] = [run.current_epoch, run.global_step, len(losses.seen), losses.seen == expected[12:]]
    results["resumed weights"] = weights(model)


def variations(folder):
    for name, made, options in [
        ("accumulated", Classifier, {"accumulate_grad_batches": 3, "max_epochs": 1}),
        ("with unused parameters", Partly, {"strategy": "ddp_find_unused_parameters_true", "max_epochs": 1}),
        ("manual", Manual, {"max_epochs": 1}),
        ("bfloat16", Classifier, {"precision": "bf16-mixed", "max_steps": 4}),
        ("without a sampler", Classifier, {"use_distributed_sampler": False, "max_steps": 3}),
    ]:
        L.seed_everything(1, verbose=False)
        losses = Losses()
        model = made()
        run = trainer(folder, losses, limit_val_batches=0, **options)
        run.fit(model, datamodule=Data())
        results[name] = [run.global_step, losses.seen, weights(model)]
        if name == "bfloat16":
            results[name] = [[round(loss, 1) for loss in row] for row in losses.seen]


def fabric(folder):
    run = Fabric(accelerator="cpu", devices=2, strategy="ddp")
    run.launch()
    run.seed_everything(2, verbose=False)
    module = Classifier()
    model, optimizer = run.setup(module.network, torch.optim.SGD(module.network.parameters(), lr=0.1))
    data = run.setup_dataloaders(DataLoader(TensorDataset(features[:60], labels[:60]), batch_size=8))
    losses = []
    for index, (inputs, targets) in enumerate(data):
        with run.no_backward_sync(model, enabled=index % 2 == 0):
            loss = nn.functional.cross_entropy(model(inputs), targets)
            run.backward(loss)
        if index % 2:
            run.clip_gradients(model, optimizer, max_norm=1.0)
            optimizer.step()
            optimizer.zero_grad()
        losses.append(run.all_gather(loss.detach()).tolist())
    state = {"model": model, "optimizer": optimizer, "step": len(losses)}
    run.save(Path(folder, "fabric.ckpt"), state)
    before = weights(model)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
    run.load(Path(folder, "fabric.ckpt"), state)
    results["fabric"] = [losses, before, weights(model) == before, state["step"], type(model).__name__]
    mine = torch.arange(3.0) * (run.global_rank + 1)
    results["fabric reduced"] = [run.all_reduce(mine.clone(), reduce_op=how).tolist() for how in ("mean", "sum")]
    results["fabric broadcast"] = run.broadcast({"from": run.global_rank, "x": mine}, src=1)["x"].tolist()
    with run.rank_zero_first():
        results["exists"] = Path(folder, "fabric.ckpt").exists()
    run.barrier()


with tempfile.TemporaryDirectory() as mine:
    dist.init_process_group("gloo")
    folders = [mine]
    dist.broadcast_object_list(folders)
    path, losses = fit(folders[0])
    resume(folders[0], path, losses)
    variations(folders[0])
    fabric(folders[0])
    dist.barrier()
if rank == 0:
    print(json.dumps(results))
