"""Functions written by hand that make tensors, convert them, or answer questions about them."""
