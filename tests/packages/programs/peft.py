"""peft: LoRA and its like on a tiny Llama: training, merging, saving, loading, several adapters, prompts."""
# requires: jinja2==3.1.6 peft==0.21.2 transformers==5.24.0 accelerate==1.15.0 safetensors==0.8.0

import json
import os

import torch
import transformers
from peft import (
    AdaLoraConfig,
    IA3Config,
    LoHaConfig,
    LoraConfig,
    PeftModel,
    PrefixTuningConfig,
    PromptTuningConfig,
    TaskType,
    get_peft_model,
    get_peft_model_state_dict,
)
from transformers import LlamaConfig, LlamaForCausalLM

transformers.logging.set_verbosity_error()
config = LlamaConfig(
    vocab_size=60, hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4,
    num_key_value_heads=2, max_position_embeddings=64, bos_token_id=1, eos_token_id=2, pad_token_id=0,
)  # fmt: skip
torch.manual_seed(0)
tokens = torch.randint(3, 60, (2, 9))
results = {}


def base():
    torch.manual_seed(1)
    return LlamaForCausalLM(config)


def train(model, steps=3):
    optimizer = torch.optim.AdamW([each for each in model.parameters() if each.requires_grad], lr=0.02)
    losses = []
    for _ in range(steps):
        loss = model(input_ids=tokens, labels=tokens).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def logits(model):
    with torch.no_grad():
        return model.eval()(input_ids=tokens).logits[:, -1, ::6].flatten().tolist()


causal = {"task_type": TaskType.CAUSAL_LM}
layers = {"target_modules": ["q_proj", "v_proj"]}
adapters = {
    "lora": LoraConfig(r=4, lora_alpha=8, lora_dropout=0.0, **layers, **causal),
    "lora of every layer": LoraConfig(r=2, target_modules="all-linear", use_rslora=True, **causal),
    "dora": LoraConfig(r=4, use_dora=True, **layers, **causal),
    "pissa": LoraConfig(r=4, init_lora_weights="pissa", **layers, **causal),
    "ia3": IA3Config(target_modules=["k_proj", "v_proj", "down_proj"], feedforward_modules=["down_proj"], **causal),
    "loha": LoHaConfig(r=4, alpha=8, **layers, **causal),
    "adalora": AdaLoraConfig(init_r=4, target_r=2, total_step=10, tinit=1, tfinal=2, **layers, **causal),
    "prompt": PromptTuningConfig(num_virtual_tokens=3, **causal),
    "prefix": PrefixTuningConfig(num_virtual_tokens=3, **causal),
}
for name, adapter in adapters.items():
    torch.manual_seed(2)
    model = get_peft_model(base(), adapter)
    trainable, everything = model.get_nb_trainable_parameters()
    results[name] = [trainable, everything, *train(model.train())]
    results[f"{name}, logits"] = logits(model)

torch.manual_seed(2)
model = get_peft_model(base(), adapters["lora"])
train(model.train())
expected = logits(model)
model.save_pretrained("adapter")
results["saved"] = sorted(os.listdir("adapter"))
results["names"] = sorted(get_peft_model_state_dict(model))[:2]
loaded = PeftModel.from_pretrained(base(), "adapter")
results["loaded"] = logits(loaded) == expected
loaded.add_adapter("second", LoraConfig(r=2, **layers, **causal))
loaded.set_adapter("second")
results["second"] = logits(loaded)
loaded.set_adapter("default")
loaded.add_weighted_adapter(["default", "default"], [0.5, 0.25], "both", combination_type="linear")
loaded.set_adapter("both")
results["weighted"] = logits(loaded)
with loaded.disable_adapter():
    results["without"] = logits(loaded)
loaded.set_adapter("default")
merged = loaded.merge_and_unload()
results["merged"] = [type(merged).__name__, logits(merged)]
results["generated"] = merged.generate(tokens[:1, :4], max_new_tokens=6, do_sample=False).tolist()
print(json.dumps(results))
