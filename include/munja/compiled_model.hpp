// C++20 over the runtime's C interface, without exceptions: an environment with
// operators of your own, options, compiled models, tensor buffers. Header-only;
// nothing in it is part of the ABI.
//
//   auto environment = Environment::Create();
//   auto model = CompiledModel::Create(*environment, "model.tflite", options);
//   auto inputs = model->CreateInputBuffers();
//   auto outputs = model->CreateOutputBuffers();
//   (*inputs)[0].Write<float>(values);
//   model->Run(*inputs, *outputs);
//   auto result = (*outputs)[0].Read<float>();
//
// Each step gives an Expected or a Status; objects may be used by one thread
// at a time, different ones at once.
#ifndef MUNJA_COMPILED_MODEL_HPP_
#define MUNJA_COMPILED_MODEL_HPP_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "munja/delegates.h"
#include "munja/munja.hpp"
#include "munja/operator.hpp"
#include "munja/result.hpp"
#include "munja/runtime.h"
#include "munja/tensor_buffer.hpp"

namespace munja {
inline namespace v0 {

// State that the models of a program share: the operators they may use. Models
// keep what they need of it.
class Environment {
 public:
  static Result<Environment> Create() {
    munja_resolver* resolver = nullptr;
    if (Status f = StatusOf(munja_resolver_create(&resolver)); !f.ok())
      return f;
    Environment environment;
    environment.resolver_.reset(resolver);
    return environment;
  }
  // Custom operators called `name` are objects of class Op (see operator.hpp).
  template <class Op>
  Status AddOperator(const char* name) {
    const munja_operator op = OperatorCallbacks<Op>(name);
    return StatusOf(munja_resolver_add(resolver_.get(), &op));
  }
  munja_resolver* resolver() const { return resolver_.get(); }

 private:
  Environment() = default;
  Handle<munja_resolver, munja_resolver_free> resolver_;
};

struct Options {
  int threads = 0;  // 0: one for each processor.
  // Tried in this order: each is offered the nodes that those before it left.
  // One that is not there is skipped (see CompiledModel::skipped), and nodes
  // that no device takes run on the CPU.
  std::vector<Device> devices = {};
  // Offered nodes before the accelerators; not taken over.
  std::vector<munja_delegate*> delegates = {};
  std::string signature = {};  // Its subgraph is run; empty: the main one.
  bool profile = false;
  bool reference_kernels = false;
  int32_t top_k = 0;  // 1 to 5: see munja_session_options.
  munja_precision precision = MUNJA_PRECISION_FLOAT32;
};

class CompiledModel {
 public:
  static Result<CompiledModel> Create(const Environment& environment,
                                      const std::string& path,
                                      const Options& options = {}) {
    munja_network* model = nullptr;
    if (Status f = StatusOf(munja_network_load(path.c_str(), &model)); !f.ok())
      return f;
    return Create(environment, model, options);
  }
  // The bytes are copied.
  static Result<CompiledModel> Create(const Environment& environment,
                                      std::span<const uint8_t> bytes,
                                      const Options& options = {}) {
    munja_network* model = nullptr;
    if (Status f = StatusOf(
            munja_network_load_bytes(bytes.data(), bytes.size(), &model));
        !f.ok())
      return f;
    return Create(environment, model, options);
  }

  int input_count() const { return munja_session_input_count(session_.get()); }
  int output_count() const {
    return munja_session_output_count(session_.get());
  }
  Result<munja_tensor_info> Input(int index) const {
    munja_tensor_info info = {};
    info.struct_size = sizeof info;
    if (Status f =
            StatusOf(munja_session_input_info(session_.get(), index, &info));
        !f.ok())
      return f;
    return info;
  }
  // By the signature's name, or the tensor's.
  Result<int> FindInput(const std::string& name) const {
    int32_t index = 0;
    if (Status f = StatusOf(
            munja_session_find_input(session_.get(), name.c_str(), &index));
        !f.ok())
      return f;
    return static_cast<int>(index);
  }
  Result<int> FindOutput(const std::string& name) const {
    int32_t index = 0;
    if (Status f = StatusOf(
            munja_session_find_output(session_.get(), name.c_str(), &index));
        !f.ok())
      return f;
    return static_cast<int>(index);
  }

  // Zeros in memory of their own. Dimensions that the model leaves open become
  // 1: for other sizes make the buffer with TensorBuffer::Create.
  Result<std::vector<TensorBuffer>> CreateInputBuffers() const {
    std::vector<TensorBuffer> buffers;
    for (int i = 0; i < input_count(); ++i) {
      const Result<munja_tensor_info> info = Input(i);
      if (!info.ok()) return info.error();
      std::vector<int32_t> dims(info->dims, info->dims + info->rank);
      for (int32_t& dim : dims)
        if (dim < 0) dim = 1;
      Result<TensorBuffer> buffer = TensorBuffer::Create(info->type, dims);
      if (!buffer.ok()) return buffer.error();
      buffers.push_back(std::move(*buffer));
    }
    return buffers;
  }
  // Buffers that a run points at the model's own memory: nothing is copied, and
  // what they show holds until the next run.
  std::vector<TensorBuffer> CreateOutputBuffers() const {
    return std::vector<TensorBuffer>(static_cast<size_t>(output_count()));
  }

  // Inputs are read in place. Outputs that have memory (TensorBuffer::Create,
  // Wrap) are copied there and must be of the right type and size, others are
  // pointed at the model's memory.
  Status Run(std::span<const TensorBuffer> inputs,
             std::span<TensorBuffer> outputs) {
    std::vector<munja_tensor> tensors;
    for (const TensorBuffer& input : inputs) tensors.push_back(input.tensor());
    if (Status f =
            StatusOf(munja_session_run(session_.get(), tensors.data(),
                                       static_cast<int32_t>(tensors.size())));
        !f.ok())
      return f;
    for (size_t i = 0; i < outputs.size(); ++i) {
      munja_tensor result = {};
      if (Status f = StatusOf(munja_session_output_tensor(
              session_.get(), static_cast<int32_t>(i), &result));
          !f.ok())
        return f;
      if (Status f = outputs[i].Take(result); !f.ok()) return f;
    }
    return Status();
  }

  // Plans for inputs of these shapes and runs once, so that the first run that
  // counts neither allocates nor meets cold memory. Variables are forgotten.
  Status WarmUp(std::span<const TensorBuffer> inputs) {
    if (Status f = Run(inputs, {}); !f.ok()) return f;
    return StatusOf(munja_session_reset_variables(session_.get()));
  }

  // The accelerators that could not be made, each with the reason.
  const std::vector<std::string>& skipped() const { return skipped_; }
  munja_session* session() const { return session_.get(); }

 private:
  CompiledModel() = default;
  // Takes the model over.
  static Result<CompiledModel> Create(const Environment& environment,
                                      munja_network* model,
                                      const Options& options) {
    const Handle<munja_network, munja_network_free> owner(model);
    munja_session_options o = {};
    o.struct_size = sizeof o;
    o.threads = options.threads;
    o.profile = options.profile ? 1 : 0;
    o.reference_kernels = options.reference_kernels ? 1 : 0;
    o.precision = options.precision;
    o.top_k = options.top_k;
    o.resolver = environment.resolver();
    if (!options.signature.empty()) o.signature = options.signature.c_str();
    // Delegates that are made here are freed here: sessions keep what they use.
    std::vector<Handle<munja_delegate, munja_delegate_free>> made;
    std::vector<munja_delegate*> delegates = options.delegates;
    CompiledModel compiled;
    for (const Device& device : options.devices) {
      std::vector<const char*> keys, values;
      for (const auto& [key, value] : device.options) {
        keys.push_back(key.c_str());
        values.push_back(value.c_str());
      }
      munja_delegate* delegate = nullptr;
      const Status f = StatusOf(
          munja_delegate_create(device.name.c_str(), keys.data(), values.data(),
                                static_cast<int32_t>(keys.size()), &delegate));
      if (!f.ok()) {
        compiled.skipped_.push_back(device.name + ": " + f.message());
        continue;
      }
      made.emplace_back(delegate);
      delegates.push_back(delegate);
    }
    o.delegates = delegates.data();
    o.delegate_count = static_cast<int32_t>(delegates.size());
    munja_session* session = nullptr;
    if (Status f = StatusOf(munja_session_create(model, &o, &session)); !f.ok())
      return f;
    compiled.session_.reset(session);
    return compiled;
  }

  Handle<munja_session, munja_session_free> session_;
  std::vector<std::string> skipped_;
};

}  // namespace v0
}  // namespace munja

#endif  // MUNJA_COMPILED_MODEL_HPP_
