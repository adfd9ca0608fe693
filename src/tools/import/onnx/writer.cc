#include "import/onnx/writer.h"

#include <utility>

namespace munja::importer::onnx {

ValueId Writer::Need(size_t i) {
  if (!has(i)) Damaged("lacks input ", i);
  return in(i);
}

int64_t Writer::Int(const char* attribute, int64_t fallback) {
  return Given(op_.attributes.Int(attribute, fallback), fallback);
}

double Writer::Float(const char* attribute, double fallback) {
  return Given(op_.attributes.Float(attribute, fallback), fallback);
}

std::string Writer::Text(const char* attribute, const char* fallback) {
  return Given(op_.attributes.Text(attribute, fallback), std::string(fallback));
}

Int64s Writer::Ints(const char* attribute) {
  return Given(op_.attributes.Ints(attribute));
}

Int64s Writer::Ints(const char* attribute, size_t input, bool* present) {
  bool given = false;
  Int64s ints = Given(context_.Ints(op_, attribute, input, &given));
  if (present != nullptr) *present = given;
  return ints;
}

double Writer::Number(const char* attribute, size_t input, double fallback) {
  return Given(context_.Number(op_, attribute, input, fallback), fallback);
}

void Writer::Set(size_t output, ValueId v) {
  if (!ok() || !wants(output)) return;
  Keep(context_.Bind(op_, output, v));
}

}  // namespace munja::importer::onnx
