"""What packages that train and explain models read of PyTorch: profilers, tangents, exports, records of checkpoints."""

import io

import pytest


def test_marks_for_a_profiler_only_run(torch):
    @torch.profiler.record_function("double")
    def double(x):
        return 2 * x

    with torch.autograd.profiler.record_function("part"):
        assert double(3) == 6
    assert double.__name__ == "double"


@pytest.mark.filterwarnings("ignore:Profiler won't be using warmup")
def test_a_schedule_says_what_a_profiler_does_at_a_step(torch):
    def names(**settings):
        action = torch.profiler.schedule(**settings)
        return [action(step).name for step in range(7)]

    assert names(wait=1, warmup=1, active=2) == [
        "NONE", "WARMUP", "RECORD", "RECORD_AND_SAVE", "NONE", "WARMUP", "RECORD",
    ]  # fmt: skip
    assert names(wait=0, warmup=0, active=1, repeat=2, skip_first=1) == [
        "NONE", "RECORD_AND_SAVE", "RECORD_AND_SAVE", "NONE", "NONE", "NONE", "NONE",
    ]  # fmt: skip
    assert names(wait=2, warmup=1, active=1, skip_first=1, skip_first_wait=1) == [
        "NONE", "WARMUP", "RECORD_AND_SAVE", "NONE", "NONE", "WARMUP", "RECORD_AND_SAVE",
    ]  # fmt: skip
    with pytest.raises(AssertionError, match="Invalid profiler schedule arguments. Got wait=-1"):
        torch.profiler.schedule(wait=-1, warmup=0, active=1)
    with pytest.raises(AssertionError, match="Step must be non-negative. Got -1."):
        torch.profiler.schedule(wait=0, warmup=1, active=1)(-1)


def test_a_schedule_without_warmup_warns(torch):
    with pytest.warns(UserWarning, match="Profiler won't be using warmup"):
        torch.profiler.schedule(wait=1, warmup=0, active=1)


# PyTorch compiles some of its own functions when it is first asked for tangents.
@pytest.mark.filterwarnings("ignore:.torch.jit:DeprecationWarning")
def test_a_tensor_has_no_tangent_outside_of_a_level(torch):
    x = torch.ones(2)
    primal, tangent = torch.autograd.forward_ad.unpack_dual(x)
    assert torch.equal(primal, x)
    assert tangent is None
    with pytest.raises(RuntimeError, match="Trying to create a dual Tensor for forward AD but no level exists"):
        torch.autograd.forward_ad.make_dual(x, x)


def test_operators_are_registered_for_an_export(torch):
    from_package = torch.onnx.register_custom_op_symbolic
    from_package("a_package::an_operator", lambda g, x: x, 11)
    torch.onnx.unregister_custom_op_symbolic("a_package::an_operator", 11)
    with pytest.raises(torch.onnx.OnnxExporterError, match="Failed to register operator no_domain. The symbolic name"):
        from_package("no_domain", lambda g, x: x, 11)
    with pytest.raises(ValueError, match="Failed to register operator onnx::Add. onnx domain cannot be modified."):
        from_package("onnx::Add", lambda g, x: x, 11)
    assert not torch.onnx.is_in_onnx_export()


def test_records_of_a_checkpoint_are_read_one_at_a_time(torch):
    file = io.BytesIO()
    torch.save({"w": torch.arange(3.0)}, file)
    file.seek(0)
    reader = torch.PyTorchFileReader(file)
    assert reader.has_record("data/0")
    assert not reader.has_record("data/1")
    assert {"data.pkl", "byteorder", "data/0", "version"} <= set(reader.get_all_records())
    assert reader.get_record("byteorder") == b"little"
    assert reader.get_record_size("data/0") == 12
    start = reader.get_record_offset("data/0")
    assert file.getvalue()[start : start + 12] == reader.get_record("data/0")
    memory = reader.get_storage_from_record("data/0", 12, torch.UntypedStorage)
    assert memory.untyped_storage().nbytes() == 12
    with pytest.raises(RuntimeError, match="PytorchStreamReader failed locating file data/1: file not found"):
        reader.get_record("data/1")


def test_a_file_that_is_not_there_has_no_records(torch, tmp_path):
    with pytest.raises(RuntimeError, match="open file failed because of errno 2 on fopen: No such file or directory"):
        torch.PyTorchFileReader(str(tmp_path / "none.pt"))


def test_functions_that_write_are_offered_to_the_class_of_what_they_write_to(torch):
    class Recorder:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return func.__name__, args[1:]

    x = Recorder()
    assert torch.relu_(x) == ("relu_", ())
    assert torch.dropout_(x, 0.5, True) == ("dropout_", (0.5, True))
    assert torch.nn.functional.threshold_(x, 1, 2) == ("threshold_", (1, 2))
    assert torch._assert(x, "message") == ("_assert", ("message",))
    with pytest.raises(TypeError, match="must be Tensor, not int"):
        torch.relu_(3)


def test_reading_images_between_pixels_is_offered_by_its_own_name(torch):
    class Image(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            if func is torch.nn.functional.grid_sample:
                types = (torch.Tensor,)
            return super().__torch_function__(func, types, args, kwargs or {})

    class Field(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return NotImplemented

    image = torch.arange(4.0).view(1, 1, 2, 2).as_subclass(Image)
    field = torch.zeros(1, 1, 1, 2).as_subclass(Field)
    result = torch.nn.functional.grid_sample(image, field, align_corners=True)
    assert type(result) is Image
    assert result.as_subclass(torch.Tensor).item() == 1.5
