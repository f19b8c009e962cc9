"""Trainer of transformers in two processes: losses, metrics of all rows, checkpoints, resuming, accumulation."""
# requires: transformers==5.24.0 accelerate==1.15.0 safetensors==0.8.0
# processes: 2

import json
import os
import tempfile
from pathlib import Path

import torch
import torch.distributed as dist
import transformers
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed

transformers.logging.set_verbosity_error()
transformers.utils.logging.disable_progress_bar()
rank = int(os.environ["RANK"])
config = BertConfig(
    vocab_size=40, hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4, num_labels=3,
    max_position_embeddings=16, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0,
)  # fmt: skip


class Sentences(torch.utils.data.Dataset):
    """Rows of tokens whose class is their first token's remainder."""

    def __init__(self, count, seed):
        generator = torch.Generator().manual_seed(seed)
        self.tokens = torch.randint(0, 40, (count, 8), generator=generator)

    def __len__(self):
        return len(self.tokens)

    def __getitem__(self, index):
        row = self.tokens[index]
        return {"input_ids": row, "attention_mask": torch.ones_like(row), "labels": int(row[0] % 3)}


class Partly(BertForSequenceClassification):
    """A layer that takes no part in the loss."""

    def __init__(self, config):
        super().__init__(config)
        self.spare = torch.nn.Linear(4, 4)


def accuracy(predicted):
    """Also how many rows it has seen: none twice, though the last batch is not full."""
    right = (predicted.predictions.argmax(-1) == predicted.label_ids).mean()
    return {"accuracy": float(right), "rows": len(predicted.label_ids), "sum": int(predicted.label_ids.sum())}


def trainer(folder, made=BertForSequenceClassification, **options):
    set_seed(0)
    arguments = {
        "learning_rate": 5e-3,
        "per_device_train_batch_size": 4,
        "per_device_eval_batch_size": 4,
        "num_train_epochs": 2,
        "logging_steps": 2,
        "save_steps": 4,
        "report_to": [],
        "use_cpu": True,
        "disable_tqdm": True,
        "warmup_steps": 2,
        "weight_decay": 0.01,
    } | options
    return Trainer(
        model=made(config),
        args=TrainingArguments(str(folder), **arguments),
        train_dataset=Sentences(48, 1),
        eval_dataset=Sentences(21, 2),
        compute_metrics=accuracy,
    )


def logged(trained, what):
    return [each[what] for each in trained.state.log_history if what in each]


def weights(trained):
    return [each.double().abs().sum().item() for each in trained.model.parameters()]


def training(folder):
    first = trainer(folder / "first")
    results["train loss"] = first.train().training_loss
    results["wrapped"] = [type(first.model_wrapped).__name__, first.args.world_size, str(first.args.parallel_mode)]
    results["losses"] = logged(first, "loss")
    results["gradients"] = logged(first, "grad_norm")
    results["rates"] = logged(first, "learning_rate")
    results["weights"] = weights(first)
    results["evaluated"] = numbers(first.evaluate(), "eval")
    predicted = first.predict(Sentences(13, 4))
    results["predicted"] = [predicted.predictions.ravel().tolist(), numbers(predicted.metrics, "test")]
    results["checkpoints"] = sorted(each.name for each in (folder / "first").iterdir())
    results["files"] = sorted(each.name for each in (folder / "first/checkpoint-4").iterdir())
    before = first.model.state_dict()
    first.save_model(str(folder / "saved"))
    dist.barrier()

    resumed = trainer(folder / "first")
    resumed.train(resume_from_checkpoint=str(folder / "first/checkpoint-8"))
    results["resumed losses"] = logged(resumed, "loss") == results["losses"]
    results["resumed gradients"] = logged(resumed, "grad_norm") == results["gradients"]
    results["same weights"] = all(torch.equal(before[name], each) for name, each in resumed.model.state_dict().items())
    loaded = BertForSequenceClassification.from_pretrained(str(folder / "saved")).eval()
    batch = torch.stack([Sentences(4, 3)[index]["input_ids"] for index in range(4)])
    results["loaded"] = loaded(batch).logits.flatten().tolist()


def numbers(metrics, kind):
    return [metrics[f"{kind}_{name}"] for name in ("loss", "accuracy", "rows", "sum")]


def variations(folder):
    for name, options in {
        "accumulated": {"gradient_accumulation_steps": 2, "max_steps": 4, "lr_scheduler_type": "cosine"},
        "checkpointed": {"gradient_checkpointing": True, "max_steps": 3},
        "unused": {"made": Partly, "ddp_find_unused_parameters": True, "max_steps": 3},
        "bfloat16": {"bf16": True, "max_steps": 3},
        "small buckets": {"ddp_bucket_cap_mb": 1, "ddp_broadcast_buffers": True, "max_steps": 3},
        "by length": {"train_sampling_strategy": "group_by_length", "max_steps": 3},
        "even": {"average_tokens_across_devices": False, "max_steps": 3},
        "workers": {"dataloader_num_workers": 1, "max_steps": 3},
        "whole batches": {"accelerator_config": {"split_batches": True}, "max_steps": 3},
    }.items():
        each = trainer(folder / name, logging_steps=1, save_strategy="no", **options)
        each.train()
        results[name] = [logged(each, "loss"), logged(each, "grad_norm")]
        if name == "bfloat16":  # rounded to three digits by the dtype itself
            results[name] = [round(loss, 1) for loss in logged(each, "loss")]


def best(folder):
    """Evaluates while it trains, keeps two checkpoints, and ends with the best one."""
    each = trainer(
        folder, eval_strategy="steps", eval_steps=4, save_total_limit=2, load_best_model_at_end=True,
        metric_for_best_model="eval_loss", logging_nan_inf_filter=False,
    )  # fmt: skip
    each.train()
    results["evaluations"] = [logged(each, "eval_loss"), logged(each, "eval_rows")]
    results["best"] = [each.state.best_metric, Path(each.state.best_model_checkpoint).name, weights(each)]
    dist.barrier()
    results["kept"] = sorted(made.name for made in folder.iterdir())


results = {}
with tempfile.TemporaryDirectory() as mine:
    dist.init_process_group("gloo")
    folders = [mine]
    dist.broadcast_object_list(folders)
    folder = Path(folders[0])
    training(folder)
    variations(folder)
    best(folder / "best")
    dist.barrier()
if rank == 0:
    print(json.dumps(results))
