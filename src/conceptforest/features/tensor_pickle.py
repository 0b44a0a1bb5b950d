"""The one kind of pickle in a file of PyTorch weights: names and where their tensors lie.

Nothing is unpickled. The opcodes are read one by one, and only those that such a file needs have a
meaning here; the few names of Python objects that may occur stand for nothing but themselves. Each
opcode costs no more than the items it takes from the stack, and no value is ever searched,
compared or written out, so that values that hold each other a billion times over cost nothing.
"""

from __future__ import annotations

import math
import pickletools
import reprlib
from dataclasses import dataclass, field
from typing import Any, NoReturn, TypeAlias

__all__ = ["MAX_PICKLE", "Storage", "Tensor", "interpret", "refuse"]

# Bytes of one pickle: a tensor takes about 150, so this is room for 100,000 of them.
MAX_PICKLE = 2**24

Shape: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Storage:
    """A run of numbers that lies elsewhere in the file.

    Attributes
    ----------
    kind : str
        PyTorch's name of its type, such as ``"FloatStorage"``.
    key : str
    length : int
        Numbers, not bytes.
    """

    kind: str
    key: str
    length: int


@dataclass(frozen=True, eq=False)
class Tensor:
    """A tensor as a part of a storage; lengths, steps and start in numbers, not bytes.

    What it says has the right types, lies within its storage and is no larger than that.
    """

    storage: Storage
    start: int
    shape: Shape
    steps: Shape


@dataclass(frozen=True)
class _Name:
    """The name of a Python object, which is never looked up."""

    module: str
    name: str


_KINDS = ("Float", "Half", "Double", "Long", "Int", "Short", "Char", "Byte", "Bool", "BFloat16")
_ORDERED = _Name("collections", "OrderedDict")
_TENSOR = _Name("torch._utils", "_rebuild_tensor_v2")
_PARAMETER = _Name("torch._utils", "_rebuild_parameter")
_STORAGES = {_Name("torch", f"{kind}Storage") for kind in _KINDS}
_NAMES = {_ORDERED, _TENSOR, _PARAMETER} | _STORAGES

_PUSH_ARGUMENT = {"BINUNICODE", "SHORT_BINUNICODE", "BININT", "BININT1", "BININT2", "LONG1"}
_PUSH_ARGUMENT |= {"BINFLOAT"}
_PUSH_CONSTANT = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False, "EMPTY_TUPLE": ()}
_SHORT_TUPLES = {"TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3}
_IGNORED = {"PROTO", "FRAME"}
_MAX_DIMENSIONS = 16
_MAX_NUMBER = 2**48


def interpret(data: bytes) -> tuple[Any, int]:
    """Read the first pickle in some bytes.

    Parameters
    ----------
    data : bytes
        More may follow after the pickle.

    Returns
    -------
    value : dict, list, tuple, str, int, float, bool, None, Tensor or Storage
    length : int
        Bytes of the pickle.

    Raises
    ------
    ValueError
        If the pickle is damaged or holds anything that weights do not need; the message names it.

    Examples
    --------
    >>> import pickle
    >>> interpret(pickle.dumps({"a": (1, 2)}, protocol=2))[0]
    {'a': (1, 2)}
    >>> interpret(pickle.dumps(print, protocol=2))
    Traceback (most recent call last):
    ValueError: it asks for __builtin__.print, which weights do not need and which is never run
    """
    machine = _Machine()
    for opcode, argument, place in pickletools.genops(data):
        if place is None or place > MAX_PICKLE:
            break
        if opcode.name == "STOP":
            return machine.result(), place + 1
        machine.step(opcode.name, argument)
    raise ValueError(f"its list of tensors does not end within {MAX_PICKLE:,} bytes")


def refuse(why: str) -> NoReturn:
    """Raise a ValueError: what a file holds is of a wrong value, even where its type is wrong."""
    raise ValueError(why)


@dataclass
class _Machine:
    """The stack of values, the places on it that are marked, and what is remembered by number."""

    stack: list[Any] = field(default_factory=list)
    marks: list[int] = field(default_factory=list)
    memory: dict[int, Any] = field(default_factory=dict)

    def result(self) -> Any:
        if len(self.stack) != 1 or self.marks:
            raise ValueError("its list of tensors is damaged")
        return self.stack[0]

    def step(self, opcode: str, argument: Any) -> None:
        if opcode in _PUSH_ARGUMENT:
            self.stack.append(argument)
        elif opcode in _PUSH_CONSTANT:
            self.stack.append(_PUSH_CONSTANT[opcode])
        elif opcode in _SHORT_TUPLES:
            self.stack.append(tuple(self.pop(_SHORT_TUPLES[opcode])))
        elif opcode not in _IGNORED:
            action = getattr(self, f"do_{opcode.lower()}", None)
            if action is None:
                raise ValueError(
                    f"it uses the pickle opcode {opcode}, which weights do not need and which is"
                    " never run"
                )
            action(argument)

    def pop(self, count: int) -> list[Any]:
        """Take the last `count` values, none from below the last mark."""
        if len(self.stack) - (self.marks[-1] if self.marks else 0) < count:
            raise ValueError("its list of tensors is damaged: a value is missing")
        values = self.stack[len(self.stack) - count :]
        del self.stack[len(self.stack) - count :]
        return values

    def pop_to_mark(self) -> list[Any]:
        if not self.marks:
            raise ValueError("its list of tensors is damaged: a mark is missing")
        start = self.marks.pop()
        values = self.stack[start:]
        del self.stack[start:]
        return values

    # Each of these does one opcode; the names are pickle's own.

    def do_mark(self, _: None) -> None:
        self.marks.append(len(self.stack))

    def do_tuple(self, _: None) -> None:
        self.stack.append(tuple(self.pop_to_mark()))

    def do_empty_dict(self, _: None) -> None:
        self.stack.append({})

    def do_empty_list(self, _: None) -> None:
        self.stack.append([])

    def do_append(self, _: None) -> None:
        self.extend(self.pop(1))

    def do_appends(self, _: None) -> None:
        self.extend(self.pop_to_mark())

    def extend(self, values: list[Any]) -> None:
        (target,) = self.pop(1)
        if not isinstance(target, list):
            refuse("its list of tensors is damaged: it adds to what is no list")
        target.extend(values)
        self.stack.append(target)

    def do_setitem(self, _: None) -> None:
        self.update(self.pop(2))

    def do_setitems(self, _: None) -> None:
        self.update(self.pop_to_mark())

    def update(self, pairs: list[Any]) -> None:
        (target,) = self.pop(1)
        if not isinstance(target, dict) or len(pairs) % 2:
            raise ValueError("its list of tensors is damaged: it sets an item of what is no dict")
        for key, value in zip(pairs[::2], pairs[1::2], strict=True):
            if not isinstance(key, str):  # hashing a tuple can take for ever
                refuse(f"it has a key of type {type(key).__name__}; names are strings")
            if key in target:
                raise ValueError(f"it has {reprlib.repr(key)} twice")
            target[key] = value
        self.stack.append(target)

    def do_build(self, _: None) -> None:
        """Drop the attributes of a dict: PyTorch adds the versions of the layers there."""
        target, _state = self.pop(2)
        if not isinstance(target, dict):
            refuse("it sets attributes of an object, which weights do not need")
        self.stack.append(target)

    def do_binput(self, number: int) -> None:
        (value,) = self.pop(1)
        self.stack.append(value)
        self.memory[number] = value

    do_long_binput = do_binput

    def do_memoize(self, _: None) -> None:
        self.do_binput(len(self.memory))

    def do_binget(self, number: int) -> None:
        if number not in self.memory:
            raise ValueError(f"its list of tensors is damaged: it has no value {number}")
        self.stack.append(self.memory[number])

    do_long_binget = do_binget

    def do_global(self, text: str) -> None:
        module, _, name = text.partition(" ")
        self.push_name(module, name)

    def do_stack_global(self, _: None) -> None:
        module, name = self.pop(2)
        if not isinstance(module, str) or not isinstance(name, str):
            refuse("its list of tensors is damaged: a name is no string")
        self.push_name(module, name)

    def push_name(self, module: str, name: str) -> None:
        wanted = _Name(module, name)
        if wanted not in _NAMES:
            raise ValueError(
                f"it asks for {module[:100]}.{name[:100]}, which weights do not need and which is"
                " never run"
            )
        self.stack.append(wanted)

    def do_reduce(self, _: None) -> None:
        name, arguments = self.pop(2)
        if not isinstance(name, _Name) or not isinstance(arguments, tuple):
            refuse("it calls what is no function")
        if name == _ORDERED and not arguments:
            self.stack.append({})
        elif name == _TENSOR:
            self.stack.append(_tensor(arguments))
        elif name == _PARAMETER and arguments and isinstance(arguments[0], Tensor):
            self.stack.append(arguments[0])
        else:
            raise ValueError(f"it calls {name.module}.{name.name} with arguments that do not fit")

    def do_binpersid(self, _: None) -> None:
        (identity,) = self.pop(1)
        self.stack.append(_storage(identity))


def _storage(identity: Any) -> Storage:
    """Read ("storage", type, key, device, length) and, in old files, None for "not a view"."""
    if not isinstance(identity, tuple) or len(identity) not in {5, 6}:
        raise ValueError("it refers to something outside of the list that is no storage")
    word, kind, key, _device, length = identity[:5]
    if not isinstance(word, str) or word != "storage" or not isinstance(key, str):
        raise ValueError("it refers to something outside of the list that is no storage")
    if not isinstance(kind, _Name) or kind not in _STORAGES:
        raise ValueError("it has a storage of an unknown type")
    if len(identity) == 6 and identity[5] is not None:
        raise ValueError("it has a storage that is a view of another; save it with a later PyTorch")
    return Storage(kind.name, key, _number(length, "length"))


def _tensor(arguments: tuple[Any, ...]) -> Tensor:
    """Read (storage, start, shape, steps, ...) and check that the tensor lies in its storage."""
    if len(arguments) < 4 or not isinstance(arguments[0], Storage):
        raise ValueError("it has a tensor without a storage")
    storage, start, shape, steps = arguments[:4]
    start = _number(start, "start")
    if not isinstance(shape, tuple) or not isinstance(steps, tuple) or len(shape) != len(steps):
        raise ValueError("it has a tensor whose shape and steps do not fit together")
    if len(shape) > _MAX_DIMENSIONS:
        raise ValueError(f"it has a tensor of {len(shape)} dimensions; {_MAX_DIMENSIONS} are known")
    shape = tuple(_number(length, "length") for length in shape)
    steps = tuple(_number(step, "step") for step in steps)
    last = start + sum((n - 1) * step for n, step in zip(shape, steps, strict=True))
    if start > storage.length or (0 not in shape and last >= storage.length):
        raise ValueError(
            f"it has a tensor of shape {shape} that reaches beyond its storage of"
            f" {storage.length} numbers"
        )
    # A step of 0 would show one number many times, in a tensor of any size.
    n_numbers = math.prod(shape)
    repeats = any(n > 1 and not step for n, step in zip(shape, steps, strict=True))
    if n_numbers > storage.length or (n_numbers and repeats):
        raise ValueError(
            f"it has a tensor of shape {shape} that is larger than its storage of"
            f" {storage.length} numbers, or repeats some of them"
        )
    return Tensor(storage, start, shape, steps)


def _number(value: Any, what: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < _MAX_NUMBER:
        raise ValueError(f"it has a tensor or storage whose {what} is no number that is possible")
    return value
