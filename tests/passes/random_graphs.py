"""Random programs in the text form: tensors that are written to in place, views, lists, conditionals, loops."""

from __future__ import annotations

import random
import re


class RandomProgram:
    """Writes the text of a graph with inputs `%a`, `%b` (Tensor) and `%n` (int) that returns a tuple of tensors and an
    int.
    """

    def __init__(self, seed: int, length: int = 14) -> None:
        self.random = random.Random(seed)
        self.count = 0
        self.lines: list[str] = []
        self.tensors, self.ints = ["%a", "%b"], ["%n"]
        self.lists: list[str] = []
        for i in range(4):
            self.line(f"%c{i} : int = prim::Constant[value={i}]()")
        self.line("%half : float = prim::Constant[value=0.5]()")
        self.line("%true : bool = prim::Constant[value=1]()")
        self.line("%none : NoneType = prim::Constant()")
        self.indent = ""
        self.statements(length, 0)
        kept = [self.random.choice(self.tensors) for _ in range(3)]
        results = [*kept, self.random.choice(self.ints)]
        types = ", ".join(["Tensor"] * 3 + ["int"])
        self.line(f"%result : ({types}) = prim::TupleConstruct({', '.join(results)})")

    @property
    def text(self) -> str:
        """The graph."""
        body = "\n".join(f"  {line}" for line in self.lines)
        return f"graph(%a : Tensor, %b : Tensor, %n : int):\n{body}\n  return (%result)\n"

    def line(self, text: str) -> None:
        self.lines.append(getattr(self, "indent", "") + text)

    def new(self, letter: str) -> str:
        self.count += 1
        return f"%{letter}{self.count}"

    def tensor(self) -> str:
        return self.random.choice(self.tensors[-6:] if self.random.random() < 0.7 else self.tensors)

    def int(self) -> str:
        return self.random.choice([*self.ints, "%c0", "%c1", "%c2", "%c3"])

    def statements(self, length: int, depth: int) -> None:
        makers = [
            self.pure, self.pure, self.pure, self.inplace, self.view, self.number, self.number, self.make_list,
            self.use_list, self.repeat,
        ]  # fmt: skip
        if depth < 2:
            makers += [lambda: self.conditional(depth), lambda: self.loop(depth)]
        for _ in range(length):
            self.random.choice(makers)()

    def define(self, letter: str, kind: str, text: str, pool: list[str]) -> None:
        name = self.new(letter)
        self.line(f"{name} : {kind} = {text}")
        pool.append(name)

    def pure(self) -> None:
        forms = [
            "aten::relu({0})", "aten::neg({0})", "aten::add({0}, {1}, %c1)", "aten::mul({0}, {1})",
            "aten::mul({0}, %half)", "aten::add({0}, {2}, %c1)", "aten::clone({0}, %none)",
            "aten::zeros_like({0}, %none, %none, %none, %none, %none)", "aten::dropout({0}, %half, %false)",
            "aten::contiguous({0}, %c0)",
        ]  # fmt: skip
        form = self.random.choice(forms)
        if "%false" in form:
            self.define("f", "bool", "prim::Constant[value=0]()", [])
            form = form.replace("%false", f"%f{self.count}")
        self.define("t", "Tensor", form.format(self.tensor(), self.tensor(), self.int()), self.tensors)

    def repeat(self) -> None:
        """The same computation again, for common subexpressions."""
        seen = {*self.tensors, *self.ints, *self.lists, "%c0", "%c1", "%c2", "%c3", "%half", "%true", "%none"}
        earlier = [
            line
            for line in self.lines
            if " : Tensor = aten::" in line and seen.issuperset(re.findall(r"%\w+", line.split(" = ", 1)[1]))
        ]
        if earlier:
            self.define("t", "Tensor", self.random.choice(earlier[-4:]).split(" = ", 1)[1], self.tensors)

    def inplace(self) -> None:
        forms = ["aten::add_({0}, {1}, %c1)", "aten::mul_({0}, %half)", "aten::relu_({0})", "aten::zero_({0})"]
        name = self.new("t")
        self.line(f"{name} : Tensor = {self.random.choice(forms).format(self.tensor(), self.tensor())}")
        if self.random.random() < 0.5:
            self.tensors.append(name)

    def view(self) -> None:
        forms = ["aten::transpose({0}, %c0, %c1)", "aten::slice({0}, %c0, %none, %none, %c1)", "aten::t({0})"]
        form = self.random.choice(forms)
        self.define("v", "Tensor", form.format(self.tensor()), self.tensors)

    def number(self) -> None:
        forms = [
            "aten::add({0}, {1})", "aten::mul({0}, %c1)", "aten::sub({0}, %c0)", "aten::size(%a, %c0)",
            "aten::dim(%b)", "aten::remainder({0}, %c3)",
        ]  # fmt: skip
        self.define("i", "int", self.random.choice(forms).format(self.int(), self.int()), self.ints)

    def make_list(self) -> None:
        self.define("l", "Tensor[]", f"prim::ListConstruct({self.tensor()}, {self.tensor()})", self.lists)

    def use_list(self) -> None:
        if not self.lists:
            return
        held = self.random.choice(self.lists)
        kind = self.random.randrange(5)
        if kind == 0:
            self.line(f"{self.new('x')} : Tensor[] = aten::append({held}, {self.tensor()})")
        elif kind == 1:
            self.line(f"{self.new('x')} : Tensor[] = aten::_set_item({held}, %c0, {self.tensor()})")
        elif kind == 2:
            self.define("i", "int", f"aten::len({held})", self.ints)
        elif kind == 3:
            self.define("t", "Tensor", f"aten::__getitem__({held}, %c1)", self.tensors)
        else:
            self.line(f"{(a := self.new('u'))} : Tensor = aten::stack({held}, %c0)")
            self.define("t", "Tensor", f"aten::select({a}, %c0, %c0)", self.tensors)

    def conditional(self, depth: int) -> None:
        condition = self.new("q")
        self.line(f"{condition} : bool = aten::gt({self.int()}, {self.int()})")
        out, number = self.new("t"), self.new("i")
        self.line(f"{out} : Tensor, {number} : int = prim::If({condition})")
        for i in range(2):
            self.nested(f"block{i}():", depth, lambda: f"-> ({self.tensor()}, {self.int()})")
        self.tensors.append(out)
        self.ints.append(number)

    def loop(self, depth: int) -> None:
        out, number = self.new("t"), self.new("i")
        count = self.random.choice(["%c2", "%c3", "%n"])
        self.line(f"{out} : Tensor, {number} : int = prim::Loop({count}, %true, {self.tensor()}, {self.int()})")
        x, k, index = self.new("t"), self.new("i"), self.new("i")

        def end() -> str:
            return f"-> (%true, {self.tensor()}, {self.int()})"

        self.nested(f"block0({index} : int, {x} : Tensor, {k} : int):", depth, end, [x], [index, k])
        self.tensors.append(out)
        self.ints.append(number)

    def nested(
        self, head: str, depth: int, end: object, tensors: list[str] | None = None, ints: list[str] | None = None
    ) -> None:
        saved = (list(self.tensors), list(self.ints), list(self.lists), self.indent)
        self.line(f"  {head}")
        self.indent += "    "
        self.tensors += tensors or []
        self.ints += ints or []
        self.statements(4, depth + 1)
        self.line(end())  # type: ignore[operator]
        self.tensors, self.ints, self.lists, self.indent = saved
