"""What is public, and valid calls of it: those that its own docstring shows.

Public is what `attention_lab` exports and, in the modules of the library, what shows an example. A method is public
with its class. Running the example with the function wrapped tells which arguments are valid, whatever they are.
"""

import atexit
import copy
import doctest
import functools
import importlib
import inspect
import os
import pkgutil
import re
import shutil
import tempfile
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import attention_lab
from tests.fuzz.docstring import Contract, contract

KEPT = tempfile.mkdtemp()
atexit.register(shutil.rmtree, KEPT, ignore_errors=True)
FOLDERS = ("baselines", "data", "metrics", "pretrained", "runs", "tasks")


@dataclass
class Call:
    """A call that an example makes; of a method, `made` holds how its object was built."""

    args: tuple
    kwargs: dict
    made: "Call | None" = None

    def copied(self):
        """The same call with arguments of its own, where they can be copied: a widget cannot."""
        try:
            return replace(self, args=copy.deepcopy(self.args), kwargs=copy.deepcopy(self.kwargs))
        except (TypeError, NotImplementedError):
            return self

    def bound(self, signature):
        return signature.bind(*self.args, **self.kwargs).arguments


@dataclass
class Subject:
    """A public function, class or method, with its contract and the calls that its examples make."""

    name: str
    function: object
    owner: type | None = None
    calls: list = field(default_factory=list)
    is_recorded: bool = False

    @cached_property
    def signature(self):
        signature = inspect.signature(self.function)
        kept = [parameter for name, parameter in signature.parameters.items() if name != "self"]
        return signature.replace(parameters=kept)

    @cached_property
    def contract(self) -> Contract:
        return contract(self.function, self.owner)

    @cached_property
    def construction(self):
        return Subject(self.owner.__name__, self.owner, None, [call.made for call in self.calls if call.made])


def subjects():
    """All of it by name, in reading order: ``softmax``, ``Linear``, ``Linear.__call__``, ``KVCache.append``, ..."""
    found = {}
    for name, thing in _public():
        if inspect.isclass(thing):
            found[name] = Subject(name, thing)
            for key, value in vars(thing).items():
                if inspect.isfunction(value) and (key == "__call__" or not key.startswith("_") and states(value)):
                    found[f"{name}.{key}"] = Subject(f"{name}.{key}", value, thing)
        elif inspect.isroutine(thing):
            found[name] = Subject(name, thing)
    return {name: subject for name, subject in found.items() if subject.signature.parameters}


def states(method):
    """Whether a method's docstring says what goes in and comes out: those that do not serve the package alone."""
    return bool(re.search(r"^Parameters\n|->", inspect.cleandoc(method.__doc__ or ""), re.MULTILINE))


def _public():
    for name in attention_lab.__all__:
        yield name, getattr(attention_lab, name)
    names = ["activations", "functional"]
    for folder in FOLDERS:
        package = importlib.import_module(f"attention_lab.{folder}")
        names += [f"{folder}.{module.name}" for module in pkgutil.iter_modules(package.__path__)]
    for path in names:
        module = importlib.import_module(f"attention_lab.{path}")
        for name, thing in vars(module).items():
            ours = getattr(thing, "__module__", None) == module.__name__ and not name.startswith("_")
            if ours and ">>> " in (thing.__doc__ or "") and name not in attention_lab.__all__:
                yield f"{path}.{name}", thing


def record(subject):
    """Run the examples of a function or class, once, and keep every call of it."""
    if subject.is_recorded:
        return
    subject.is_recorded = True
    host = subject.owner or subject.function
    module = inspect.getmodule(host)
    with _watched(subject, host) as names:
        finder = doctest.DocTestFinder(recurse=inspect.isclass(host))
        for test in finder.find(host, module=module, globs={**vars(module), **names}):
            doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE).run(test)


@contextmanager
def _watched(subject, host):
    """Names for the example's globals. A function is wrapped there; a class's methods are, in place, for a while."""
    if not inspect.isclass(host):
        yield {host.__name__: _keeping(host, lambda given, call: subject.calls.append(call))}
        return
    made, name = {}, subject.name.rpartition(".")[2] if subject.owner else "__init__"
    with ExitStack() as undo:
        for key, keep in (
            (
                name,
                lambda given, call: subject.calls.append(replace(call, made=made.get(id(given[0]), (None, None))[0])),
            ),
            ("__init__", lambda given, call: made.__setitem__(id(given[0]), (call, given[0]))),
        )[: 2 if subject.owner else 1]:
            undo.callback(setattr, host, key, getattr(host, key))
            setattr(host, key, _keeping(getattr(host, key), keep, skip=1))
        yield {}


def _keeping(function, keep, skip=0):
    @functools.wraps(function)
    def keeping(*args, **kwargs):
        args = [list(arg) if inspect.isgenerator(arg) else arg for arg in args]
        keep(args, Call(tuple(map(_saved, args[skip:])), kwargs).copied())
        return function(*args, **kwargs)

    return keeping


def _saved(value):
    """A path to a file as a path to a copy of it, which outlives the example."""
    if isinstance(value, str | Path) and os.path.isfile(value):
        return shutil.copy(value, KEPT)
    return value
