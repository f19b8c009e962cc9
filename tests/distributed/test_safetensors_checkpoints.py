"""Checkpoints of safetensors files: PyTorch and `safetensors` read those of rushlight, which reads those of PyTorch."""

import json
import os

import pytest

pytest.importorskip("safetensors")

PROGRAM = """
import importlib, json
library = os.environ["LIBRARY"]
torch, dist, dcp, hf, files, mesh, tensor = (importlib.import_module(library + each) for each in (
    "", ".distributed", ".distributed.checkpoint", ".distributed.checkpoint.hf_storage",
    ".distributed.checkpoint._consolidate_hf_safetensors", ".distributed.device_mesh", ".distributed.tensor"))
dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=world)
grid = mesh.init_device_mesh("cpu", (world,))
folder = os.environ["FOLDER"]
NUMBERS = {"a": 1, "b": 2, "c": 2}

def state(fill):
    values = {"a": torch.arange(15.0).reshape(5, 3), "b": torch.arange(4.0).double().reshape(2, 2)}
    values["c"] = torch.tensor([2.5]).bfloat16()  # PyTorch makes 0 of a number
    values = {name: each * 0 if not fill else each for name, each in values.items()}
    shard = lambda each: tensor.distribute_tensor(each, grid, [tensor.Shard(0)])
    return {"a": shard(values["a"]), "b": shard(values["b"]), "c": values["c"]}

def shown(values):
    for name, each in values.items():
        whole = each.full_tensor() if isinstance(each, tensor.DTensor) else each
        print(name, whole.dtype == torch.bfloat16, whole.tolist())
"""
SAVE = """
dcp.save(state(True), storage_writer=hf.HuggingFaceStorageWriter(f"{folder}/parts", save_distributed=True))
dcp.save(state(True), storage_writer=hf.HuggingFaceStorageWriter(
    f"{folder}/whole", NUMBERS, save_distributed=True, enable_consolidation=True))
os.makedirs(f"{folder}/later", exist_ok=True)
files.consolidate_safetensors_files_on_every_rank(f"{folder}/parts", f"{folder}/later", NUMBERS)
if rank == 0:
    os.makedirs(f"{folder}/alone", exist_ok=True)
    files.consolidate_safetensors_files(f"{folder}/parts", f"{folder}/alone", dict.fromkeys("abc", 1))
    plain = {name: each for name, each in {"a": torch.ones(2, 2), "b": torch.zeros(3)}.items()}
    dcp.save(plain, storage_writer=hf.HuggingFaceStorageWriter(f"{folder}/first"), no_dist=True)
dist.barrier()
dist.destroy_process_group()
"""
LOAD = """
for kind in ("parts", "whole", "later", "alone"):
    values = state(False)
    dcp.load(values, storage_reader=hf.HuggingFaceStorageReader(f"{folder}/{kind}"))
    shown(values)
metadata = hf.HuggingFaceStorageReader(f"{folder}/parts").read_metadata().state_dict_metadata
print({name: (list(each.size), len(each.chunks)) for name, each in sorted(metadata.items())})
dist.barrier()
dist.destroy_process_group()
"""
FOLDERS = ("parts", "whole", "whole/sharded", "later", "alone", "first")


def listing(folder):
    return {each: sorted(os.listdir(folder / each)) for each in FOLDERS}


def saved(outputs, library, folder, size=2):
    folder.mkdir()
    outputs(PROGRAM + SAVE, size, LIBRARY=library, FOLDER=str(folder))
    return folder


def test_any_number_of_processes_loads(outputs, tmp_path):
    folder = saved(outputs, "rushlight", tmp_path / "ours")
    for size in (1, 2, 3):
        for text in outputs(PROGRAM + LOAD, size, LIBRARY="rushlight", FOLDER=str(folder)):
            lines = text.splitlines()
            assert lines[:3] * 4 == lines[:12]
            assert lines[:3] == [
                "a False [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0, 8.0], [9.0, 10.0, 11.0], [12.0, 13.0, 14.0]]",
                "b False [[0.0, 1.0], [2.0, 3.0]]",
                "c True [2.5]",
            ]
            assert lines[12] == "{'a': ([5, 3], 2), 'b': ([2, 2], 2), 'c': ([1], 1)}"


def test_pytorch_reads_what_is_written_here_and_the_other_way(pytorch, outputs, tmp_path):
    folders = {library: saved(outputs, library, tmp_path / library) for library in ("rushlight", "torch")}
    assert listing(folders["rushlight"]) == listing(folders["torch"])
    for each in ("whole", "later", "alone", "first"):
        ours, theirs = (
            json.loads((folders[library] / each / "model.safetensors.index.json").read_text()) for library in folders
        )
        assert ours == theirs
    texts = [
        outputs(PROGRAM + LOAD, 2, LIBRARY=reader, FOLDER=str(folders[writer]))
        for reader, writer in (("rushlight", "torch"), ("torch", "rushlight"), ("rushlight", "rushlight"))
    ]
    assert texts[0] == texts[2]
    assert texts[1] == texts[2]


def test_the_package_reads_them_too(outputs, tmp_path):
    from safetensors.numpy import load_file

    folder = saved(outputs, "rushlight", tmp_path / "ours")
    whole = load_file(folder / "whole" / "model-00001-of-00002.safetensors")
    assert whole["a"].tolist() == [[3.0 * row + column for column in range(3)] for row in range(5)]


def test_only_tensors_are_taken(outputs, tmp_path):
    program = """
    try:
        dcp.save({"a": torch.ones(1), "step": 3}, storage_writer=hf.HuggingFaceStorageWriter(folder), no_dist=True)
    except dcp.CheckpointException as error:
        print("step is" in str(error) and "tensors only" in str(error))
    dist.destroy_process_group()
    """
    text = outputs(PROGRAM + "\n".join(line[4:] for line in program.splitlines()), 1, LIBRARY="rushlight",
                   FOLDER=str(tmp_path))  # fmt: skip
    assert text == ["True\n"]
