"""einsum, linalg, fft, complex numbers and functions of several results."""

import rushlight as torch
from rushlight import linalg

A = torch.randn(2, 3, 3)
spd = A @ A.mT + 3 * torch.eye(3)
x = torch.randn(2, 3, 1)

scores = torch.einsum("bij,bjk->bik", A, x)
trace = torch.einsum("bii->b", A) + torch.einsum("i,i->", A[0, 0], A[0, 0])
outer = torch.outer(A[0, 0], A[0, 1]) + torch.kron(torch.eye(1), A[0])
products = torch.matmul(A, x) + A.bmm(x) + torch.bmm(A, x) + torch.baddbmm(x, A, x, beta=0.5, alpha=2.0)
solved = torch.linalg.solve(spd, x) + torch.cholesky_solve(x, torch.linalg.cholesky(spd))
U, S, Vh = torch.linalg.svd(A, full_matrices=False)
values, vectors = torch.linalg.eigh(spd)
Q, R = linalg.qr(A, mode="reduced")
sign, logdet = linalg.slogdet(spd)
inverse = torch.linalg.inv(spd) + spd.inverse() + torch.linalg.pinv(A) + linalg.matrix_power(A, 2)
norms = linalg.norm(A) + linalg.vector_norm(A, ord=2) + linalg.matrix_norm(A, ord="fro").sum() + A.norm("fro")
rank = linalg.matrix_rank(A).sum() + torch.det(A).sum() + linalg.cond(spd).sum() + torch.trace(A[0])
spectrum = torch.fft.rfft(x.squeeze(-1), n=4, dim=-1, norm="ortho")
back = torch.fft.irfft(spectrum, n=4) + torch.fft.fftshift(torch.fft.fftfreq(4)) + spectrum.abs().sum()
z = torch.complex(torch.ones(2), torch.zeros(2)) * 1j + torch.polar(torch.ones(2), torch.zeros(2))
real = z.real + z.imag + z.abs() + z.angle() + torch.view_as_real(z)[:, 0] + z.conj().real
special = torch.special.erf(real) + torch.special.gammaln(real.abs() + 1) + torch.sinc(real) + torch.lgamma(real + 3)
distances = torch.cdist(A, A, p=2.0) + torch.cdist(A, A).triu(diagonal=1)
windows = torch.hann_window(8, periodic=True) + torch.hamming_window(8)
stft = torch.stft(torch.randn(64), n_fft=8, hop_length=4, window=windows, return_complex=True)
counts = torch.bincount(torch.tensor([0, 1, 1]), minlength=3) + torch.histc(real, bins=3, min=0, max=1)
least = torch.linalg.lstsq(A, x).solution + torch.linalg.multi_dot([A[0], A[0], A[0]]) @ x
bins = torch.bucketize(real, boundaries=torch.tensor([0.0, 1.0])) + torch.searchsorted(torch.arange(3.0), real)
print(scores, trace, outer, products, solved, U @ torch.diag_embed(S) @ Vh, values, vectors.mT, Q @ R, sign * logdet)
print(inverse, norms, rank, back, z, special, distances, stft.shape, counts, least, bins)
print(torch.addmm(A[0], A[0], A[0], beta=1, alpha=0.5), torch.lerp(A, A, 0.5), torch.cross(A[0], A[0], dim=-1))
