"""`linstock.random`: seeds and states of the default random generator."""

from linstock.backends.array.generator import default_generator
from linstock.runtime.settings import fork_rng, get_rng_state, initial_seed, manual_seed, seed, set_rng_state

__all__ = ["default_generator", "fork_rng", "get_rng_state", "initial_seed", "manual_seed", "seed", "set_rng_state"]
