"""Every program of `programs/`: scripted, it does what it does in Python; so does its archive, here and in PyTorch."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

import linstock
from tests.tracer.harness import Case, cases, difference, outcome, programs, saved, to_torch, torch_cases

ALL = [pytest.param(p, c, id=f"{p}-{c.name}") for p in programs() for c in cases(p)]


def check(case: Case, found: Any, subject: Any) -> None:
    """The program `found` does what Python does."""
    for arguments in case.inputs:
        if case.python:
            problem = difference(outcome(subject, arguments), outcome(found, arguments))
            assert problem is None, problem
        else:
            result = outcome(found, arguments)
            if isinstance(result, Exception):
                raise result


@pytest.mark.parametrize("program, case", ALL)
def test_scripted_like_python(program: str, case: Case) -> None:
    subject = case.subject()
    scripted = linstock.jit.script(copy.deepcopy(subject))
    check(case, scripted, subject)
    with linstock.jit.optimized_execution(False):
        check(case, scripted, subject)


@pytest.mark.parametrize("program, case", ALL)
def test_saved_and_loaded(program: str, case: Case) -> None:
    subject = case.subject()
    scripted = linstock.jit.script(copy.deepcopy(subject))
    loaded = linstock.jit.load(saved(scripted))
    for arguments in case.inputs:
        problem = difference(outcome(scripted, arguments), outcome(loaded, arguments))
        assert problem is None, problem


@pytest.fixture(scope="module")
def with_torch(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Cases with PyTorch, by program and name."""
    pytest.importorskip("torch")
    folder: Path = tmp_path_factory.mktemp("programs")
    found: dict[str, dict[str, Case]] = {}

    def get(program: str, name: str) -> Case:
        if program not in found:
            found[program] = torch_cases(program, folder)
        return found[program][name]

    return get


def _differs_from_torch(theirs: Any, ours: Any) -> str | None:
    if isinstance(theirs, Exception) and isinstance(ours, Exception):
        raised = not isinstance(ours, linstock.jit.Error) or str(ours) in str(theirs)
        return None if raised else f"{ours!r} instead of {theirs!r}"
    return difference(theirs, ours)


@pytest.mark.interop
@pytest.mark.parametrize("program, case", [p for p in ALL if p.values[1].torch])
def test_archive_in_torch(program: str, case: Case, with_torch: Any) -> None:
    """PyTorch loads our archive of the program and runs it with the same results."""
    import torch

    scripted = linstock.jit.script(copy.deepcopy(case.subject()))
    loaded = torch.jit.load(saved(scripted))
    for ours, arguments in zip(case.inputs, with_torch(program, case.name).inputs, strict=True):
        problem = _differs_from_torch(outcome(loaded, arguments), outcome(scripted, ours))
        assert problem is None, problem


@pytest.mark.interop
@pytest.mark.parametrize("program, case", [p for p in ALL if p.values[1].torch])
def test_like_torch(program: str, case: Case, with_torch: Any) -> None:
    """PyTorch scripts the same program, with the same results."""
    import torch

    theirs = with_torch(program, case.name)
    subject = case.subject()
    scripted = linstock.jit.script(copy.deepcopy(subject))
    their_subject = theirs.subject()
    if hasattr(subject, "state_dict"):
        their_subject.load_state_dict(to_torch(subject.state_dict()))
    try:
        their_scripted = torch.jit.script(their_subject)
    except Exception:
        return  # we compile more than PyTorch does
    for ours, arguments in zip(case.inputs, theirs.inputs, strict=True):
        problem = _differs_from_torch(outcome(their_scripted, arguments), outcome(scripted, ours))
        assert problem is None, problem


@pytest.mark.interop
@pytest.mark.parametrize("program, case", [p for p in ALL if p.values[1].torch])
def test_programs_of_torch(program: str, case: Case, with_torch: Any) -> None:
    """A program that uses PyTorch's names and modules means the same when linstock scripts it."""
    theirs = with_torch(program, case.name)
    subject = theirs.subject()
    scripted = linstock.jit.script(copy.deepcopy(subject))
    for arguments in theirs.inputs:
        if case.python:
            problem = _differs_from_torch(outcome(subject, arguments), outcome(scripted, arguments))
            assert problem is None, problem
