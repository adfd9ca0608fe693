"""ONNX Runtime and Munja in this process, through the C interfaces that their libraries have: what gets arrays of numpy
and gives arrays of numpy. Munja's is that of TensorFlow Lite."""
import ctypes

import numpy

# Numbers of element types.
ONNX_TYPES = {1: numpy.float32, 2: numpy.uint8, 3: numpy.int8, 4: numpy.uint16, 5: numpy.int16, 6: numpy.int32,
              7: numpy.int64, 9: numpy.bool_, 10: numpy.float16, 11: numpy.float64, 12: numpy.uint32, 13: numpy.uint64}
TFLITE_TYPES = {1: numpy.float32, 2: numpy.int32, 3: numpy.uint8, 4: numpy.int64, 6: numpy.bool_, 7: numpy.int16,
                9: numpy.int8, 10: numpy.float16, 11: numpy.float64, 13: numpy.uint64, 15: numpy.uint32,
                16: numpy.uint16}


class Failed(Exception):
    """A runtime refused; says why."""


class _OnnxRuntime:
    """The library's table of functions, which only grows: onnx_runtime.cc has the same positions. One in a process."""

    VERSION = 14
    loaded = {}

    def __init__(self, library):
        class Base(ctypes.Structure):
            _fields_ = [("table", ctypes.CFUNCTYPE(ctypes.POINTER(ctypes.c_void_p), ctypes.c_uint32)),
                        ("version", ctypes.CFUNCTYPE(ctypes.c_char_p))]
        base = ctypes.CDLL(str(library)).OrtGetApiBase
        base.restype = ctypes.POINTER(Base)
        self.version = base().contents.version().decode()
        self._table = base().contents.table(self.VERSION)
        self.environment, self.memory = ctypes.c_void_p(), ctypes.c_void_p()
        self.must(3, ctypes.c_int(3), b"compare", ctypes.byref(self.environment))
        self.must(69, ctypes.c_int(0), ctypes.c_int(0), ctypes.byref(self.memory))

    def call(self, position, *arguments, result=ctypes.c_void_p):
        return ctypes.CFUNCTYPE(result, *(type(a) if not isinstance(a, bytes) else ctypes.c_char_p
                                          for a in self._plain(arguments)))(self._table[position])(
                                              *self._plain(arguments))

    @staticmethod
    def _plain(arguments):
        """References become addresses: then every argument has a type that a prototype can name."""
        return [ctypes.cast(a, ctypes.c_void_p) if isinstance(a, (type(ctypes.byref(ctypes.c_int())), ctypes.Array))
                else a for a in arguments]

    def must(self, position, *arguments):
        status = self.call(position, *arguments)
        if status:
            raise Failed(self.call(2, ctypes.c_void_p(status), result=ctypes.c_char_p).decode(errors="replace"))

    @classmethod
    def of(cls, library):
        return cls.loaded.setdefault(str(library), cls(library) if str(library) not in cls.loaded else None)


def onnx_runtime_version(library):
    return _OnnxRuntime.of(library).version


class OnnxSession:
    """A network on one thread; as it stands, or with all that ONNX Runtime knows to make of it."""

    def __init__(self, library, path, outputs, optimized=True):
        self._api = api = _OnnxRuntime.of(library)
        options, self._session = ctypes.c_void_p(), ctypes.c_void_p()
        api.must(10, ctypes.byref(options))
        api.must(24, options, ctypes.c_int(1))
        if not optimized:
            api.must(23, options, ctypes.c_int(0))
        api.must(7, api.environment, str(path).encode(), options, ctypes.byref(self._session))
        self._outputs = outputs

    def run(self, inputs):
        """Arrays by the names of inputs -> arrays by the names of outputs."""
        api = self._api
        names = (ctypes.c_char_p * len(inputs))(*(name.encode() for name in inputs))
        values = (ctypes.c_void_p * len(inputs))()
        arrays = [numpy.ascontiguousarray(array).reshape(numpy.shape(array)) for array in inputs.values()]
        numbers = {numpy.dtype(kind): number for number, kind in ONNX_TYPES.items()}
        for place, array in enumerate(arrays):
            shape = (ctypes.c_int64 * max(1, array.ndim))(*array.shape)
            value = ctypes.c_void_p()
            api.must(49, api.memory, ctypes.c_void_p(array.ctypes.data), ctypes.c_size_t(array.nbytes), shape,
                     ctypes.c_size_t(array.ndim), ctypes.c_int(numbers[array.dtype]), ctypes.byref(value))
            values[place] = value
        wanted = (ctypes.c_char_p * len(self._outputs))(*(name.encode() for name in self._outputs))
        results = (ctypes.c_void_p * len(self._outputs))()
        try:
            api.must(9, self._session, ctypes.c_void_p(), names, values, ctypes.c_size_t(len(inputs)), wanted,
                     ctypes.c_size_t(len(self._outputs)), results)
            return {name: self._array(ctypes.c_void_p(result)) for name, result in zip(self._outputs, results)}
        finally:
            for value in [*values, *results]:
                if value:
                    api.call(96, ctypes.c_void_p(value), result=None)

    def _array(self, value):
        api = self._api
        info, data, kind, rank = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_int(), ctypes.c_size_t()
        api.must(65, value, ctypes.byref(info))
        api.must(60, info, ctypes.byref(kind))
        api.must(61, info, ctypes.byref(rank))
        shape = (ctypes.c_int64 * max(1, rank.value))()
        api.must(62, info, shape, rank)
        api.call(99, info, result=None)
        if kind.value not in ONNX_TYPES:
            raise Failed(f"an output of element type {kind.value}")
        api.must(51, value, ctypes.byref(data))
        return _copy(data, ONNX_TYPES[kind.value], list(shape)[:rank.value])


def _copy(address, kind, shape):
    count = int(numpy.prod(shape, dtype=numpy.int64))
    if not count:
        return numpy.zeros(shape, kind)
    raw = ctypes.string_at(address, count * numpy.dtype(kind).itemsize)
    return numpy.frombuffer(raw, kind).reshape(shape).copy()


class TfliteSession:
    """A .tflite model on one thread, by libmunja."""

    def __init__(self, library, path):
        self._api = api = ctypes.CDLL(str(library))
        for name in ("ModelCreateFromFile", "InterpreterOptionsCreate", "InterpreterCreate",
                     "InterpreterGetInputTensor", "InterpreterGetOutputTensor", "TensorData"):
            getattr(api, f"TfLite{name}").restype = ctypes.c_void_p
        api.TfLiteTensorName.restype = ctypes.c_char_p
        api.TfLiteTensorByteSize.restype = ctypes.c_size_t
        model = ctypes.c_void_p(api.TfLiteModelCreateFromFile(str(path).encode()))
        options = ctypes.c_void_p(api.TfLiteInterpreterOptionsCreate())
        api.TfLiteInterpreterOptionsSetNumThreads(options, ctypes.c_int(1))
        self._reports = []
        # Messages come with the arguments of printf; the C library puts them together.
        reporter = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
        self._reporter = reporter(self._report)
        api.TfLiteInterpreterOptionsSetErrorReporter(options, self._reporter, None)
        self._interpreter = ctypes.c_void_p(api.TfLiteInterpreterCreate(model, options) if model else None)
        if not self._interpreter:
            raise Failed(self._why("the file cannot be run"))
        self.inputs = self._names("Input")
        self.outputs = self._names("Output")

    def _report(self, _, text, arguments):
        buffer = ctypes.create_string_buffer(2000)
        ctypes.CDLL(None).vsnprintf(buffer, ctypes.c_size_t(len(buffer)), text, ctypes.c_void_p(arguments))
        self._reports.append(buffer.value.decode(errors="replace"))

    def _why(self, otherwise):
        return self._reports[-1] if self._reports else otherwise

    def _tensor(self, side, index):
        return ctypes.c_void_p(getattr(self._api, f"TfLiteInterpreterGet{side}Tensor")(self._interpreter, index))

    def _names(self, side):
        count = getattr(self._api, f"TfLiteInterpreterGet{side}TensorCount")(self._interpreter)
        return [self._api.TfLiteTensorName(self._tensor(side, index)).decode() for index in range(count)]

    def _shape(self, tensor):
        return [self._api.TfLiteTensorDim(tensor, axis) for axis in range(self._api.TfLiteTensorNumDims(tensor))]

    def set(self, inputs):
        """Arrays by the names of inputs; those that the model does not have are left out."""
        for index, name in enumerate(self.inputs):
            shape = numpy.shape(inputs[name])
            if list(shape) != self._shape(self._tensor("Input", index)):
                dims = (ctypes.c_int * max(1, len(shape)))(*shape)
                self._must(self._api.TfLiteInterpreterResizeInputTensor(self._interpreter, index, dims, len(shape)))
        self._must(self._api.TfLiteInterpreterAllocateTensors(self._interpreter))
        for index, name in enumerate(self.inputs):
            tensor = self._tensor("Input", index)
            array = numpy.ascontiguousarray(inputs[name], TFLITE_TYPES[self._api.TfLiteTensorType(tensor)])
            self._must(self._api.TfLiteTensorCopyFromBuffer(tensor, ctypes.c_void_p(array.ctypes.data),
                                                            ctypes.c_size_t(array.nbytes)))

    def _must(self, status):
        if status != 0:
            raise Failed(self._why(f"status {status}"))

    def run(self):
        """Each run begins with the first state of variables."""
        self._must(self._api.TfLiteInterpreterResetVariableTensors(self._interpreter))
        self._must(self._api.TfLiteInterpreterInvoke(self._interpreter))

    def get(self):
        """Arrays by the names of outputs."""
        results = {}
        for index, name in enumerate(self.outputs):
            tensor = self._tensor("Output", index)
            results[name] = _copy(self._api.TfLiteTensorData(tensor), TFLITE_TYPES[self._api.TfLiteTensorType(tensor)],
                                  self._shape(tensor))
        return results
