"""Sessions: they run any .tflite network on arrays."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from . import _munja
from ._engine import control_of, device_list
from ._images import numpy_module

if TYPE_CHECKING:
    from typing import Literal

    from ._engine import Accelerator


class TensorInfo(NamedTuple):
    """An input or output of a network."""

    name: str
    #: "float32", "int8" ...
    dtype: str
    #: -1: a dynamic dimension.
    shape: tuple[int, ...]
    #: 0: not quantized, or quantized per axis.
    scale: float
    zero_point: int


class OperatorUse(NamedTuple):
    """An operator that a network uses, with one version."""

    name: str
    version: int
    nodes: int
    is_custom: bool
    #: The library does not have it.
    is_missing: bool


class Signature(NamedTuple):
    """A named entry point of a network."""

    name: str
    inputs: list[TensorInfo]
    outputs: list[TensorInfo]


class Network:
    """A .tflite file in memory, which never changes. source: its path, or its bytes.

    >>> munja.Network("double.tflite").operators
    [OperatorUse(name='ADD', version=1, nodes=1, is_custom=False, is_missing=False)]
    """

    def __init__(self, source: str | os.PathLike[str] | bytes) -> None:
        if isinstance(source, (bytes, bytearray, memoryview)):
            self._network = _munja.Network.load_bytes(bytes(source))
        else:
            self._network = _munja.Network.load(os.fspath(source))

    @property
    def signatures(self) -> list[Signature]:
        return [
            Signature(name, [TensorInfo(*row) for row in inputs], [TensorInfo(*row) for row in outputs])
            for name, inputs, outputs in self._network.signatures
        ]

    @property
    def operators(self) -> list[OperatorUse]:
        """The operators that it uses, sorted by name."""
        return [OperatorUse(*row) for row in self._network.operators]

    @property
    def metadata(self) -> dict[str, bytes]:
        """The files stored in the model file, by name."""
        return dict(self._network.metadata)

    @property
    def files(self) -> dict[str, bytes]:
        """Files that are packed with the network: labels, a dictionary."""
        return dict(self._network.files)

    def __str__(self) -> str:
        """A listing for people, as ``munja inspect`` prints it."""
        return self._network.text()


class Session:
    """Runs a network on arrays, one thread at a time; other threads use :meth:`fork`. It is a context manager.

    network: a path, the bytes of a .tflite file, or a :class:`Network`.
    threads: 0: one for each processor; 1: only the caller's.
    signature: the entry point to run; None: the main subgraph.
    accelerator, precision: as in :class:`Engine`.
    profile: measure the time of each operator. reference_kernels: slow kernels, as an oracle for tests.
    top_k: 1 to 5: only the largest values of each row of a float output, each as its index and its value.

    >>> session = munja.Session("double.tflite")
    >>> session.run(numpy.array([1, 2.5], dtype="float32"))
    [array([2., 5.], dtype=float32)]
    """

    def __init__(
        self,
        network: str | os.PathLike[str] | bytes | Network,
        *,
        threads: int = 0,
        signature: str | None = None,
        accelerator: Accelerator | Sequence[Accelerator] | None = None,
        precision: Literal["fp32", "fp16"] | None = None,
        profile: bool = False,
        reference_kernels: bool = False,
        top_k: int = 0,
        control: _munja.Control | None = None,
    ) -> None:
        self._network = network if isinstance(network, Network) else Network(network)
        self._session = _munja.Session.create(
            self._network._network,
            threads,
            signature or "",
            precision or "",
            device_list(accelerator),
            profile,
            reference_kernels,
            top_k,
            control,
        )

    @property
    def inputs(self) -> list[TensorInfo]:
        return [TensorInfo(*row) for row in self._session.inputs]

    @property
    def outputs(self) -> list[TensorInfo]:
        return [TensorInfo(*row) for row in self._session.outputs]

    def run(
        self,
        *inputs: Any,
        copy: bool = True,
        timeout: float | None = None,
        control: _munja.Control | None = None,
        **named: Any,
    ) -> list[Any]:
        """Runs the network and returns its outputs, in the network's order.

        Inputs are arrays in CPU memory that support DLPack or the buffer protocol, in the network's order, or by name
        (``run(x=array)``, ``run({"serving/x": array})``). Their element types must be those of the network; shapes
        may differ from run to run where the network has dynamic dimensions. Contiguous arrays are not copied. A list of
        ``str`` or ``bytes`` is a string tensor of one dimension; for others give a NumPy array of objects.

        Outputs are NumPy arrays; without NumPy, objects that support DLPack and the buffer protocol; string tensors are
        arrays of ``bytes``. With ``copy=False`` they are views of the session's memory, which keep it alive; the next
        run is refused as long as they exist.

        Raises :class:`InvalidArgumentError` for wrong numbers, types and shapes of inputs, and for a session that
        another thread uses.
        """
        given = list(inputs)
        if len(given) == 1 and isinstance(given[0], Mapping):
            named = {**given.pop(), **named}
        if given and named:
            raise TypeError("inputs are given by position or by name, not both")
        values = [_to_input(value) for value in (given or named.values())]
        numpy = numpy_module()
        outputs = self._session.run(
            values, list(named), copy, numpy is not None, control_of(control, timeout, None)
        )
        return [_from_strings(value, numpy) if isinstance(value, tuple) else value for value in outputs]

    __call__ = run

    def run_dict(self, inputs: Mapping[str, Any], **options: Any) -> dict[str, Any]:
        """:meth:`run` with inputs and outputs by name."""
        outputs = self.run(inputs, **options)
        return {info.name: value for info, value in zip(self.outputs, outputs)}

    def fork(self, threads: int = 0) -> Session:
        """Another session that shares program and weights and can run at the same time."""
        fork = object.__new__(Session)
        fork._network = self._network
        fork._session = self._session.fork(threads)
        return fork

    def reset_variables(self) -> None:
        """Forgets what the network's variables and tables kept from earlier runs."""
        self._session.reset_variables()

    def profile(self) -> list[dict[str, Any]]:
        """The time of each operator ("op", "name", "shapes", "milliseconds", "multiply_accumulates", "runs", "bytes"),
        summed over the runs so far; empty unless the session was made with ``profile=True``."""
        return list(self._session.profile())

    def owners(self) -> list[dict[str, Any]]:
        """Which node runs where ("node", "op", "name", "owner", "reason"); empty without an accelerator."""
        return list(self._session.owners())

    @property
    def closed(self) -> bool:
        return self._session.closed

    def close(self) -> None:
        """Frees the session's memory. Views of its outputs must not be used any more."""
        self._session.close()

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _to_input(value: Any) -> Any:
    """Values in the form that the extension takes: arrays as they are; strings as their shape and a list of bytes."""
    shape: tuple[int, ...]
    if isinstance(value, (str, bytes)):
        shape, texts = (), [value]
    elif isinstance(value, list) and value and all(isinstance(item, (str, bytes)) for item in value):
        shape, texts = (len(value),), value
    elif getattr(getattr(value, "dtype", None), "kind", "") in ("O", "U", "S"):
        array = cast("Any", value)
        shape, texts = array.shape, array.ravel().tolist()
    else:
        return value
    return (list(shape), [text.encode() if isinstance(text, str) else bytes(text) for text in texts])


def _from_strings(value: tuple[tuple[int, ...], list[bytes]], numpy: Any) -> Any:
    shape, texts = value
    if numpy is None:
        return texts
    array = numpy.empty(len(texts), dtype=object)
    array[:] = texts
    return array.reshape(shape)
