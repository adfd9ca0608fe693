// BuiltinData: the options of a builtin operator as the struct of the
// TensorFlow Lite C API that operators and delegates expect.
#ifndef MUNJA_TFLITE_API_BUILTIN_DATA_H_
#define MUNJA_TFLITE_API_BUILTIN_DATA_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/status.h"
#include "graph/graph.h"

namespace munja::compat {

// Owns the struct and what it points at; the address stays when it is moved.
class BuiltinData {
 public:
  // Operators without options give an object without a struct. kUnsupported:
  // the API has no struct for the options, or no room in it for a list;
  // kMalformed: an attribute of another type.
  static Result<BuiltinData> Make(const graph::Node& node);

  // A struct of builtin_op_data.h, for external code that takes it as mutable;
  // null when there is none.
  void* get() const { return data_.get(); }
  size_t size() const { return size_; }

 private:
  friend class BuiltinDataWriter;

  std::unique_ptr<uint8_t[]> data_;
  size_t size_ = 0;
  std::vector<std::unique_ptr<uint8_t[]>> blocks_;  // Texts and long lists.
};

// TfLiteBuiltinOperator of a node: 32 for custom operators, -1 for a name that
// the schema does not have.
int BuiltinCode(const graph::Node& node);

}  // namespace munja::compat

#endif  // MUNJA_TFLITE_API_BUILTIN_DATA_H_
