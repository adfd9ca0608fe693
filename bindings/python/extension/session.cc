#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "network.h"
#include "options.h"

namespace munja_python {
namespace {

using Array = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;

struct TypeRow {
  munja_element_type type;
  nb::dlpack::dtype dtype;
};
constexpr nb::dlpack::dtype Of(nb::dlpack::dtype_code code, uint8_t bits) {
  return {static_cast<uint8_t>(code), bits, 1};
}
using Code = nb::dlpack::dtype_code;
constexpr TypeRow kTypes[] = {
    {MUNJA_TYPE_FLOAT32, Of(Code::Float, 32)},
    {MUNJA_TYPE_FLOAT16, Of(Code::Float, 16)},
    {MUNJA_TYPE_FLOAT64, Of(Code::Float, 64)},
    {MUNJA_TYPE_BFLOAT16, Of(Code::Bfloat, 16)},
    {MUNJA_TYPE_INT8, Of(Code::Int, 8)},
    {MUNJA_TYPE_INT16, Of(Code::Int, 16)},
    {MUNJA_TYPE_INT32, Of(Code::Int, 32)},
    {MUNJA_TYPE_INT64, Of(Code::Int, 64)},
    {MUNJA_TYPE_UINT8, Of(Code::UInt, 8)},
    {MUNJA_TYPE_UINT16, Of(Code::UInt, 16)},
    {MUNJA_TYPE_UINT32, Of(Code::UInt, 32)},
    {MUNJA_TYPE_UINT64, Of(Code::UInt, 64)},
    {MUNJA_TYPE_BOOL, Of(Code::Bool, 8)},
    {MUNJA_TYPE_COMPLEX64, Of(Code::Complex, 64)},
    {MUNJA_TYPE_COMPLEX128, Of(Code::Complex, 128)},
};

munja_element_type TypeOf(nb::dlpack::dtype dtype) {
  for (const TypeRow& row : kTypes)
    if (row.dtype == dtype) return row.type;
  throw nb::type_error("tensors cannot have elements of this type");
}
nb::dlpack::dtype DtypeOf(munja_element_type type) {
  for (const TypeRow& row : kTypes)
    if (row.type == type) return row.dtype;
  Raise({MUNJA_UNSUPPORTED, std::string("tensors of ") +
                                munja_element_type_name(type) +
                                " cannot become arrays"});
}

void SetDims(munja_tensor* tensor, size_t rank, auto dim) {
  if (rank > MUNJA_MAX_RANK)
    throw nb::value_error("tensors have at most 8 dimensions");
  tensor->rank = static_cast<int32_t>(rank);
  for (size_t i = 0; i < rank; ++i) {
    if (dim(i) > INT32_MAX) throw nb::value_error("the array is too large");
    tensor->dims[i] = static_cast<int32_t>(dim(i));
  }
}

// A value for an input: the tensor's bytes are those of the array.
struct Input {
  explicit Input(nb::handle value) {
    if (nb::isinstance<nb::tuple>(value)) {
      Pack(nb::cast<nb::tuple>(value));
      return;
    }
    if (!nb::try_cast(value, array))
      throw nb::type_error(
          "an input must be an array in CPU memory that supports DLPack or "
          "the buffer protocol");
    tensor.type = TypeOf(array.dtype());
    SetDims(&tensor, array.ndim(), [&](size_t i) { return array.shape(i); });
    tensor.data = const_cast<void*>(array.data());
    tensor.bytes = array.nbytes();
  }
  // (shape, [bytes, ...]): strings.
  void Pack(const nb::tuple& strings) {
    const auto shape = nb::cast<std::vector<size_t>>(strings[0]);
    std::vector<const char*> texts;
    std::vector<size_t> lengths;
    for (nb::handle item : nb::cast<nb::list>(strings[1])) {
      const auto text = nb::cast<nb::bytes>(item);
      texts.push_back(text.c_str());
      lengths.push_back(text.size());
    }
    void* bytes = nullptr;
    tensor.type = MUNJA_TYPE_STRING;
    SetDims(&tensor, shape.size(), [&](size_t i) { return shape[i]; });
    Unwrap(munja::StatusOf(munja_strings_pack(
        texts.data(), lengths.data(), texts.size(), &bytes, &tensor.bytes)));
    packed.reset(static_cast<char*>(bytes));
    tensor.data = bytes;
  }

  Array array;
  munja::Handle<char, munja_free> packed;
  munja_tensor tensor = {};
};

// A list of bytes and the shape.
nb::object Strings(const munja_tensor& tensor) {
  nb::list shape, texts;
  size_t count = 1;
  for (int32_t i = 0; i < tensor.rank; ++i) {
    shape.append(tensor.dims[i]);
    count *= static_cast<size_t>(tensor.dims[i]);
  }
  for (size_t i = 0; i < count; ++i) {
    const char* text = nullptr;
    size_t length = 0;
    Unwrap(munja::StatusOf(munja_string_at(&tensor, i, &text, &length)));
    texts.append(nb::bytes(text, length));
  }
  return nb::make_tuple(nb::tuple(shape), texts);
}

// A C session, and the number of arrays that view its memory.
struct Memory {
  explicit Memory(munja_session* session) : handle(session) {}
  munja::Handle<munja_session, munja_session_free> handle;
  std::atomic<int> views{0};
};

// NumPy's array where NumPy is installed, else an object that supports DLPack
// and the buffer protocol.
nb::object ToArray(const munja_tensor& tensor,
                   const std::shared_ptr<Memory>& memory, bool copy,
                   bool has_numpy) {
  if (tensor.type == MUNJA_TYPE_STRING) return Strings(tensor);
  const nb::dlpack::dtype dtype = DtypeOf(tensor.type);
  std::vector<size_t> shape(tensor.dims, tensor.dims + tensor.rank);
  void* data = tensor.data;
  nb::object keeper;
  if (copy) {
    auto* const bytes = new char[std::max<size_t>(tensor.bytes, 1)];
    if (tensor.bytes > 0) std::memcpy(bytes, data, tensor.bytes);
    keeper = nb::capsule(
        bytes, [](void* p) noexcept { delete[] static_cast<char*>(p); });
    data = bytes;
  } else {
    using Owner = std::shared_ptr<Memory>;
    ++memory->views;
    keeper = nb::capsule(new Owner(memory), [](void* p) noexcept {
      const std::unique_ptr<Owner> owner(static_cast<Owner*>(p));
      --(*owner)->views;
    });
  }
  const nb::ndarray<> array(data, shape.size(), shape.data(), keeper, nullptr,
                            dtype);
  if (has_numpy && tensor.type != MUNJA_TYPE_BFLOAT16)
    return nb::cast(nb::ndarray<nb::numpy>(array));
  return nb::cast(nb::ndarray<nb::array_api>(array));
}

// Each call is made under a control of its own, which is bound to the thread.
class Session {
 public:
  explicit Session(munja_session* session)
      : memory_(std::make_shared<Memory>(session)) {}
  munja_session* get() const {
    if (memory_ == nullptr)
      Raise({MUNJA_INVALID_ARGUMENT, "the session is closed"});
    return memory_->handle.get();
  }
  void Close() {
    if (is_running_)
      Raise({MUNJA_INVALID_ARGUMENT,
             "the session is used by another thread and cannot be closed"});
    memory_.reset();  // Views of outputs keep it.
  }
  bool is_closed() const { return memory_ == nullptr; }

  nb::list Run(const nb::list& values, const std::vector<std::string>& names,
               bool copy, bool has_numpy, Control* control) {
    munja_session* const session = get();
    if (memory_->views != 0)
      Raise({MUNJA_INVALID_ARGUMENT,
             "arrays of an earlier run(copy=False) still view the memory that "
             "this one would overwrite: delete them first"});
    std::vector<Input> inputs;
    inputs.reserve(nb::len(values));
    std::vector<munja_tensor> tensors;
    for (nb::handle value : values) {
      inputs.emplace_back(value);
      tensors.push_back(inputs.back().tensor);
    }
    std::vector<const char*> keys;
    for (const std::string& name : names) keys.push_back(name.c_str());
    const auto count = static_cast<int32_t>(tensors.size());
    {
      const InUse in_use(this);
      Call call(control);
      Unwrap(call.Run([&] {
        const munja::BoundControl bound(*call.control());
        return munja::StatusOf(
            keys.empty() ? munja_session_run(session, tensors.data(), count)
                         : munja_session_run_named(session, keys.data(),
                                                   tensors.data(), count));
      }));
    }
    nb::list outputs;
    for (int32_t i = 0; i < munja_session_output_count(session); ++i) {
      munja_tensor tensor = {};
      Unwrap(munja::StatusOf(munja_session_output_tensor(session, i, &tensor)));
      outputs.append(ToArray(tensor, memory_, copy, has_numpy));
    }
    return outputs;
  }

 private:
  // The library refuses a second caller; this keeps Close() from freeing what
  // the first one uses.
  class InUse {
   public:
    explicit InUse(Session* session) : session_(session) {
      if (session->is_running_)
        Raise({MUNJA_INVALID_ARGUMENT,
               "the session is used by another thread: each thread needs a "
               "fork() of its own"});
      session->is_running_ = true;
    }
    ~InUse() { session_->is_running_ = false; }

   private:
    Session* session_;
  };

  std::shared_ptr<Memory> memory_;
  bool is_running_ = false;  // Guarded by the GIL.
};

Session Create(const Network& network, int threads,
               const std::string& signature, const std::string& precision,
               const std::vector<DeviceOption>& devices, bool profile,
               bool reference_kernels, int top_k, Control* control) {
  const munja_precision precision_value = PrecisionOf(precision);
  const std::vector<munja::Device> device_list = DevicesOf(devices);
  Call call(control);
  munja_session* session = nullptr;
  Unwrap(call.Run([&] {
    const munja::BoundControl bound(*call.control());
    munja::Result<munja::internal::Delegates> delegates =
        munja::internal::Delegates::Create(device_list, {});
    if (!delegates.ok()) return delegates.error();
    munja_session_options options = {};
    options.struct_size = sizeof options;
    options.threads = threads;
    options.signature = signature.empty() ? nullptr : signature.c_str();
    options.precision = precision_value;
    options.profile = profile ? 1 : 0;
    options.reference_kernels = reference_kernels ? 1 : 0;
    options.top_k = top_k;
    options.delegates = delegates->data();
    options.delegate_count = delegates->count();
    return munja::StatusOf(
        munja_session_create(network.network.get(), &options, &session));
  }));
  return Session(session);
}

nb::list Describe(const Session& self, int32_t count, auto get) {
  nb::list list;
  for (int32_t i = 0; i < count; ++i) {
    munja_tensor_info info = {};
    info.struct_size = sizeof info;
    Unwrap(munja::StatusOf(get(self.get(), i, &info)));
    list.append(DescribeTensor(info.name, info));
  }
  return list;
}

nb::list Profile(const Session& self) {
  nb::list list;
  for (int32_t i = 0, n = munja_session_profile(self.get()); i < n; ++i) {
    munja_node_profile row = {};
    row.struct_size = sizeof row;
    Unwrap(munja::StatusOf(munja_session_profile_row(self.get(), i, &row)));
    nb::dict entry;
    entry["op"] = row.op;
    entry["name"] = row.name;
    entry["shapes"] = row.shapes;
    entry["milliseconds"] = row.milliseconds;
    entry["multiply_accumulates"] = row.multiply_accumulates;
    entry["runs"] = row.runs;
    entry["bytes"] = row.bytes;
    list.append(entry);
  }
  return list;
}

nb::list Owners(const Session& self) {
  munja_partition_report* report = nullptr;
  Unwrap(munja::StatusOf(munja_session_partition_report(self.get(), &report)));
  const munja::Handle<munja_partition_report, munja_partition_report_free>
      owner(report);
  nb::list list;
  for (int32_t i = 0; i < munja_partition_report_count(report); ++i) {
    munja_node_owner row = {};
    row.struct_size = sizeof row;
    Unwrap(munja::StatusOf(munja_partition_report_row(report, i, &row)));
    nb::dict entry;
    entry["node"] = row.node;
    entry["op"] = row.op;
    entry["name"] = row.name;
    entry["owner"] = row.owner;
    entry["reason"] = row.reason;
    list.append(entry);
  }
  return list;
}

}  // namespace

void BindSession(nb::module_& m) {
  nb::class_<Session>(m, "Session")
      .def_static("create", Create, nb::arg("network"), nb::arg("threads"),
                  nb::arg("signature"), nb::arg("precision"),
                  nb::arg("devices"), nb::arg("profile"),
                  nb::arg("reference_kernels"), nb::arg("top_k"),
                  nb::arg("control").none())
      .def(
          "fork",
          [](const Session& self, int threads) {
            munja_session* fork = nullptr;
            Unwrap(munja::StatusOf(
                munja_session_fork(self.get(), threads, &fork)));
            return Session(fork);
          },
          nb::arg("threads"))
      .def_prop_ro(
          "inputs",
          [](const Session& self) {
            return Describe(self, munja_session_input_count(self.get()),
                            munja_session_input_info);
          },
          nb::sig("def inputs(self) -> list[typing.Any]"))
      .def_prop_ro(
          "outputs",
          [](const Session& self) {
            return Describe(self, munja_session_output_count(self.get()),
                            munja_session_output_info);
          },
          nb::sig("def outputs(self) -> list[typing.Any]"))
      .def("run", &Session::Run, nb::arg("values"), nb::arg("names"),
           nb::arg("copy"), nb::arg("has_numpy"), nb::arg("control").none(),
           nb::sig("def run(self, values: list[typing.Any], names: "
                   "collections.abc.Sequence[str], copy: bool, has_numpy: "
                   "bool, control: Control | None) -> list[typing.Any]"))
      .def("reset_variables",
           [](const Session& self) {
             Unwrap(munja::StatusOf(munja_session_reset_variables(self.get())));
           })
      .def("profile", Profile,
           nb::sig("def profile(self) -> list[dict[str, typing.Any]]"))
      .def("owners", Owners,
           nb::sig("def owners(self) -> list[dict[str, typing.Any]]"))
      .def_prop_ro("closed", &Session::is_closed)
      .def("close", &Session::Close);
}

}  // namespace munja_python
