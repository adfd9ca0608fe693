"""A detector and a recognizer as small .onnx files, and arrays: what commands of the docs are tried on."""
import struct


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytearray([value]))


def field(number, value):
    """A protobuf field: an int, or text and bytes."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, str):
        value = value.encode()
    return varint(number << 3 | 2) + varint(len(value)) + value


def ints(name, values):
    return field(1, name) + b"".join(field(8, v) for v in values) + field(20, 7)


def integer(name, value):
    return field(1, name) + field(3, value) + field(20, 2)


def node(op, inputs, output, *attributes):
    return field(1, b"".join(field(1, i) for i in inputs) + field(2, output) + field(3, output) + field(4, op) +
                 b"".join(field(5, a) for a in attributes))


def tensor(name, dims, values):
    return field(5, b"".join(field(1, d) for d in dims) + field(2, 1) + field(8, name) +
                 field(9, struct.pack(f"<{len(values)}f", *values)))


def value(number, name, dims):
    shape = b"".join(field(1, field(1, d) if isinstance(d, int) else field(2, d)) for d in dims)
    return field(number, field(1, name) + field(2, field(1, field(1, 1) + field(2, shape))))


def model(nodes, tensors, x, y):
    graph = b"".join(nodes) + field(2, "toy") + b"".join(tensors) + value(11, *x) + value(12, *y)
    return field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 13))


def wave(count):
    return [((i * 7919) % 200 - 100) / 300 for i in range(count)]


def write_onnx(folder, characters="abcdefghij"):
    """det.onnx, rec.onnx and keys.txt: they find and read nothing sensible, but are of the right shapes."""
    (folder / "det.onnx").write_bytes(model(
        [node("Conv", ["x", "w", "b"], "c", ints("kernel_shape", [3, 3]), ints("pads", [1, 1, 1, 1])),
         node("Sigmoid", ["c"], "y")],
        [tensor("w", [1, 3, 3, 3], wave(27)), tensor("b", [1], [-1.0])],
        ("x", ["n", 3, "h", "w"]), ("y", ["n", 1, "h", "w"])))
    classes = len(characters) + 2  # No character, and the space.
    (folder / "rec.onnx").write_bytes(model(
        [node("AveragePool", ["x"], "p", ints("kernel_shape", [48, 8]), ints("strides", [48, 8])),
         node("Conv", ["p", "w", "b"], "c", ints("kernel_shape", [1, 1])),
         node("Squeeze", ["c", "axis"], "s"),
         node("Transpose", ["s"], "t", ints("perm", [0, 2, 1])),
         node("Softmax", ["t"], "y", integer("axis", 2))],
        [tensor("w", [classes, 3, 1, 1], wave(3 * classes)), tensor("b", [classes], [0.0] * classes),
         field(5, field(1, 1) + field(2, 7) + field(8, "axis") + field(9, struct.pack("<q", 2)))],
        ("x", ["n", 3, 48, "w"]), ("y", ["n", "t", classes])))
    (folder / "keys.txt").write_text("\n".join(characters) + "\n")


def write_array(path, dims, values):
    """A float32 array in the .npy format."""
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({''.join(f'{d}, ' for d in dims)}), }}"
    header = header.ljust(117) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
                     struct.pack(f"<{len(values)}f", *values))
