"""Models of transformers kept in a folder: shards of safetensors, .bin, other dtypes, the meta device, pipelines."""
# requires: transformers==5.24.0 accelerate==1.15.0 safetensors==0.8.0

import json
from pathlib import Path

import torch
import transformers
from accelerate import init_empty_weights
from safetensors.torch import load_file
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import (
    AutoConfig,
    AutoModel,
    AutoModelForCausalLM,
    AutoTokenizer,
    BertConfig,
    GPT2Config,
    LlamaConfig,
    PreTrainedTokenizerFast,
    ViTConfig,
    pipeline,
)

transformers.logging.set_verbosity_error()
transformers.utils.logging.disable_progress_bar()
words = "<pad> <s> </s> <unk> <mask> the a cat dog sat ran on under mat tree big small good bad film".split()
tokenizer = PreTrainedTokenizerFast(
    tokenizer_object=Tokenizer(models.WordLevel({word: place for place, word in enumerate(words)}, unk_token="<unk>")),
    pad_token="<pad>", bos_token="<s>", eos_token="</s>", unk_token="<unk>", mask_token="<mask>",
)  # fmt: skip
tokenizer.backend_tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
tokenizer.padding_side = "left"
small = {"vocab_size": len(words), "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
llama = LlamaConfig(
    hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
    max_position_embeddings=64, **small,
)  # fmt: skip
results = {}

torch.manual_seed(0)
model = AutoModelForCausalLM.from_config(llama).eval()
inputs = tokenizer(["the cat sat on the mat", "a dog ran"], return_tensors="pt", padding=True)
inputs.pop("token_type_ids", None)
with torch.no_grad():
    expected = model(**inputs).logits
results["logits"] = expected[:, -1].flatten().tolist()


def difference(other):
    with torch.no_grad():
        return (other.eval()(**inputs).logits.float() - expected).abs().max().item()


# ---- shards of safetensors, one file, and PyTorch's own format
model.save_pretrained("shards", max_shard_size="20KB")
tokenizer.save_pretrained("shards")
results["shards"] = sorted(each.name for each in Path("shards").glob("*.safetensors"))
index = json.loads(Path("shards/model.safetensors.index.json").read_text())
results["size"] = index["metadata"]["total_size"]
first = load_file(Path("shards", results["shards"][0]))
results["first shard"] = {name: float(tensor.double().sum()) for name, tensor in sorted(first.items())}
again = AutoModelForCausalLM.from_pretrained("shards")
results["from shards"] = difference(again)
model.save_pretrained("one")
results["from one file"] = difference(AutoModelForCausalLM.from_pretrained("one"))
Path("bin").mkdir()
model.config.save_pretrained("bin")
torch.save(model.state_dict(), "bin/pytorch_model.bin")
results["from .bin"] = difference(AutoModelForCausalLM.from_pretrained("bin"))
results["from .bin, mapped"] = difference(
    AutoModelForCausalLM.from_pretrained("bin", device_map="cpu", low_cpu_mem_usage=True)
)
half = AutoModelForCausalLM.from_pretrained("shards", dtype=torch.bfloat16)
results["bfloat16"] = [str(next(half.parameters()).dtype), difference(half) < 0.05]
eager = AutoModelForCausalLM.from_pretrained("one", attn_implementation="eager")
results["eager"] = difference(eager)

# ---- a model without memory, filled by assignment
with init_empty_weights():
    empty = AutoModelForCausalLM.from_config(AutoConfig.from_pretrained("one"))
results["empty"] = sorted({str(each.device) for each in empty.parameters()})
empty.load_state_dict(load_file("one/model.safetensors"), strict=False, assign=True)
empty.tie_weights()
results["filled"] = sorted({str(each.device) for each in empty.parameters()})
with torch.device("meta"):
    shapes = AutoModel.from_config(llama)
results["meta"] = [str(shapes.embed_tokens.weight.device), sum(each.numel() for each in shapes.parameters())]
results["shape on meta"] = list(shapes(torch.zeros(2, 5, dtype=torch.long, device="meta")).last_hidden_state.shape)

# ---- pipelines
made = pipeline("text-generation", model="shards", tokenizer="shards", device="cpu")
results["text generation"] = made("the cat", max_new_tokens=5, do_sample=False)[0]["generated_text"]
encoder = {
    "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4,
}  # fmt: skip
bert = BertConfig(vocab_size=len(words), max_position_embeddings=32, **encoder)
torch.manual_seed(1)
classifier = transformers.BertForSequenceClassification(bert).eval()
classify = pipeline("text-classification", model=classifier, tokenizer=tokenizer, device="cpu")
answers = classify(["good film", "the bad film ran"], top_k=None)
results["classification"] = [[each["label"], each["score"]] for answer in answers for each in answer]
fill = pipeline("fill-mask", model=transformers.BertForMaskedLM(bert).eval(), tokenizer=tokenizer, device="cpu")
results["fill-mask"] = [[each["token_str"], each["score"]] for each in fill("the <mask> sat", top_k=3)]
features = pipeline("feature-extraction", model=transformers.BertModel(bert).eval(), tokenizer=tokenizer, device="cpu")
results["features"] = features("a small dog")[0][0][:8]

# ---- a token more, fewer heads, and names
model.resize_token_embeddings(len(words) + 3, mean_resizing=False)
results["resized"] = list(model.get_output_embeddings().weight.shape)
results["read"] = AutoTokenizer.from_pretrained("shards").decode(
    made.model.generate(inputs["input_ids"], max_length=9)[0]
)
gpt2 = transformers.GPT2Model(GPT2Config(n_positions=32, n_embd=16, n_layer=2, n_head=2, **small))
vit = transformers.ViTModel(ViTConfig(image_size=16, patch_size=8, **encoder))
results["parameters"] = [gpt2.num_parameters(), vit.num_parameters(), gpt2.get_memory_footprint()]
print(json.dumps(results))
