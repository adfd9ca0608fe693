// Small models, and interpreters that clean up after themselves.
#ifndef MUNJA_TFLITE_API_TESTING_H_
#define MUNJA_TFLITE_API_TESTING_H_

#include <cstdarg>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "tensorflow/lite/core/c/c_api.h"
#include "tensorflow/lite/core/c/c_api_experimental.h"

namespace munja::compat::testing {

struct Deleter {
  void operator()(TfLiteModel* m) const { TfLiteModelDelete(m); }
  void operator()(TfLiteInterpreterOptions* o) const {
    TfLiteInterpreterOptionsDelete(o);
  }
  void operator()(TfLiteInterpreter* i) const { TfLiteInterpreterDelete(i); }
  void operator()(TfLiteSignatureRunner* r) const {
    TfLiteSignatureRunnerDelete(r);
  }
  void operator()(TfLiteOperator* o) const { TfLiteOperatorDelete(o); }
};
using Model = std::unique_ptr<TfLiteModel, Deleter>;
using Options = std::unique_ptr<TfLiteInterpreterOptions, Deleter>;
using Interpreter = std::unique_ptr<TfLiteInterpreter, Deleter>;
using Signature = std::unique_ptr<TfLiteSignatureRunner, Deleter>;

// Collects what is reported, one line each.
struct Reports {
  std::string text;
  static void Take(void* self, const char* format, va_list args);
};

// Float values, each named "t0", "t1", ...
class GraphBuilder {
 public:
  GraphBuilder() { graph_.subgraphs.resize(1); }
  graph::ValueId Value(Shape shape, ElementType type = ElementType::kFloat32);
  graph::ValueId Input(Shape shape);
  graph::Node& Node(std::string op, std::vector<graph::ValueId> inputs,
                    std::vector<graph::ValueId> outputs);
  void Output(graph::ValueId v) { sub().outputs.push_back(v); }
  graph::Subgraph& sub() { return graph_.subgraphs[0]; }
  graph::Graph& graph() { return graph_; }
  // The file; empty when it cannot be written.
  std::vector<uint8_t> Write() const;

 private:
  graph::Graph graph_;
};

// y = x + x, of the shape given.
std::vector<uint8_t> DoubleModel(Shape shape);
// y = op(x): a custom operator with the options given.
std::vector<uint8_t> CustomModel(std::string op, Shape shape,
                                 std::vector<uint8_t> options = {});

Options MakeOptions(Reports* reports);
// The bytes outlive the model.
Model Load(const std::vector<uint8_t>& bytes, Reports* reports = nullptr);

bool Fill(TfLiteTensor* tensor, const std::vector<float>& values);
std::vector<float> Floats(const TfLiteTensor* tensor);

}  // namespace munja::compat::testing

#endif  // MUNJA_TFLITE_API_TESTING_H_
