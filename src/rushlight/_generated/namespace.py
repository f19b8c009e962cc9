"""Written by `python -m rushlight.dispatch.generate` from the declarations in `ops/`: do not edit."""

from rushlight._generated.functions import add as add
from rushlight._generated.functions import add_ as add_
from rushlight._generated.functions import clone as clone
from rushlight._generated.functions import conj as conj
from rushlight._generated.functions import conj_ as conj_
from rushlight._generated.functions import eq as eq
from rushlight._generated.functions import eq_ as eq_
from rushlight._generated.functions import exp as exp
from rushlight._generated.functions import exp_ as exp_
from rushlight._generated.functions import expand as expand
from rushlight._generated.functions import log as log
from rushlight._generated.functions import log_ as log_
from rushlight._generated.functions import mm as mm
from rushlight._generated.functions import mul as mul
from rushlight._generated.functions import mul as multiply
from rushlight._generated.functions import mul_ as mul_
from rushlight._generated.functions import mul_ as multiply_
from rushlight._generated.functions import neg as neg
from rushlight._generated.functions import neg as negative
from rushlight._generated.functions import neg_ as neg_
from rushlight._generated.functions import neg_ as negative_
from rushlight._generated.functions import reshape as reshape
from rushlight._generated.functions import rsub as rsub
from rushlight._generated.functions import rsub_ as rsub_
from rushlight._generated.functions import square as square
from rushlight._generated.functions import square_ as square_
from rushlight._generated.functions import sub as sub
from rushlight._generated.functions import sub as subtract
from rushlight._generated.functions import sub_ as sub_
from rushlight._generated.functions import sub_ as subtract_
from rushlight._generated.functions import sum as sum
from rushlight._generated.functions import t as t
from rushlight._generated.functions import tanh as tanh
from rushlight._generated.functions import tanh_ as tanh_
from rushlight._generated.functions import transpose as transpose
from rushlight._generated.functions import true_divide as true_divide
from rushlight._generated.functions import true_divide_ as true_divide_

__all__ = ['add', 'add_', 'clone', 'conj', 'conj_', 'eq', 'eq_', 'exp', 'exp_', 'expand', 'log', 'log_', 'mm', 'mul', 'mul_', 'multiply', 'multiply_', 'neg', 'neg_', 'negative', 'negative_', 'reshape', 'rsub', 'rsub_', 'square', 'square_', 'sub', 'sub_', 'subtract', 'subtract_', 'sum', 't', 'tanh', 'tanh_', 'transpose', 'true_divide', 'true_divide_']
