"""Written by `python -m rushlight.dispatch.generate` from the declarations in `ops/`: do not edit."""

from rushlight._generated.functions import digamma as digamma
from rushlight._generated.functions import erf as erf
from rushlight._generated.functions import erfc as erfc
from rushlight._generated.functions import erfinv as erfinv
from rushlight._generated.functions import exp2 as exp2
from rushlight._generated.functions import expm1 as expm1
from rushlight._generated.functions import i0 as i0
from rushlight._generated.functions import i0e as i0e
from rushlight._generated.functions import i1 as i1
from rushlight._generated.functions import i1e as i1e
from rushlight._generated.functions import log1p as log1p
from rushlight._generated.functions import log_softmax as log_softmax
from rushlight._generated.functions import logit as logit
from rushlight._generated.functions import logsumexp as logsumexp
from rushlight._generated.functions import polygamma as polygamma
from rushlight._generated.functions import round as round
from rushlight._generated.functions import sinc as sinc
from rushlight._generated.functions import softmax as softmax
from rushlight._generated.functions import xlogy as xlogy

__all__ = ['digamma', 'erf', 'erfc', 'erfinv', 'exp2', 'expm1', 'i0', 'i0e', 'i1', 'i1e', 'log1p', 'log_softmax', 'logit', 'logsumexp', 'polygamma', 'round', 'sinc', 'softmax', 'xlogy']
