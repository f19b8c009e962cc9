"""Trainer of transformers: train, evaluate, save, resume from a checkpoint, and accumulate gradients."""
# requires: transformers==5.24.0 accelerate==1.15.0 safetensors==0.8.0

import json
from pathlib import Path

import torch
import transformers
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed

transformers.logging.set_verbosity_error()
transformers.utils.logging.disable_progress_bar()
config = BertConfig(
    vocab_size=40, hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4, num_labels=3,
    max_position_embeddings=16,
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


def accuracy(predicted):
    return {"accuracy": float((predicted.predictions.argmax(-1) == predicted.label_ids).mean())}


def trainer(folder, **options):
    set_seed(0)
    arguments = {
        "learning_rate": 5e-3,
        "per_device_train_batch_size": 8,
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
        model=BertForSequenceClassification(config),
        args=TrainingArguments(folder, **arguments),
        train_dataset=Sentences(48, 1),
        eval_dataset=Sentences(24, 2),
        compute_metrics=accuracy,
    )


def losses(trained):
    return [each["loss"] for each in trained.state.log_history if "loss" in each]


results = {}
first = trainer("first")
results["train loss"] = first.train().training_loss
results["losses"] = losses(first)
results["gradients"] = [each["grad_norm"] for each in first.state.log_history if "grad_norm" in each]
evaluated = first.evaluate()
results["evaluated"] = [evaluated["eval_loss"], evaluated["eval_accuracy"]]
results["checkpoints"] = sorted(each.name for each in Path("first").iterdir())
results["files"] = sorted(each.name for each in Path("first/checkpoint-4").iterdir())

resumed = trainer("first")
resumed.train(resume_from_checkpoint="first/checkpoint-8")
results["resumed losses"] = losses(resumed)
results["same as without a break"] = all(
    torch.allclose(one, other, atol=1e-5)
    for one, other in zip(first.model.state_dict().values(), resumed.model.state_dict().values(), strict=True)
)

first.save_model("saved")
loaded = BertForSequenceClassification.from_pretrained("saved").eval()
batch = torch.stack([Sentences(4, 3)[index]["input_ids"] for index in range(4)])
results["loaded"] = loaded(batch).logits.flatten().tolist()

for name, options in {
    "accumulated": {"gradient_accumulation_steps": 2, "max_steps": 4, "lr_scheduler_type": "cosine"},
    "checkpointed": {"gradient_checkpointing": True, "max_steps": 3, "logging_steps": 1},
    "bfloat16": {"bf16": True, "max_steps": 3, "logging_steps": 1},
    "adafactor": {"optim": "adafactor", "max_steps": 3, "logging_steps": 1},
    "smoothed": {"label_smoothing_factor": 0.1, "max_steps": 3, "logging_steps": 1},
    "workers": {"dataloader_num_workers": 2, "max_steps": 3, "logging_steps": 1},
}.items():
    each = trainer(name, **options)
    each.train()
    results[name] = losses(each)
    if name == "bfloat16":  # rounded to three digits by the dtype itself
        results[name] = [round(loss, 1) for loss in results[name]]
print(json.dumps(results))
