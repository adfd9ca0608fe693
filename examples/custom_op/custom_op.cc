// A model that uses a custom operator, which this program brings along.
//
//   custom_op sine.tflite 0 0.5 1
//
// prints what the model makes of these numbers: one float input of any length,
// one output, and a custom operator "Sin" somewhere between.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

#include "munja/compiled_model.hpp"

using munja::CompiledModel;
using munja::Environment;
using munja::Node;
using munja::Status;
using munja::TensorBuffer;

namespace {

class Sin final : public munja::Operator {
 public:
  // Models come from outside: what Eval relies on is checked here.
  Status Prepare(Node& node) override {
    if (node.inputs() != 1 || node.outputs() != 1)
      return Status(MUNJA_MALFORMED, "wants one input and one output");
    const munja_tensor in = node.input(0);
    if (in.type != MUNJA_TYPE_FLOAT32 ||
        node.output(0).type != MUNJA_TYPE_FLOAT32)
      return Status(MUNJA_UNSUPPORTED, "takes float32 only");
    return node.SetOutputShape(0, {in.dims, static_cast<size_t>(in.rank)});
  }

  Status Eval(Node& node) override {
    const munja_tensor in = node.input(0), out = node.output(0);
    const auto* const x = static_cast<const float*>(in.data);
    auto* const y = static_cast<float*>(out.data);
    return node.ParallelFor(in.bytes / sizeof(float), 4096,
                            [&](size_t begin, size_t end, int) {
                              for (size_t i = begin; i < end; ++i)
                                y[i] = std::sin(x[i]);
                            });
  }
};

int Fail(const Status& failure) {
  std::fprintf(stderr, "custom_op: %s\n", failure.message().c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: custom_op MODEL NUMBER ...\n");
    return 2;
  }
  std::vector<float> numbers;
  for (int i = 2; i < argc; ++i) {
    char* end = nullptr;
    numbers.push_back(std::strtof(argv[i], &end));
    if (end != argv[i] && *end == 0) continue;
    std::fprintf(stderr, "custom_op: '%s' is not a number\n", argv[i]);
    return 2;
  }

  auto environment = Environment::Create();
  if (!environment) return Fail(environment.error());
  if (Status f = environment->AddOperator<Sin>("Sin"); !f.ok()) return Fail(f);
  auto model = CompiledModel::Create(*environment, argv[1]);
  if (!model) return Fail(model.error());

  // The numbers are read where they lie.
  const int32_t dims[] = {static_cast<int32_t>(numbers.size())};
  auto input = TensorBuffer::Wrap(MUNJA_TYPE_FLOAT32, dims, numbers.data(),
                                  numbers.size() * sizeof(float));
  if (!input) return Fail(input.error());
  std::vector<TensorBuffer> outputs = model->CreateOutputBuffers();
  if (outputs.size() != 1)
    return Fail(Status(MUNJA_UNSUPPORTED, "the model has not one output"));
  if (Status f = model->Run({&*input, 1}, outputs); !f.ok()) return Fail(f);
  const auto results = outputs[0].Read<float>();
  if (!results) return Fail(results.error());
  for (const float y : *results) std::printf("%.6f\n", y);
  return 0;
}
