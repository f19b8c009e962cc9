"""safetensors.torch: tensors of every dtype to a file and back, models with shared weights, slices, metadata."""
# requires: safetensors==0.8.0 numpy==2.4.6 packaging==26.4

import json

import torch
from safetensors import safe_open
from safetensors.torch import load, load_file, load_model, save, save_file, save_model

results = {}
torch.manual_seed(0)
dtypes = [
    torch.float32,
    torch.float64,
    torch.float16,
    torch.bfloat16,
    torch.int64,
    torch.int32,
    torch.int16,
    torch.int8,
]
dtypes += [torch.uint8, torch.bool, torch.float8_e4m3fn, torch.float8_e5m2, torch.complex64, torch.uint16, torch.uint32]
tensors = {str(dtype).removeprefix("torch."): (torch.randn(3, 4) * 3).abs().to(dtype) for dtype in dtypes}
tensors["scalar"] = torch.tensor(2.5)
tensors["empty"] = torch.zeros(0, 3)
tensors["turned"] = torch.arange(6.0).reshape(2, 3).t().contiguous()
save_file(tensors, "all.safetensors", metadata={"format": "pt", "by": "a program"})
loaded = load_file("all.safetensors")
for name, tensor in tensors.items():
    found = loaded[name]
    same = torch.equal(found.to(torch.complex128), tensor.to(torch.complex128))
    results[name] = [str(found.dtype), list(found.shape), same, abs(found.to(torch.complex128)).sum().item()]

with safe_open("all.safetensors", framework="pt") as file:
    results["keys"] = sorted(file.keys())
    results["metadata"] = file.metadata()
    part = file.get_slice("float32")
    results["slice"] = [list(part.get_shape()), part.get_dtype(), part[1:, ::2].flatten().tolist(), part[0].tolist()]
    results["one"] = file.get_tensor("bfloat16").float().sum().item()

data = save({"a": torch.arange(5), "b": torch.ones(2, 2, dtype=torch.bfloat16)})
results["bytes"] = len(data)
back = load(data)
results["from bytes"] = [back["a"].tolist(), back["b"].tolist()]

model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU(), torch.nn.Linear(4, 4))
model[2].weight = model[0].weight
save_model(model, "model.safetensors")
other = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU(), torch.nn.Linear(4, 4))
other[2].weight = other[0].weight
missing, unexpected = load_model(other, "model.safetensors")
results["model"] = [sorted(missing), sorted(unexpected), other(torch.ones(4)).tolist()]
results["in the file"] = sorted(load_file("model.safetensors"))

refused = {
    "shared": lambda: save_file({"a": model[0].weight, "b": model[2].weight}, "no.safetensors"),
    "not contiguous": lambda: save_file({"a": torch.ones(2, 3).t()}, "no.safetensors"),
    "no tensor": lambda: save_file({"a": [1.0]}, "no.safetensors"),
    "no dict": lambda: save_file([torch.ones(2)], "no.safetensors"),
    "absent": lambda: load_file("absent.safetensors"),
}
for name, call in refused.items():
    try:
        call()
    except Exception as error:
        results[f"refused {name}"] = f"{type(error).__name__}: {error}".split(":")[0]
print(json.dumps(results))
