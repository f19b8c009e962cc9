"""Sizes that no program means: negative, zero, beyond memory, beyond 32 bits. They are refused at once, as by PyTorch.

Each call runs in a process of its own, with little memory and little time: what allocates first and thinks later, or
works through a size in a loop, does not come back.
"""

import json
import subprocess
import sys

import pytest

VALUES = (-1, 2**31, 2**62)
CALLS = [
    "F.adaptive_max_pool1d(X3,{})",
    "F.adaptive_avg_pool1d(X3,{})",
    "F.adaptive_max_pool2d(X4,{})",
    "F.adaptive_avg_pool2d(X4,({},2))",
    "F.adaptive_max_pool3d(X5,{})",
    "F.adaptive_avg_pool3d(X5,{})",
    "nn.AdaptiveMaxPool1d({})(X3)",
    "nn.AdaptiveAvgPool2d({})(X4)",
    "F.max_pool2d(X4,{})",
    "F.max_pool2d(X4,2,{})",
    "F.max_pool2d(X4,2,2,{})",
    "F.max_pool2d(X4,2,1,0,{})",
    "F.avg_pool1d(X3,{})",
    "F.avg_pool1d(X3,1,{})",
    "F.avg_pool1d(X3,2,1,{})",
    "F.avg_pool2d(X4,{})",
    "F.avg_pool2d(X4,2,{})",
    "F.avg_pool2d(X4,2,1,{})",
    "F.avg_pool2d(X4,2,divisor_override={})",
    "F.avg_pool3d(X5,{})",
    "F.max_pool3d(X5,2,{})",
    "F.max_pool1d(X3,1,1,0,{})",
    "F.lp_pool1d(X3,2,{})",
    "F.lp_pool2d(X4,2,2,{})",
    "F.max_unpool1d(X3,I3,2,{})",
    "F.max_unpool2d(X4,I4,2,output_size=({0},{0}))",
    "F.interpolate(X4,size={})",
    "F.interpolate(X4,size=({},2),mode='bilinear')",
    "F.interpolate(X4,scale_factor={})",
    "F.interpolate(X3,size={},mode='linear')",
    "F.interpolate(X4,size={},mode='bicubic')",
    "F.interpolate(X5,size={},mode='trilinear')",
    "F.interpolate(X4,size={},mode='area')",
    "F.interpolate(X4,scale_factor={}*1.0,mode='bilinear')",
    "nn.Upsample(size={})(X4)",
    "nn.Upsample(scale_factor={})(X4)",
    "F.interpolate(X4,size={},mode='nearest-exact')",
    "F.interpolate(X4,size=({},3),mode='bilinear',antialias=True)",
    "F.pad(X4,(0,{}))",
    "F.pad(X4,({},0))",
    "F.pad(X4,({},0,0,0),mode='reflect')",
    "F.pad(X4,({},0,0,0),mode='replicate')",
    "F.pad(X4,({},0,0,0),mode='circular')",
    "nn.ZeroPad2d({})(X4)",
    "nn.ReflectionPad1d({})(X3)",
    "nn.ConstantPad1d({},1.)(X3)",
    "nn.ReplicationPad3d({})(X5)",
    "F.one_hot(I1,{})",
    "torch.eye({})",
    "torch.eye(2,{})",
    "torch.arange({})",
    "torch.arange(0,{},1)",
    "torch.arange(0,10,{})",
    "torch.range(0,{})",
    "torch.linspace(0,1,{})",
    "torch.logspace(0,1,{})",
    "torch.arange(0,{},2**60)",
    "X2.repeat({},1)",
    "X2.repeat(2,{})",
    "X1.repeat({})",
    "torch.repeat_interleave(X1,{})",
    "torch.repeat_interleave(X2,{},dim=0)",
    "torch.tile(X1,({},))",
    "X2.tile({},2)",
    "X1.expand({},4)",
    "X1.broadcast_to(({},4))",
    "torch.stft(X1,4,{},return_complex=True)",
    "torch.stft(X1,4,2,{},return_complex=True)",
    "torch.hann_window({})",
    "torch.hamming_window({})",
    "torch.blackman_window({})",
    "torch.bartlett_window({})",
    "torch.kaiser_window({})",
    "torch.fft.fft(X1,{})",
    "torch.fft.rfft(X1,{})",
    "torch.fft.irfft(X1,{})",
    "torch.fft.fft2(X2,({},2))",
    "torch.fft.fftfreq({})",
    "torch.fft.hfft(X1,{})",
    "nn.Embedding({},3)",
    "nn.Embedding(3,{})",
    "nn.Embedding(3,3,padding_idx={})",
    "F.embedding(I1,X2,padding_idx={})",
    "F.embedding_bag(I1,X2,I0,padding_idx={})",
    "nn.Linear({},2)",
    "nn.Linear(2,{})",
    "nn.Bilinear({},2,2)",
    "nn.Conv1d({},1,1)",
    "nn.Conv2d(2,{},1)",
    "nn.Conv2d(2,2,{})",
    "nn.Conv2d(2,2,1,groups={})",
    "nn.ConvTranspose2d(2,{},1)",
    "nn.LSTM({},2)",
    "nn.LSTM(2,{})",
    "nn.GRU({},1)",
    "nn.RNN(1,{})",
    "nn.GRUCell({},2)",
    "nn.RNNCell(2,{})",
    "nn.BatchNorm1d({})",
    "nn.LayerNorm({})",
    "nn.GroupNorm({},4)",
    "nn.GroupNorm(2,{})",
    "nn.InstanceNorm1d({},affine=True)",
    "nn.MultiheadAttention({},1)",
    "nn.MultiheadAttention(4,{})",
    "nn.TransformerEncoderLayer(4,2,{})",
    "nn.PReLU({})",
    "nn.LSTM(2,4,proj_size={})",
    "nn.RMSNorm({})",
    "nn.EmbeddingBag({},2)",
    "nn.Flatten({})(X4)",
    "nn.Unflatten(1,({},2))(X4)",
    "nn.LocalResponseNorm({})(X4)",
    "nn.ChannelShuffle({})(X4)",
    "nn.PixelUnshuffle({})(X4)",
    "nn.LPPool1d(2,{})(X3)",
    "nn.CosineSimilarity({})(X2,X2)",
    "nn.Softmax({})(X2)",
    "nn.GLU({})(X2)",
    "F.conv2d(X4,W4,padding={})",
    "F.conv2d(X4,W4,dilation={})",
    "F.conv2d(X4,W4,groups={})",
    "F.conv_transpose2d(X4,W4,stride={})",
    "F.conv_transpose2d(X4,W4,padding={})",
    "F.conv_transpose2d(X4,W4,output_padding={})",
    "F.conv_transpose2d(X4,W4,dilation={})",
    "F.conv3d(X5,W5,padding={})",
    "F.conv1d(X3,W3,padding={})",
    "F.conv1d(X3,W3,dilation={})",
    "F.conv_transpose1d(X3,W3,stride={})",
    "F.pixel_unshuffle(X4,{})",
    "F.channel_shuffle(X4,{})",
    "torch.empty({})",
    "torch.zeros({})",
    "torch.ones(2,{})",
    "torch.full(({},),1.)",
    "torch.full(({},2),1)",
    "X1.new_empty({})",
    "X1.new_zeros(({},))",
    "X1.new_full(({},),1.)",
    "X1.new_ones({},2)",
    "torch.rand({})",
    "torch.randn({})",
    "torch.randint(10,({},))",
    "torch.randperm({})",
    "torch.empty_strided(({},),(1,))",
    "torch.empty_strided((2,),({},))",
    "torch.normal(0.,1.,({},))",
    "torch.multinomial(P1,{})",
    "torch.multinomial(P1,{},True)",
    "torch.bincount(I1,minlength={})",
    "torch.histc(X1,{})",
    "torch.histogram(X1,{})",
    "torch.tril_indices({},2)",
    "torch.tril_indices(2,{})",
    "torch.triu_indices({0},{0})",
    "torch.tril_indices(2,2,{})",
    "torch.vander(X1,{})",
    "X4.unflatten(1,({},-1))",
    "X4.unflatten(1,({},))",
    "X2.split({})",
    "X2.split([{},1])",
    "X2.chunk({})",
    "X2.tensor_split({})",
    "X2.tensor_split([{}])",
    "X2.narrow(0,0,{})",
    "X2.narrow(0,{},1)",
    "X2.select(0,{})",
    "X2.rot90({})",
    "X2.tril({})",
    "X2.triu({})",
    "X2.diagonal({})",
    "torch.diag(X1,{})",
    "torch.diag_embed(X1,{})",
    "torch.diagflat(X1,{})",
    "X2.topk({})",
    "X2.kthvalue({})",
    "X1.view({})",
    "X1.reshape({},4)",
    "X1.view({},-1)",
    "X1.resize_({})",
    "X1.resize_({},2)",
    "X1.as_strided(({},),(1,))",
    "X1.as_strided((2,),({},))",
    "X1.as_strided((2,),(1,),{})",
    "torch.as_strided_scatter(X1,X1,({},),(1,))",
    "torch.combinations(X1,{})",
    "torch.mvlgamma(X1+9,{})",
    "torch.renorm(X2,2,{},1.)",
    "X2.cumsum({})",
    "X2.sum({})",
    "X2.flip({})",
    "X2.squeeze({})",
    "X2.unsqueeze({})",
    "X2.transpose(0,{})",
    "X2.movedim(0,{})",
    "X2.softmax({})",
    "torch.cat([X2,X2],{})",
    "torch.stack([X2],{})",
    "X2.gather(0,torch.tensor([[{}]]))",
    "X2.index_select(0,torch.tensor([{}]))",
    "X2.take(torch.tensor([{}]))",
    "X2.scatter(0,torch.tensor([[{}]]),1.)",
    "X2.index_fill(0,torch.tensor([{}]),1.)",
    "X2.diff({})",
    "torch.gradient(X1,dim={})",
    "torch.cov(X2,correction={})",
    "X2.var(correction={})",
    "X2.std(0,correction={})",
    "torch.svd_lowrank(X2,{})",
    "torch.pca_lowrank(X2,{})",
    "X1.random_({})",
    "X1.random_(0,{})",
    "F.nll_loss(X2.log_softmax(1),torch.tensor([0,1]),ignore_index={})",
    "F.cross_entropy(X2,torch.tensor([0,{}]))",
    "F.gumbel_softmax(X2,dim={})",
    "F.local_response_norm(X4,{})",
    "F.group_norm(X4,{})",
    "F.glu(X2,{})",
    "F.upsample(X4,{})",
    "F.affine_grid(torch.ones(1,2,3),(1,1,{},2))",
    "F.affine_grid(torch.ones(1,2,3),(1,1,2,{}))",
    "torch.nn.utils.rnn.pack_padded_sequence(X3,[{},1])",
    "torch.special.multigammaln(X1+9,{})",
]
# What PyTorch makes of numbers that wrap around is no result, or it hangs itself.
WRAPPED = {
    "F.max_unpool1d(X3,I3,2,{})": (2**62,),
    "X1.unfold(0,2,{})": (2**62,),
    "torch.stft(X1,4,{},return_complex=True)": (2**62,),
}
PROGRAM = """
import json, os, resource, select, sys, warnings
warnings.simplefilter("ignore")
torch = __import__(sys.argv[1])
calls = json.load(sys.stdin)
torch.manual_seed(0)
nn, F = torch.nn, torch.nn.functional
X1, X2, X3 = torch.tensor([0.1, 0.2, 0.3, 0.4]), torch.rand(2, 3), torch.rand(2, 4, 4)
X4, X5 = torch.rand(2, 4, 4, 4), torch.rand(1, 2, 4, 4, 4)
I1, I0 = torch.tensor([0, 1, 1, 2]), torch.tensor([0, 2])
I3 = torch.zeros(2, 4, 4, dtype=torch.int64) + torch.arange(4)
I4 = torch.arange(16).reshape(4, 4).expand(2, 4, 4, 4).contiguous()
W3, W4, W5, S2 = torch.rand(4, 4, 2), torch.rand(4, 4, 2, 2), torch.rand(2, 2, 2, 2, 2), torch.eye(3)
P1 = torch.tensor([0.1, 0.2, 0.3])


def outcome(call):
    try:
        found = eval(call)
    except Exception as error:
        return type(error).__name__
    return str(tuple(found.shape)) if isinstance(found, torch.Tensor) else type(found).__name__


def alone(call):
    there, here = os.pipe()
    child = os.fork()
    if not child:
        try:
            resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
            os.write(here, outcome(call).encode())
        finally:
            os._exit(0)
    os.close(here)
    ready = select.select([there], [], [], 20)[0]
    found = os.read(there, 1000).decode() if ready else "does not come back"
    os.close(there)
    if not ready:
        os.kill(child, 9)
    os.waitpid(child, 0)
    return found or "killed"


print(json.dumps([alone(each) for each in calls]))
"""
PIECES = 4


def filled(call: str) -> list[str]:
    return [call.format(f"({value})") for value in VALUES if value not in WRAPPED.get(call, ())]


def outcomes(library: str, calls: list[str]) -> list[str]:
    """What becomes of each call: a shape, the type of an error, or of what it gives; or that it does not come back."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, library], input=json.dumps(calls), capture_output=True, text=True, timeout=500
    )
    assert not done.returncode, done.stderr
    return json.loads(done.stdout)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are limited in memory by Linux")
@pytest.mark.parametrize("piece", range(PIECES))
def test_absurd_sizes(piece):
    calls = [each for call in CALLS[piece::PIECES] for each in filled(call)]
    result = outcomes("rushlight", calls)
    failed = {"does not come back", "killed", "MemoryError", "OverflowError", "AttributeError", "SystemError"}
    assert not {call: each for call, each in zip(calls, result, strict=True) if each in failed}
    pytest.importorskip("torch")
    expected = outcomes("torch", calls)
    rows = zip(calls, result, expected, strict=True)
    assert not [row for row in rows if row[1] != row[2] and row[2] not in ("killed", "does not come back")]
