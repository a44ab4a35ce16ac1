"""Names while a function is compiled: a stack of frames, one per block, in direct SSA form.

A frame records what its block assigned, so that the end of an `if` or loop knows what to merge.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from linstock.ir.types import Type
from linstock.tracer.values import Sugared


@dataclass
class Frame:
    """Names of one block. `refined` are names whose type the block's condition narrowed: not assignments.

    `broken` holds, for names that a conditional left undefined, the reason to give when they are used.
    """

    parent: Frame | None = None
    assigned: dict[str, Sugared] = field(default_factory=dict)
    refined: dict[str, Sugared] = field(default_factory=dict)
    declared: dict[str, Type] = field(default_factory=dict)
    broken: dict[str, str] = field(default_factory=dict)

    def find(self, name: str) -> Sugared | None:
        """What the name means here, or None."""
        frame: Frame | None = self
        while frame is not None:
            if name in frame.broken:
                return None
            found = frame.assigned.get(name) or frame.refined.get(name)
            if found is not None:
                return found
            frame = frame.parent
        return None

    def why_broken(self, name: str) -> str | None:
        frame: Frame | None = self
        while frame is not None:
            if name in frame.broken:
                return frame.broken[name]
            if name in frame.assigned:
                return None
            frame = frame.parent
        return None

    def declared_type(self, name: str) -> Type | None:
        """The annotated type of a variable, if it has one."""
        frame: Frame | None = self
        while frame is not None:
            if name in frame.declared:
                return frame.declared[name]
            frame = frame.parent
        return None

    def set(self, name: str, value: Sugared) -> None:
        self.assigned[name] = value
        self.refined.pop(name, None)
        self.broken.pop(name, None)

    def refine(self, name: str, value: Sugared) -> None:
        if name in self.assigned:
            self.assigned[name] = value
        else:
            self.refined[name] = value

    def spoil(self, name: str, why: str) -> None:
        self.assigned.pop(name, None)
        self.broken[name] = why

    def forget_paths(self, root: str) -> None:
        """Drop what is known of the attributes of a variable that gets another value."""
        frame: Frame | None = self
        start = root + "."
        while frame is not None:
            for name in [n for n in (*frame.assigned, *frame.refined) if n.startswith(start)]:
                self.spoil(name, "")
            frame = frame.parent
