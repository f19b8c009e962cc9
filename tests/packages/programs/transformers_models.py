"""Tiny models of transformers, one of each kind: forward, backward, one step of AdamW, and forward again."""
# requires: transformers==5.24.0 safetensors==0.8.0

import json

import torch
import transformers
from transformers import (
    BertConfig,
    CLIPConfig,
    GPT2Config,
    LlamaConfig,
    MistralConfig,
    MixtralConfig,
    T5Config,
    ViTConfig,
    WhisperConfig,
)

transformers.logging.set_verbosity_error()
vocabulary = 60
small = {"vocab_size": vocabulary, "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
decoder = {
    **small,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 64,
}
encoder = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4}

torch.manual_seed(0)
tokens = torch.randint(3, vocabulary, (2, 9))
mask = torch.ones_like(tokens)
mask[1, 6:] = 0
text = {"input_ids": tokens, "attention_mask": mask, "labels": tokens}
image = torch.randn(2, 3, 16, 16)
sound = torch.randn(2, 8, 40)

models = {
    "gpt2": (
        transformers.GPT2LMHeadModel,
        GPT2Config(n_positions=64, n_embd=32, n_layer=2, n_head=4, **small),
        text,
    ),
    "llama": (transformers.LlamaForCausalLM, LlamaConfig(**decoder), text),
    "mistral": (transformers.MistralForCausalLM, MistralConfig(sliding_window=4, **decoder), text),
    "mixtral": (
        transformers.MixtralForCausalLM,
        MixtralConfig(num_local_experts=4, num_experts_per_tok=2, **decoder),
        text,
    ),
    "bert": (
        transformers.BertForMaskedLM,
        BertConfig(vocab_size=vocabulary, max_position_embeddings=64, **encoder),
        text,
    ),
    "t5": (
        transformers.T5ForConditionalGeneration,
        T5Config(
            vocab_size=vocabulary, d_model=32, d_kv=8, d_ff=48, num_layers=2, num_heads=4, decoder_start_token_id=0
        ),
        text,
    ),
    "vit": (
        transformers.ViTForImageClassification,
        ViTConfig(image_size=16, patch_size=4, num_labels=5, **encoder),
        {"pixel_values": image, "labels": torch.tensor([1, 4])},
    ),
    "whisper": (
        transformers.WhisperForConditionalGeneration,
        WhisperConfig(
            vocab_size=vocabulary, num_mel_bins=8, d_model=32, encoder_layers=1, decoder_layers=1,
            encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=48, decoder_ffn_dim=48,
            max_source_positions=20, max_target_positions=32, pad_token_id=0, bos_token_id=1, eos_token_id=2,
            decoder_start_token_id=1,
        ),
        {"input_features": sound, "labels": tokens},
    ),
    "clip": (
        transformers.CLIPModel,
        CLIPConfig(
            text_config={"vocab_size": vocabulary, "max_position_embeddings": 16, "eos_token_id": 2, **encoder},
            vision_config={"image_size": 16, "patch_size": 4, **encoder},
            projection_dim=16,
        ),
        {"input_ids": tokens, "pixel_values": image, "return_loss": True},
    ),
}  # fmt: skip

results = {}
for name, (kind, config, inputs) in models.items():
    for attention in ("eager", "sdpa"):
        torch.manual_seed(1)
        config._attn_implementation = attention
        model = kind(config).train()
        for module in model.modules():
            if isinstance(module, torch.nn.Dropout):
                module.p = 0.1
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
        losses = []
        for _ in range(2):
            loss = model(**inputs).loss
            optimizer.zero_grad()
            loss.backward()
            norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            losses += [loss.item(), norm.item()]
        model.eval()
        with torch.no_grad():
            output = model(**{key: value for key, value in inputs.items() if key != "attention_mask"})
        scores = output.logits if hasattr(output, "logits") else output.logits_per_text
        results[f"{name} {attention}"] = losses
        results[f"{name} {attention} scores"] = scores.flatten()[:: max(1, scores.numel() // 16)].tolist()
    half = kind(config).to(torch.bfloat16).eval()
    cast = {key: value.bfloat16() if value is image or value is sound else value for key, value in inputs.items()}
    results[f"{name} bfloat16"] = str(half(**cast).loss.dtype)
print(json.dumps(results))
