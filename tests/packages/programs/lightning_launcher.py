"""Lightning: Trainer starts the second process by itself, with strategy "ddp", and trains, validates and saves."""
# requires: lightning==2.6.6
# processes: 2 by itself

import json
import logging
import os
import warnings

import lightning as L
import torch
from lightning.pytorch.callbacks import ModelCheckpoint
from lightning.pytorch.plugins.environments import LightningEnvironment

logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
warnings.simplefilter("ignore")
generator = torch.Generator().manual_seed(0)
features = torch.randn(48, 5, generator=generator)
targets = features @ torch.arange(5.0) + 1


class Line(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(5, 1)
        self.losses = []
        with torch.no_grad():
            self.layer.weight.zero_()
            self.layer.bias.zero_()

    def training_step(self, batch, index):
        loss = torch.nn.functional.mse_loss(self.layer(batch[0])[:, 0], batch[1])
        self.losses.append(self.all_gather(loss.detach()).mean().item())
        return loss

    def validation_step(self, batch, index):
        self.log("error", (self.layer(batch[0])[:, 0] - batch[1]).abs().mean(), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.05, momentum=0.9)


data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(features, targets), batch_size=6)
trainer = L.Trainer(
    accelerator="cpu", devices=2, strategy="ddp", plugins=[LightningEnvironment()], max_epochs=3, logger=False,
    enable_progress_bar=False, enable_model_summary=False, default_root_dir=os.getcwd(),
    callbacks=[ModelCheckpoint(dirpath="saved", save_last=True)],
)  # fmt: skip
model = Line()
trainer.fit(model, data, data)
if trainer.global_rank == 0:
    saved = torch.load("saved/last.ckpt", weights_only=False)["state_dict"]
    print(json.dumps({
        "processes": trainer.world_size, "losses": model.losses, "error": float(trainer.callback_metrics["error"]),
        "weight": model.layer.weight.detach().flatten().tolist(), "saved": saved["layer.bias"].tolist(),
    }))  # fmt: skip
