// A small ONNX model for tests.
#ifndef MUNJA_IMPORT_ONNX_TESTING_H_
#define MUNJA_IMPORT_ONNX_TESTING_H_

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "import/import.h"
#include "onnx.pb.h"

namespace munja::importer::onnx {

// A file with input "x" of the given shape and output "y".
class File {
 public:
  explicit File(std::vector<int64_t> input, int64_t opset = 13) {
    model_.set_ir_version(8);
    model_.add_opset_import()->set_version(opset);
    munja::onnx::ValueInfoProto* x = graph().add_input();
    x->set_name("x");
    x->mutable_type()->mutable_tensor_type()->set_elem_type(1);
    for (const int64_t d : input) {
      auto* dim =
          x->mutable_type()->mutable_tensor_type()->mutable_shape()->add_dim();
      if (d > 0)
        dim->set_dim_value(d);
      else
        dim->set_dim_param("open");
    }
    graph().add_output()->set_name("y");
  }
  munja::onnx::ModelProto& model() { return model_; }
  munja::onnx::GraphProto& graph() { return *model_.mutable_graph(); }
  munja::onnx::TensorProto& Floats(const std::string& name,
                                   std::vector<int64_t> dims,
                                   std::vector<float> values) {
    munja::onnx::TensorProto& t = *graph().add_initializer();
    t.set_name(name);
    t.set_data_type(1);
    for (const int64_t d : dims) t.add_dims(d);
    for (const float v : values) t.add_float_data(v);
    return t;
  }
  void Integers(const std::string& name, std::vector<int64_t> values) {
    munja::onnx::TensorProto& t = *graph().add_initializer();
    t.set_name(name);
    t.set_data_type(7);
    t.add_dims(static_cast<int64_t>(values.size()));
    for (const int64_t v : values) t.add_int64_data(v);
  }
  munja::onnx::NodeProto& Node(const std::string& op,
                               std::vector<std::string> in,
                               std::vector<std::string> out) {
    return AddNodeTo(graph(), op, std::move(in), std::move(out));
  }
  // To the graph of a branch, or to a function.
  template <class Graph>
  static munja::onnx::NodeProto& AddNodeTo(Graph& graph, const std::string& op,
                                           std::vector<std::string> in,
                                           std::vector<std::string> out) {
    munja::onnx::NodeProto& n = *graph.add_node();
    n.set_op_type(op);
    n.set_name(op + "_" + out[0]);
    for (const auto& name : in) n.add_input(name);
    for (const auto& name : out) n.add_output(name);
    return n;
  }
  std::string bytes() const { return model_.SerializeAsString(); }
  Result<ImportedModel> Import(const ImportOptions& options = {}) const {
    const std::string bytes = this->bytes();
    return ImportOnnx(
        std::span<const uint8_t>(reinterpret_cast<const uint8_t*>(bytes.data()),
                                 bytes.size()),
        options);
  }

 private:
  munja::onnx::ModelProto model_;
};

inline void SetInts(munja::onnx::NodeProto& node, const char* name,
                    std::vector<int64_t> values) {
  munja::onnx::AttributeProto* a = node.add_attribute();
  a->set_name(name);
  a->set_type(7);
  for (const int64_t v : values) a->add_ints(v);
}

inline void SetInt(munja::onnx::NodeProto& node, const char* name,
                   int64_t value) {
  munja::onnx::AttributeProto* a = node.add_attribute();
  a->set_name(name);
  a->set_type(2);
  a->set_i(value);
}

inline void SetFloat(munja::onnx::NodeProto& node, const char* name,
                     float value) {
  munja::onnx::AttributeProto* a = node.add_attribute();
  a->set_name(name);
  a->set_type(1);
  a->set_f(value);
}

inline void SetText(munja::onnx::NodeProto& node, const char* name,
                    const char* value) {
  munja::onnx::AttributeProto* a = node.add_attribute();
  a->set_name(name);
  a->set_type(3);
  a->set_s(value);
}

// The first output by the reference path; tensors of rank 4 are NHWC.
inline std::vector<float> Evaluate(const File& file, Dims shape,
                                   std::vector<float> x,
                                   Dims* result = nullptr) {
  const auto model = file.Import();
  EXPECT_TRUE(model.ok()) << model.status().message();
  if (!model.ok()) return {};
  const Tensor input = Tensor::Floats(std::move(shape), std::move(x));
  const auto y = RunReference(*model, std::span<const Tensor>(&input, 1));
  EXPECT_TRUE(y.ok()) << y.status().message();
  if (!y.ok()) return {};
  if (result != nullptr) *result = (*y)[0].shape;
  return (*y)[0].floats;
}

inline double Sigmoid(double v) { return 1 / (1 + std::exp(-v)); }

}  // namespace munja::importer::onnx

#endif  // MUNJA_IMPORT_ONNX_TESTING_H_
