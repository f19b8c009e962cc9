"""ignite: engines, metrics, handlers (checkpoints, early stopping, schedules, averages) around a small training."""
# requires: pytorch-ignite==0.5.5

import json
import tempfile
from pathlib import Path

import torch
from ignite.contrib.handlers import PiecewiseLinear
from ignite.engine import Engine, Events, create_supervised_evaluator, create_supervised_trainer
from ignite.handlers import (
    Checkpoint,
    DiskSaver,
    EarlyStopping,
    EMAHandler,
    ModelCheckpoint,
    TerminateOnNan,
    Timer,
    create_lr_scheduler_with_warmup,
    global_step_from_engine,
)
from ignite.handlers.param_scheduler import CosineAnnealingScheduler
from ignite.metrics import (
    PSNR,
    SSIM,
    Accuracy,
    ConfusionMatrix,
    EpochMetric,
    Fbeta,
    IoU,
    Loss,
    MeanAbsoluteError,
    MeanSquaredError,
    Precision,
    Recall,
    RunningAverage,
    TopKCategoricalAccuracy,
)
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

found = {}
generator = torch.Generator().manual_seed(0)
features = torch.randn(48, 6, generator=generator)
labels = (features[:, 0] > 0).long() + (features[:, 1] > 0.5).long()
data = DataLoader(TensorDataset(features, labels), batch_size=8)


def network():
    model = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=torch.Generator().manual_seed(7)) * 0.4)
    return model


def train(folder):
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2, momentum=0.9)
    loss_of = nn.CrossEntropyLoss()
    trainer = create_supervised_trainer(model, optimizer, loss_of)
    metrics = {
        "accuracy": Accuracy(),
        "loss": Loss(loss_of),
        "precision": Precision(average=False),
        "recall": Recall(average=False),
        "confusion": ConfusionMatrix(num_classes=3),
        "top": TopKCategoricalAccuracy(k=2),
        "iou": IoU(ConfusionMatrix(num_classes=3)),
        "fbeta": Fbeta(1.0),
    }
    metrics["balance"] = (metrics["precision"] * metrics["recall"]).mean()
    evaluator = create_supervised_evaluator(model, metrics=metrics)
    RunningAverage(output_transform=lambda loss: loss).attach(trainer, "running")
    schedule = create_lr_scheduler_with_warmup(
        CosineAnnealingScheduler(optimizer, "lr", 0.2, 0.02, cycle_size=20),
        warmup_start_value=0.0, warmup_end_value=0.2, warmup_duration=3,
    )  # fmt: skip
    trainer.add_event_handler(Events.ITERATION_STARTED, schedule)
    trainer.add_event_handler(Events.ITERATION_COMPLETED, TerminateOnNan())
    average = EMAHandler(model, momentum=0.1)
    average.attach(trainer, name="momentum", event=Events.ITERATION_COMPLETED)
    timer = Timer(average=True)
    timer.attach(trainer, start=Events.EPOCH_STARTED, step=Events.ITERATION_COMPLETED)
    stopper = EarlyStopping(patience=2, score_function=lambda engine: -engine.state.metrics["loss"], trainer=trainer)
    evaluator.add_event_handler(Events.COMPLETED, stopper)
    keep = Checkpoint(
        {"model": model, "optimizer": optimizer, "trainer": trainer},
        DiskSaver(folder, require_empty=False),
        n_saved=2,
        score_function=lambda engine: engine.state.metrics["accuracy"],
        score_name="accuracy",
        global_step_transform=global_step_from_engine(trainer),
    )
    evaluator.add_event_handler(Events.COMPLETED, keep)
    trainer.add_event_handler(
        Events.EPOCH_COMPLETED(every=2), ModelCheckpoint(folder, "each", n_saved=1, require_empty=False), {"m": model}
    )
    history = []

    @trainer.on(Events.EPOCH_COMPLETED)
    def evaluate(engine):
        evaluator.run(data)
        history.append([engine.state.output, engine.state.metrics["running"], evaluator.state.metrics["loss"]])

    trainer.run(data, max_epochs=6)
    found["history"] = [number for each in history for number in each]
    for name, value in evaluator.state.metrics.items():
        found[name] = value.flatten().tolist() if isinstance(value, torch.Tensor) else value
    found["rate"] = optimizer.param_groups[0]["lr"]
    found["average"] = sum(p.abs().sum().item() for p in average.ema_model.parameters())
    found["timed"] = timer.value() > 0
    found["files"] = sorted(file.name.partition("=")[0] for file in Path(folder).iterdir())
    return model, optimizer, trainer, keep.last_checkpoint


def resume(folder, file):
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2, momentum=0.9)
    trainer = create_supervised_trainer(model, optimizer, nn.CrossEntropyLoss())
    stored = torch.load(Path(folder, file), weights_only=True)
    Checkpoint.load_objects({"model": model, "optimizer": optimizer, "trainer": trainer}, checkpoint=stored)
    begun = trainer.state.epoch
    state = trainer.run(data, max_epochs=begun + 2)
    found["resumed"] = [begun, state.epoch, state.iteration, state.output]


def others():
    values = Engine(lambda engine, batch: batch)
    MeanSquaredError().attach(values, "mse")
    MeanAbsoluteError().attach(values, "mae")
    EpochMetric(lambda predictions, targets: (predictions - targets).abs().max().item()).attach(values, "largest")
    pairs = [(torch.rand(5, generator=generator), torch.rand(5, generator=generator)) for _ in range(3)]
    metrics = values.run(pairs).metrics
    found["regression"] = [float(metrics[name]) for name in sorted(metrics)]
    images = Engine(lambda engine, batch: batch)
    PSNR(data_range=1.0).attach(images, "psnr")
    SSIM(data_range=1.0).attach(images, "ssim")
    pair = (torch.rand(2, 3, 16, 16, generator=generator), torch.rand(2, 3, 16, 16, generator=generator))
    found["images"] = [float(value) for _, value in sorted(images.run([pair]).metrics.items())]
    optimizer = torch.optim.SGD(network().parameters(), lr=1.0)
    schedule = PiecewiseLinear(optimizer, "lr", milestones_values=[(2, 1.0), (6, 0.1)])
    rates = []
    dummy = Engine(lambda engine, batch: None)
    dummy.add_event_handler(Events.ITERATION_STARTED, schedule)
    dummy.add_event_handler(Events.ITERATION_COMPLETED, lambda: rates.append(optimizer.param_groups[0]["lr"]))
    dummy.run(range(8), max_epochs=1)
    found["rates"] = rates


with tempfile.TemporaryDirectory() as folder:
    *_, file = train(folder)
    resume(folder, file)
others()
print(json.dumps(found))
