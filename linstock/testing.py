"""`linstock.testing`: comparing results in tests."""

from linstock.runtime.comparing import assert_allclose, assert_close, make_tensor

__all__ = ["assert_allclose", "assert_close", "make_tensor"]
