// Writer: what operators of ONNX are composed with (import/steps.h).
#ifndef MUNJA_IMPORT_ONNX_WRITER_H_
#define MUNJA_IMPORT_ONNX_WRITER_H_

#include <cstdint>
#include <string>

#include "import/compose/steps.h"
#include "import/onnx/context.h"

namespace munja::importer::onnx {

class Writer : public Steps {
 public:
  Writer(Context& context, const Operator& op)
      : Steps(context.builder, Describe(op),
              op.outputs.empty() ? op.name : op.outputs[0]),
        context_(context),
        op_(op) {}

  ValueId in(size_t i) const { return op_.input(i); }
  bool has(size_t i) const { return op_.input(i) != kNoValue; }
  bool wants(size_t output) const {
    return output < op_.outputs.size() && !op_.outputs[output].empty();
  }
  // The input must be there.
  ValueId Need(size_t i);
  const Context& context() const { return context_; }
  const Operator& op() const { return op_; }
  int64_t opset() const { return context_.opset; }

  int64_t Int(const char* attribute, int64_t fallback);
  double Float(const char* attribute, double fallback);
  std::string Text(const char* attribute, const char* fallback);
  Int64s Ints(const char* attribute);
  // By attribute, or by a constant input; `present`: whether it was given.
  Int64s Ints(const char* attribute, size_t input, bool* present = nullptr);
  double Number(const char* attribute, size_t input, double fallback);

  // The value is output `output`.
  void Set(size_t output, ValueId v);
  Status Done() { return Finish(); }
  Status Done(ValueId v) {
    Set(0, v);
    return Done();
  }

 private:
  Context& context_;
  const Operator& op_;
};

}  // namespace munja::importer::onnx

#endif  // MUNJA_IMPORT_ONNX_WRITER_H_
