"""Sessions: any network on arrays. Expected values come from arithmetic: the sample network doubles its input."""

from __future__ import annotations

import array
import pathlib
import threading
from typing import Any

import numpy as np
import pytest
from conftest import ROOT, command, run_python

import munja


def test_doubles(doubles: pathlib.Path) -> None:
    with munja.Session(doubles) as session:
        assert session.inputs == [munja.TensorInfo("x", "float32", (-1,), 0.0, 0)]
        assert [info.name for info in session.outputs] == ["y"]
        values = np.array([1, -2.5, 0], np.float32)
        [output] = session.run(values)
        assert output.dtype == np.float32 and output.tolist() == [2, -5, 0]
        # By name, by dictionary, from other kinds of arrays.
        assert session.run(x=values)[0].tolist() == session(values)[0].tolist() == [2, -5, 0]
        assert session.run({"x": values})[0].tolist() == [2, -5, 0]
        assert session.run_dict({"x": values})["y"].tolist() == [2, -5, 0]
        assert session.run(array.array("f", [3]))[0].tolist() == [6]
        assert session.run(values.data)[0].tolist() == [2, -5, 0]


def test_shapes_may_change(doubles: pathlib.Path) -> None:
    session = munja.Session(doubles.read_bytes(), threads=1)
    for size in (1, 1000, 3, 100_000, 1000):
        values = np.arange(size, dtype=np.float32)
        assert np.array_equal(session.run(values)[0], values * 2)
        assert np.array_equal(session.run(values, copy=False)[0], values * 2)


def test_strides_are_followed(doubles: pathlib.Path) -> None:
    values = np.arange(20, dtype=np.float32)
    session = munja.Session(doubles)
    for view in (values[::2], values[::-1], values[5:15], values.reshape(4, 5)[:, 2]):
        assert session.run(view)[0].tolist() == (view * 2).tolist()


def test_output_is_viewed_without_a_copy(doubles: pathlib.Path) -> None:
    """1 MB: views of two runs lie at the same address, copies elsewhere."""
    values = np.arange(1 << 18, dtype=np.float32)
    session = munja.Session(doubles)
    [view] = session.run(values, copy=False)
    address = view.__array_interface__["data"][0]
    assert not view.flags.owndata and view[-1] == values[-1] * 2
    with pytest.raises(munja.InvalidArgumentError, match="copy=False"):
        session.run(values)
    del view
    [again] = session.run(values, copy=False)
    assert again.__array_interface__["data"][0] == address
    del again
    [copied] = session.run(values)
    assert copied.__array_interface__["data"][0] != address
    session.run(values * 0)
    assert copied[-1] == values[-1] * 2


def test_inputs_are_not_copied(doubles: pathlib.Path) -> None:
    """An input of 256 MB needs no second 256 MB; the output is one more."""
    done = run_python(
        "import resource, sys, numpy, munja\n"
        "session = munja.Session(sys.argv[1], threads=1)\n"
        "values = numpy.ones(1 << 26, numpy.float32)\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "output, = session.run(values, copy=False)\n"
        "print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / (1 << 18), output[-1])\n",
        doubles,
    )
    grown, last = done.stdout.split()
    assert last == "2.0" and float(grown) < 1.3, done.stdout


def test_view_outlives_the_session(doubles: pathlib.Path) -> None:
    session = munja.Session(doubles)
    [view] = session.run(np.ones(1000, np.float32), copy=False)
    session.close()
    del session
    assert view.sum() == 2000


def test_bad_inputs_are_errors(doubles: pathlib.Path) -> None:
    session = munja.Session(doubles)
    good = np.ones(3, np.float32)
    for inputs, error in (
        ((np.ones(3, np.float64),), munja.InvalidArgumentError),
        ((np.ones(3, np.int8),), munja.InvalidArgumentError),
        ((), munja.InvalidArgumentError),
        ((good, good), munja.InvalidArgumentError),
        ((None,), TypeError),
        ((3.0,), TypeError),
        ((np.ones((1,) * 9, np.float32),), ValueError),
        ((np.zeros(3, "datetime64[s]"),), TypeError),
        ((["text"],), munja.InvalidArgumentError),
    ):
        with pytest.raises(error):
            session.run(*inputs)
    with pytest.raises(munja.MissingError, match="nope"):
        session.run(nope=good)
    with pytest.raises(TypeError):
        session.run(good, x=good)
    assert session.run(good)[0].tolist() == [2, 2, 2]
    session.close()
    for call in (lambda: session.run(good), lambda: session.inputs, session.fork, session.profile):
        with pytest.raises(munja.InvalidArgumentError, match="closed"):
            call()


def test_bad_networks_are_errors(tmp_path: pathlib.Path, doubles: pathlib.Path) -> None:
    with pytest.raises(FileNotFoundError):
        munja.Session("nope.tflite")
    for data in (b"", b"no network", doubles.read_bytes()[:100]):
        with pytest.raises(munja.MalformedError):
            munja.Session(data)
    with pytest.raises(munja.Error):
        munja.Session(doubles, signature="nope")
    with pytest.raises(ValueError):
        munja.Session(doubles, precision="fp8")  # type: ignore[arg-type]


def test_forks_run_in_threads(doubles: pathlib.Path) -> None:
    session = munja.Session(doubles, threads=1)
    failures: list[Any] = []

    def work(number: int) -> None:
        fork = session.fork(threads=1)
        for size in range(1, 200):
            values = np.full(size, number, np.float32)
            if not np.array_equal(fork.run(values)[0], values * 2):
                failures.append((number, size))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_a_session_has_one_caller_at_a_time(doubles: pathlib.Path) -> None:
    """Eight threads on one session: each call has the right result or is refused."""
    session = munja.Session(doubles, threads=1)
    refused, wrong = 0, 0

    def work(number: int) -> None:
        nonlocal refused, wrong
        values = np.full(200_000, number, np.float32)
        for _ in range(50):
            try:
                wrong += int(session.run(values)[0][-1] != 2 * number)
            except munja.InvalidArgumentError as error:
                assert "thread" in str(error)
                refused += 1

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == 0 and refused > 0


def test_profile_and_partitions(doubles: pathlib.Path) -> None:
    session = munja.Session(doubles, profile=True)
    for _ in range(3):
        session.run(np.ones(8, np.float32))
    [row] = session.profile()
    assert (row["op"], row["runs"]) == ("ADD", 3) and row["milliseconds"] > 0
    assert munja.Session(doubles).profile() == []
    accelerated = munja.Session(doubles, accelerator="nn:reference")
    assert accelerated.run(np.ones(2, np.float32))[0].tolist() == [2, 2]
    assert [owner["op"] for owner in accelerated.owners()] == ["ADD"]


def test_detector_is_run_as_by_the_command(tmp_path: pathlib.Path) -> None:
    network = ROOT / "models/default/detector.tflite"
    values = np.random.default_rng(1).random((1, 64, 96, 3), np.float32)
    np.save(tmp_path / "input.npy", values)
    session = munja.Session(network)
    command("run", network, "--input", f"{session.inputs[0].name}={tmp_path}/input.npy", "--output", tmp_path / "out")
    [written] = (tmp_path / "out").glob("*.npy")
    assert np.array_equal(session.run(values)[0], np.load(written))


def test_network(doubles: pathlib.Path) -> None:
    network = munja.Network(doubles)
    assert network.operators == [munja.OperatorUse("ADD", 1, 1, False, False)]
    [signature] = network.signatures
    assert signature.name == "serving_default" and signature.inputs[0].dtype == "float32"
    assert network.files == {} and isinstance(network.metadata, dict)
    assert munja.inspect(network) == str(network) == munja.inspect(doubles) == munja.inspect(doubles.read_bytes())
    assert "ADD" in str(network)
    assert munja.Session(network, signature="serving_default").run({"in": np.ones(1, np.float32)})[0][0] == 2
