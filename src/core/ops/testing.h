// Runs one operator without a session: for the tests of operators.
#ifndef MUNJA_OPS_TESTING_H_
#define MUNJA_OPS_TESTING_H_

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "graph/attributes.h"
#include "ops/op.h"
#include "tensor/element_type.h"
#include "tensor/quantization.h"
#include "tensor/shape.h"

namespace munja::ops {

// A tensor that owns its data.
struct TestTensor {
  ElementType type = ElementType::kFloat32;
  Shape shape;
  std::vector<uint8_t> bytes;
  Quantization quantization;
  bool is_constant = false;  // Known when the operator is made.
  bool is_absent = false;    // An optional input that is not given.
  bool is_variable = false;  // The operator may write to it.

  template <class T>
  std::vector<T> values() const {
    std::vector<T> v(bytes.size() / sizeof(T));
    if (!v.empty()) std::memcpy(v.data(), bytes.data(), v.size() * sizeof(T));
    return v;
  }
  TestTensor Constant() && {
    is_constant = true;
    return std::move(*this);
  }
  TestTensor Variable() && {
    is_variable = true;
    return std::move(*this);
  }
  TestTensor With(Quantization q) && {
    quantization = std::move(q);
    return std::move(*this);
  }
};

template <class T>
TestTensor MakeTensor(ElementType type, Shape shape,
                      const std::vector<T>& values) {
  TestTensor t;
  t.type = type;
  t.shape = shape;
  t.bytes.resize(values.size() * sizeof(T));
  if (!values.empty())
    std::memcpy(t.bytes.data(), values.data(), t.bytes.size());
  return t;
}
inline TestTensor Floats(Shape shape, const std::vector<float>& values) {
  return MakeTensor(ElementType::kFloat32, shape, values);
}
TestTensor Strings(Shape shape, const std::vector<std::string_view>& strings);
// One dimension.
inline TestTensor Strings(const std::vector<std::string_view>& strings) {
  return Strings(Shape{static_cast<int32_t>(strings.size())}, strings);
}
inline TestTensor Ints(Shape shape, const std::vector<int32_t>& values) {
  return MakeTensor(ElementType::kInt32, shape, values);
}
inline TestTensor Int8s(Shape shape, const std::vector<int8_t>& values,
                        float scale, int64_t zero) {
  return MakeTensor(ElementType::kInt8, shape, values).With({{scale}, {zero}});
}
inline TestTensor UInt8s(Shape shape, const std::vector<uint8_t>& values,
                         float scale, int64_t zero) {
  return MakeTensor(ElementType::kUInt8, shape, values).With({{scale}, {zero}});
}
inline TestTensor Int16s(Shape shape, const std::vector<int16_t>& values,
                         float scale) {
  return MakeTensor(ElementType::kInt16, shape, values).With({{scale}, {0}});
}
// Rounded to float16.
TestTensor Halves(Shape shape, const std::vector<float>& values);
TestTensor Absent();
// Numbers in [-1, 1] that depend on `seed` only, the same on every machine.
std::vector<float> RandomFloats(size_t count, uint32_t seed);

struct TestOutput {
  ElementType type = ElementType::kFloat32;
  Quantization quantization = {};
};

struct TestNode {
  std::string op;
  graph::Attributes attributes = {};
  std::vector<TestTensor> inputs = {};
  std::vector<TestOutput> outputs = {TestOutput{}};
  int version = 1;
  // Tensors that only carry quantization.
  std::vector<TestOutput> intermediates = {};
  std::vector<uint8_t> custom_options = {};  // For custom operators.
};

struct TestOptions {
  bool reference_kernels = false;
  int threads = 1;
  // Puts an output over an input where the kernel allows that.
  bool in_place = false;
  // Prepare sees the data of all inputs, as it does where nodes run one by one.
  bool knows_inputs = false;
  Host* host = nullptr;  // For kernels that need one.
  // Gets the inputs as they are after the run: what variables hold then.
  std::vector<TestTensor>* inputs_after = nullptr;
};

// Keeps resources and has no subgraphs unless a test gives it some.
class TestHost : public Host {
 public:
  Result<std::span<const TensorView>> Call(
      int index, std::span<const TensorView> inputs) override;
  Resources& resources() override { return resources_; }

 private:
  Resources resources_;
};

// Make, Prepare and Eval of the operator that ops.def lists under that name.
// kInternal when the kernel wrote past an output or its scratch memory, or
// into an input that it may not touch.
Result<std::vector<TestTensor>> RunNode(const TestNode& node,
                                        const TestOptions& options = {});

}  // namespace munja::ops

#endif  // MUNJA_OPS_TESTING_H_
