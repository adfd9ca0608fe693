// C++20 over munja/runtime.h, munja/delegates.h and munja/devices.h: networks
// (.tflite files), the sessions that run them, and accelerators. Part of
// munja/munja.hpp; needs libmunja-runtime only.
//
//   const munja::Network network = munja::Network::Load("x.tflite").value();
//   munja::Session session(network, {.threads = 2});
//   std::vector<float> pixels(3 * 640 * 640);
//   const munja::Tensor input = munja::Tensor::Of<float>(
//       MUNJA_TYPE_FLOAT32, {{1, 640, 640, 3}}, pixels);
//   for (const munja::Tensor& output : session.Run({&input, 1}).value())
//     Use(output.data<float>());
#ifndef MUNJA_SESSION_HPP_
#define MUNJA_SESSION_HPP_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "munja/control.hpp"
#include "munja/delegates.h"
#include "munja/devices.h"
#include "munja/operators.h"
#include "munja/result.hpp"
#include "munja/runtime.h"
#include "munja/types.h"

namespace munja {
inline namespace v0 {

// ---- Devices and operators --------------------------------------------------

// An accelerator by name ("nn:NAME", "opencl"), or a delegate's shared library.
struct Device {
  std::string name;
  std::vector<std::pair<std::string, std::string>> options = {};
};

// Takes over a part of a network; see munja/delegates.h. Sessions keep what
// they use.
class Delegate {
 public:
  // The names of those in the library.
  static std::vector<std::string> Known() {
    std::vector<std::string> names;
    for (int32_t i = 0; munja_delegate_known(i) != nullptr; ++i)
      names.emplace_back(munja_delegate_known(i));
    return names;
  }
  static Result<Delegate> Create(const Device& device) {
    return Make(munja_delegate_create, device);
  }
  // From the shared library of that path, whose code is run.
  static Result<Delegate> Load(const Device& device) {
    return Make(munja_delegate_load, device);
  }
  munja_delegate* get() const { return handle_.get(); }

 private:
  explicit Delegate(munja_delegate* delegate) : handle_(delegate) {}
  static Result<Delegate> Make(decltype(&munja_delegate_create) make,
                               const Device& device) {
    std::vector<const char*> keys, values;
    for (const auto& [key, value] : device.options) {
      keys.push_back(key.c_str());
      values.push_back(value.c_str());
    }
    munja_delegate* delegate = nullptr;
    const Status status =
        StatusOf(make(device.name.c_str(), keys.data(), values.data(),
                      static_cast<int32_t>(keys.size()), &delegate));
    if (!status.ok()) return status;
    return Delegate(delegate);
  }

  Handle<munja_delegate, munja_delegate_free> handle_;
};

// The operators that sessions may use; see munja/operators.h.
class Resolver {
 public:
  Resolver() {  // With those of the library.
    munja_resolver* resolver = nullptr;
    Check(munja_resolver_create(&resolver));
    handle_.reset(resolver);
  }
  // Adds those of a shared library, whose code is run.
  Status Load(const std::string& path) {
    return StatusOf(munja_resolver_load(get(), path.c_str()));
  }
  munja_resolver* get() const { return handle_.get(); }

 private:
  Handle<munja_resolver, munja_resolver_free> handle_;
};

// The devices there are, as JSON; see munja_devices().
inline Result<std::string> Devices(const std::string& directories = "") {
  return internal::TextOf(
      [&](char** json) { return munja_devices(directories.c_str(), json); });
}

// Writes a trace of the whole process to `path` until FinishTrace(); see
// munja_trace().
inline Status StartTrace(const std::string& path) {
  return StatusOf(munja_trace(path.c_str()));
}
inline Status FinishTrace() { return StatusOf(munja_trace(nullptr)); }

namespace internal {

// Delegates for the duration of a call; sessions and engines keep what they
// use.
class Delegates {
 public:
  static Result<Delegates> Create(std::span<const Device> devices,
                                  std::span<munja_delegate* const> more) {
    Delegates made;
    made.pointers_.assign(more.begin(), more.end());
    for (const Device& device : devices) {
      const bool is_path = device.name.find('/') != device.name.npos ||
                           device.name.ends_with(".so");
      Result<Delegate> delegate =
          is_path ? Delegate::Load(device) : Delegate::Create(device);
      if (!delegate.ok()) return delegate.error();
      made.pointers_.push_back(delegate->get());
      made.owned_.push_back(*std::move(delegate));
    }
    return made;
  }
  munja_delegate* const* data() const { return pointers_.data(); }
  int32_t count() const { return static_cast<int32_t>(pointers_.size()); }

 private:
  std::vector<Delegate> owned_;
  std::vector<munja_delegate*> pointers_;
};

}  // namespace internal

// ---- Networks and sessions -------------------------------------------------

// "float32", ...
inline std::string NameOf(munja_element_type type) {
  return munja_element_type_name(type);
}

// The number format of MUNJA_PRECISION_FLOAT16 here: "bf16", "fp16"; "": none.
inline std::string Float16Name() { return munja_float16_name(); }

// An input or output, as the network describes it.
struct TensorInfo {
  std::string name;
  munja_element_type type = MUNJA_TYPE_FLOAT32;
  std::vector<int32_t> dims = {};  // -1: dynamic.
  float scale = 0;                 // 0: not quantized, or quantized per axis.
  int32_t zero_point = 0;
};

namespace internal {

// Calls `get(&struct)`, which fills a struct of the C interface.
template <class Struct, class Get>
Struct Filled(const Get& get) {
  Struct filled = {};
  filled.struct_size = sizeof filled;
  Check(get(&filled));
  return filled;
}

inline TensorInfo InfoOf(const munja_tensor_info& info) {
  return {.name = info.name,
          .type = info.type,
          .dims = {info.dims, info.dims + info.rank},
          .scale = info.scale,
          .zero_point = info.zero_point};
}

}  // namespace internal

// A view of a tensor; see munja_tensor.
class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(const munja_tensor& tensor) : tensor_(tensor) {}
  // Makes a tensor of memory of the caller.
  template <class T>
  static Tensor Of(munja_element_type type, std::span<const int32_t> dims,
                   std::span<T> data) {
    munja_tensor t = {};
    t.type = type;
    t.rank =
        static_cast<int32_t>(std::min<size_t>(dims.size(), MUNJA_MAX_RANK));
    std::copy_n(dims.begin(), static_cast<size_t>(t.rank), t.dims);
    t.data = const_cast<std::remove_const_t<T>*>(data.data());
    t.bytes = data.size_bytes();
    return Tensor(t);
  }
  munja_element_type type() const { return tensor_.type; }
  std::span<const int32_t> dims() const {
    return {tensor_.dims, static_cast<size_t>(tensor_.rank)};
  }
  template <class T>
  std::span<const T> data() const {
    return {static_cast<const T*>(tensor_.data), tensor_.bytes / sizeof(T)};
  }
  size_t bytes() const { return tensor_.bytes; }
  const munja_tensor& get() const { return tensor_; }

 private:
  munja_tensor tensor_ = {};
};

// A named entry point of a network. Its inputs and outputs have the signature's
// names.
struct Signature {
  std::string key;
  int subgraph = 0;
  std::vector<TensorInfo> inputs = {}, outputs = {};
};

// A .tflite file.
class Network {
 public:
  static Result<Network> Load(const std::string& path) {
    munja_network* network = nullptr;
    const Status status = StatusOf(munja_network_load(path.c_str(), &network));
    if (!status.ok()) return status;
    return Network(network);
  }
  // The bytes are copied.
  static Result<Network> Load(std::span<const uint8_t> bytes) {
    munja_network* network = nullptr;
    const Status status = StatusOf(
        munja_network_load_bytes(bytes.data(), bytes.size(), &network));
    if (!status.ok()) return status;
    return Network(network);
  }
  // Takes over a network.
  explicit Network(munja_network* network) : handle_(network) {}
  std::vector<Signature> signatures() const {
    std::vector<Signature> all;
    for (int32_t i = 0; i < munja_network_signature_count(get()); ++i) {
      const auto s =
          internal::Filled<munja_signature>([&](munja_signature* to) {
            return munja_network_signature(get(), i, to);
          });
      all.push_back({.key = s.key, .subgraph = s.subgraph});
      for (int32_t k = 0; k < s.input_count; ++k)
        all.back().inputs.push_back(Named(munja_network_signature_input, i, k));
      for (int32_t k = 0; k < s.output_count; ++k)
        all.back().outputs.push_back(
            Named(munja_network_signature_output, i, k));
    }
    return all;
  }
  munja_network* get() const { return handle_.get(); }

 private:
  TensorInfo Named(decltype(&munja_network_signature_input) get_one,
                   int32_t signature, int32_t index) const {
    const char* name = "";
    TensorInfo info = internal::InfoOf(
        internal::Filled<munja_tensor_info>([&](munja_tensor_info* to) {
          return get_one(get(), signature, index, &name, to);
        }));
    info.name = name;
    return info;
  }

  Handle<munja_network, munja_network_free> handle_;
};

struct SessionOptions {
  int threads = 0;             // 0: one per processor.
  std::string signature = {};  // "": the main subgraph.
  munja_precision precision = MUNJA_PRECISION_DEFAULT;
  bool no_winograd = false;
  bool profile = false;
  bool reference_kernels = false;
  int top_k = 0;  // See munja_session_options.
  std::vector<Device> devices = {};
  std::vector<munja_delegate*> delegates = {};  // In addition; not owned.
  const munja_resolver* resolver = nullptr;     // Not owned.
  const Control* control = nullptr;             // Must outlive the session.
};

namespace internal {

// The C options. They point into `options`, which must stay, and into this.
class NativeSessionOptions {
 public:
  static Result<NativeSessionOptions> Create(const SessionOptions& options) {
    Result<Delegates> delegates =
        Delegates::Create(options.devices, options.delegates);
    if (!delegates.ok()) return delegates.error();
    NativeSessionOptions made(*std::move(delegates));
    munja_session_options& o = made.native_;
    o.struct_size = sizeof o;
    o.threads = options.threads;
    o.signature = OrNull(options.signature);
    o.precision = options.precision;
    o.no_winograd = options.no_winograd ? 1 : 0;
    o.profile = options.profile ? 1 : 0;
    o.reference_kernels = options.reference_kernels ? 1 : 0;
    o.top_k = options.top_k;
    o.delegates = made.delegates_.data();
    o.delegate_count = made.delegates_.count();
    o.resolver = options.resolver;
    o.control = Get(options.control);
    return made;
  }
  const munja_session_options* get() const { return &native_; }

 private:
  explicit NativeSessionOptions(Delegates delegates)
      : delegates_(std::move(delegates)) {}
  Delegates delegates_;
  munja_session_options native_ = {};
};

}  // namespace internal

// Where a node runs, and why; see munja_node_owner.
struct NodeOwner {
  int subgraph = 0;
  int node = 0;
  std::string op, name;
  std::string owner;   // A delegate's name, "cpu" or "none".
  int partition = -1;  // Index among that delegate's; -1: in none.
  std::string reason;
};

// Where the nodes of a session would run that is made with these options.
inline Result<std::vector<NodeOwner>> OwnersOf(
    const Network& network, const SessionOptions& options = {}) {
  const auto native = internal::NativeSessionOptions::Create(options);
  if (!native.ok()) return native.error();
  munja_partition_report* made = nullptr;
  const Status status = StatusOf(
      munja_partition_report_create(network.get(), native->get(), &made));
  if (!status.ok()) return status;
  const Handle<munja_partition_report, munja_partition_report_free> report(
      made);
  std::vector<NodeOwner> owners;
  for (int32_t i = 0; i < munja_partition_report_count(made); ++i) {
    const auto row =
        internal::Filled<munja_node_owner>([&](munja_node_owner* to) {
          return munja_partition_report_row(made, i, to);
        });
    owners.push_back({.subgraph = row.subgraph,
                      .node = row.node,
                      .op = row.op,
                      .name = row.name,
                      .owner = row.owner,
                      .partition = row.partition,
                      .reason = row.reason});
  }
  return owners;
}

// The runs of an operator since the session was made or the profile reset.
struct NodeProfile {
  std::string op, name, shapes;
  double milliseconds = 0;           // All runs together.
  int64_t multiply_accumulates = 0;  // In one run.
  int runs = 0;
  munja_element_type type = MUNJA_TYPE_FLOAT32;  // See munja_node_profile.
  int64_t bytes = 0;  // Inputs and outputs, in one run.
};

// Runs a network. One thread at a time.
class Session {
 public:
  // Throws Error.
  explicit Session(const Network& network, const SessionOptions& options = {})
      : Session(Create(network, options).value()) {}
  static Result<Session> Create(const Network& network,
                                const SessionOptions& options = {}) {
    const auto native = internal::NativeSessionOptions::Create(options);
    if (!native.ok()) return native.error();
    munja_session* session = nullptr;
    const Status status =
        StatusOf(munja_session_create(network.get(), native->get(), &session));
    if (!status.ok()) return status;
    return Session(session);
  }
  std::vector<TensorInfo> inputs() const {
    return Infos(munja_session_input_info, munja_session_input_count(get()));
  }
  std::vector<TensorInfo> outputs() const {
    return Infos(munja_session_output_info, output_count());
  }
  int output_count() const { return munja_session_output_count(get()); }
  // The place of an input or output by its name in the signature, or by that of
  // its tensor.
  Result<int> FindInput(const std::string& name) const {
    return Find(munja_session_find_input, name);
  }
  Result<int> FindOutput(const std::string& name) const {
    return Find(munja_session_find_output, name);
  }
  // Plans memory for inputs of these types and shapes, whose data is not looked
  // at; see munja_session_plan().
  Status Plan(std::span<const Tensor> inputs) {
    const std::vector<munja_tensor> tensors = Native(inputs);
    return StatusOf(munja_session_plan(get(), tensors.data(),
                                       static_cast<int32_t>(tensors.size())));
  }
  // The data of the outputs is valid until the next run.
  Result<std::vector<Tensor>> Run(std::span<const Tensor> inputs) {
    const std::vector<munja_tensor> tensors = Native(inputs);
    Status status = StatusOf(munja_session_run(
        get(), tensors.data(), static_cast<int32_t>(tensors.size())));
    std::vector<Tensor> outputs;
    for (int i = 0; status.ok() && i < output_count(); ++i) {
      munja_tensor tensor = {};
      status = StatusOf(munja_session_output_tensor(get(), i, &tensor));
      outputs.emplace_back(tensor);
    }
    if (!status.ok()) return status;
    return outputs;
  }
  // With SessionOptions::profile: the operators that ran, in their order.
  std::vector<NodeProfile> Profile() {
    std::vector<NodeProfile> rows;
    const int32_t count = munja_session_profile(get());
    for (int32_t i = 0; i < count; ++i) {
      const auto row =
          internal::Filled<munja_node_profile>([&](munja_node_profile* to) {
            return munja_session_profile_row(get(), i, to);
          });
      rows.push_back({.op = row.op,
                      .name = row.name,
                      .shapes = row.shapes,
                      .milliseconds = row.milliseconds,
                      .multiply_accumulates = row.multiply_accumulates,
                      .runs = row.runs,
                      .type = row.type,
                      .bytes = row.bytes});
    }
    return rows;
  }
  void ResetProfile() { munja_session_profile_reset(get()); }
  munja_memory_use memory() const {
    return internal::Filled<munja_memory_use>(
        [&](munja_memory_use* to) { return munja_session_memory(get(), to); });
  }
  munja_session* get() const { return handle_.get(); }

 private:
  explicit Session(munja_session* session) : handle_(session) {}
  static std::vector<munja_tensor> Native(std::span<const Tensor> tensors) {
    std::vector<munja_tensor> native;
    for (const Tensor& tensor : tensors) native.push_back(tensor.get());
    return native;
  }
  std::vector<TensorInfo> Infos(decltype(&munja_session_input_info) get_one,
                                int32_t count) const {
    std::vector<TensorInfo> infos;
    for (int32_t i = 0; i < count; ++i)
      infos.push_back(internal::InfoOf(internal::Filled<munja_tensor_info>(
          [&](munja_tensor_info* to) { return get_one(get(), i, to); })));
    return infos;
  }
  Result<int> Find(decltype(&munja_session_find_input) find,
                   const std::string& name) const {
    int32_t index = 0;
    const Status status = StatusOf(find(get(), name.c_str(), &index));
    if (!status.ok()) return status;
    return static_cast<int>(index);
  }
  Handle<munja_session, munja_session_free> handle_;
};

}  // namespace v0
}  // namespace munja

#endif  // MUNJA_SESSION_HPP_
