"""generate() of tiny models: greedy, sampling, beams, assisted, with and without a cache, and from sound and text."""
# requires: transformers==5.24.0 safetensors==0.8.0

import json

import torch
import transformers
from transformers import GPT2Config, LlamaConfig, MixtralConfig, T5Config, WhisperConfig

transformers.logging.set_verbosity_error()
vocabulary = 60
small = {"vocab_size": vocabulary, "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0, "initializer_range": 0.6}
decoder = {
    **small,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 64,
}
t5 = T5Config(vocab_size=vocabulary, d_model=32, d_kv=8, d_ff=48, num_layers=2, num_heads=4, decoder_start_token_id=0)
whisper = WhisperConfig(
    vocab_size=vocabulary, num_mel_bins=8, d_model=32, encoder_layers=1, decoder_layers=1, encoder_attention_heads=4,
    decoder_attention_heads=4, encoder_ffn_dim=48, decoder_ffn_dim=48, max_source_positions=20, max_target_positions=32,
    pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=1, init_std=0.6, suppress_tokens=None,
    begin_suppress_tokens=None,
)  # fmt: skip
models = {
    "gpt2": (transformers.GPT2LMHeadModel, GPT2Config(n_positions=64, n_embd=32, n_layer=2, n_head=4, **small)),
    "llama": (transformers.LlamaForCausalLM, LlamaConfig(**decoder)),
    "mixtral": (transformers.MixtralForCausalLM, MixtralConfig(num_local_experts=4, num_experts_per_tok=2, **decoder)),
    "t5": (transformers.T5ForConditionalGeneration, t5),
}
ways = {
    "greedy": {},
    "greedy without a cache": {"use_cache": False},
    "greedy with a static cache": {"cache_implementation": "static"},
    "sampling": {"do_sample": True, "temperature": 0.8, "top_k": 20, "top_p": 0.9},
    "sampling without a cache": {"do_sample": True, "use_cache": False, "num_return_sequences": 2},
    "beams": {"num_beams": 3, "num_return_sequences": 2, "length_penalty": 0.7, "early_stopping": True},
    "beams that sample": {"num_beams": 3, "do_sample": True, "top_k": 10},
    "rules": {
        "repetition_penalty": 1.3,
        "no_repeat_ngram_size": 2,
        "min_new_tokens": 4,
        "bad_words_ids": [[7], [9, 8]],
    },
}

torch.manual_seed(0)
prompt = torch.randint(3, vocabulary, (2, 5))
mask = torch.ones_like(prompt)
mask[0, :2] = 0
results = {}
for name, (kind, config) in models.items():
    torch.manual_seed(1)
    model = kind(config).eval()
    for way, options in ways.items():
        if name == "t5" and "static" in way:
            continue
        torch.manual_seed(2)
        made = model.generate(prompt, attention_mask=mask, max_new_tokens=12, **options)
        results[f"{name} {way}"] = made.tolist()
    torch.manual_seed(3)
    assistant = kind(config).eval()
    if name != "t5":
        for sampled in (False, True):
            torch.manual_seed(2)
            made = model.generate(prompt[1:], assistant_model=assistant, max_new_tokens=12, do_sample=sampled)
            results[f"{name} assisted, sampling: {sampled}"] = made.tolist()
        made = model.generate(prompt[1:], prompt_lookup_num_tokens=3, max_new_tokens=12)
        results[f"{name} looking up the prompt"] = made.tolist()
    full = model.generate(
        prompt, attention_mask=mask, max_new_tokens=4, return_dict_in_generate=True, output_scores=True
    )
    results[f"{name} scores"] = torch.stack(full.scores)[:, :, ::7].flatten().tolist()

torch.manual_seed(1)
model = transformers.WhisperForConditionalGeneration(whisper).eval()
made = model.generate(torch.randn(2, 8, 40), max_new_tokens=8)
results["whisper"] = made.tolist()


class Words(transformers.StoppingCriteria):
    """Stop after a number of tokens."""

    def __call__(self, input_ids, scores, **kwargs):
        return torch.full((input_ids.shape[0],), input_ids.shape[1] >= 9, dtype=torch.bool)


model = models["llama"][0](models["llama"][1]).eval()
stopped = model.generate(prompt, max_new_tokens=20, stopping_criteria=transformers.StoppingCriteriaList([Words()]))
results["stopped"] = list(stopped.shape)
print(json.dumps(results))
