"""Looking rows up in a table."""

from __future__ import annotations

from rushlight.ops.declare import composite, linear


@linear(spaces=("torch",), method=None, exact=True, out=False)
class embedding:
    """The rows of `weight` that `indices` name. The row `padding_idx` gets no gradient."""

    def forward(xp, weight: Tensor, indices: Constant, padding_idx=-1, scale_grad_by_freq=False, sparse=False):
        if indices.dtype.kind not in "iu":
            raise RuntimeError(
                "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but "
                f"got torch.{xp.scalar_name(indices)}Tensor instead (while checking arguments for embedding)"
            )
        return xp.rows_of(weight, indices)

    def d_weight(F, g, weight_shape, indices, padding_idx, scale_grad_by_freq):
        return F.embedding_gradient(g, indices, weight_shape[0], padding_idx, scale_grad_by_freq)

    samples = lambda r: [(r(5, 3), r.integers(5, 2, 2)), (r(5, 3), r.integers(5, 4), 1), (r(5, 2), r.integers(5))]


@linear(spaces=(), out=False)
class embedding_gradient:
    """The transpose of `embedding`: rows are added where they were looked up."""

    def forward(xp, input: Tensor, indices: Constant, rows, padding_idx, scale_grad_by_freq):
        return xp.embedding_gradient(input, indices, rows, padding_idx, scale_grad_by_freq)

    def d_input(F, g, indices, padding_idx, scale_grad_by_freq):
        return F.embedding_again(g, indices, padding_idx, scale_grad_by_freq)

    node = "EmbeddingDenseBackward0"
    samples = lambda r: [(r(4, 3), r.integers(5, 4), 5, -1, False), (r(4, 3), r.integers(5, 4), 5, 1, True)]


@linear(spaces=(), out=False)
class embedding_again:
    """The transpose of `embedding_gradient`: rows looked up, `padding_idx` as zeros, over how often they occur."""

    def forward(xp, input: Tensor, indices: Constant, padding_idx, scale_grad_by_freq):
        return xp.embedding_again(input, indices, padding_idx, scale_grad_by_freq)

    def d_input(F, g, input_shape, indices, padding_idx, scale_grad_by_freq):
        return F.embedding_gradient(g, indices, input_shape[0], padding_idx, scale_grad_by_freq)

    samples = lambda r: [(r(5, 3), r.integers(5, 4), -1, False), (r(5, 3), r.integers(5, 4), 1, True)]


@composite(method=None, out=False)
def embedding_renorm_(F, input, indices, max_norm, norm_type):
    """Shortens the rows of a table that are looked up to a norm of `max_norm` at most, in place."""
    for row in sorted(set(indices.flatten().tolist())):
        length = float(F.norm(input[row], norm_type))
        if length > max_norm:
            input[row] = input[row] * (max_norm / (length + 1e-7))
    return input


@composite(spaces=("nn.functional",))
def one_hot(F, tensor, num_classes=-1):
    """A 1 in the place that each whole number names, in a new last dimension.

    Raises RuntimeError for negative numbers, or numbers beyond `num_classes`.
    """
    if tensor.dtype.name != "int64":
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if tensor.numel() == 0:
        if num_classes <= 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
        return F.new_zeros_of(tensor, (*tensor.shape, num_classes))
    if int(tensor.min()) < 0:
        raise RuntimeError("Class values must be non-negative.")
    largest = int(tensor.max())
    if num_classes != -1 and largest >= num_classes:
        raise RuntimeError("Class values must be smaller than num_classes.")
    classes = largest + 1 if num_classes == -1 else num_classes
    zeros = F.new_zeros_of(tensor, (*tensor.shape, classes))
    return F.scatter(zeros, -1, tensor.unsqueeze(-1), 1)
