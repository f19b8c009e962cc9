"""Written by `python -m rushlight.dispatch.generate` from the declarations in `ops/`: do not edit."""

from rushlight._generated.functions import fft_fft as fft
from rushlight._generated.functions import fft_fft2 as fft2
from rushlight._generated.functions import fft_fftn as fftn
from rushlight._generated.functions import fft_fftshift as fftshift
from rushlight._generated.functions import fft_hfft as hfft
from rushlight._generated.functions import fft_hfft2 as hfft2
from rushlight._generated.functions import fft_hfftn as hfftn
from rushlight._generated.functions import fft_ifft as ifft
from rushlight._generated.functions import fft_ifft2 as ifft2
from rushlight._generated.functions import fft_ifftn as ifftn
from rushlight._generated.functions import fft_ifftshift as ifftshift
from rushlight._generated.functions import fft_ihfft as ihfft
from rushlight._generated.functions import fft_ihfft2 as ihfft2
from rushlight._generated.functions import fft_ihfftn as ihfftn
from rushlight._generated.functions import fft_irfft as irfft
from rushlight._generated.functions import fft_irfft2 as irfft2
from rushlight._generated.functions import fft_irfftn as irfftn
from rushlight._generated.functions import fft_rfft as rfft
from rushlight._generated.functions import fft_rfft2 as rfft2
from rushlight._generated.functions import fft_rfftn as rfftn

__all__ = ['fft', 'fft2', 'fftn', 'fftshift', 'hfft', 'hfft2', 'hfftn', 'ifft', 'ifft2', 'ifftn', 'ifftshift', 'ihfft', 'ihfft2', 'ihfftn', 'irfft', 'irfft2', 'irfftn', 'rfft', 'rfft2', 'rfftn']
