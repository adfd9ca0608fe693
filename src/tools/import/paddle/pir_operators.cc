#include "import/paddle/pir_reader.h"

namespace munja::importer::paddle {
namespace {

constexpr PirOperator kOperators[] = {
#define PADDLE_OPERATOR(type, function, name, inputs, outputs) \
  {#name, #type, inputs, outputs},
#define PADDLE_OLD_OPERATOR(...)
#define PADDLE_NEW_NAME(type, name, inputs, outputs) \
  {#name, #type, inputs, outputs},
#include "import/paddle/operators.def"
#undef PADDLE_OPERATOR
#undef PADDLE_OLD_OPERATOR
#undef PADDLE_NEW_NAME
};

}  // namespace

const PirOperator* FindPirOperator(std::string_view name) {
  // A trailing underscore means "in place": the result is the same.
  for (const PirOperator& row : kOperators)
    if (row.name == name) return &row;
  if (name.ends_with('_')) {
    name.remove_suffix(1);
    for (const PirOperator& row : kOperators)
      if (row.name == name) return &row;
  }
  return nullptr;
}

}  // namespace munja::importer::paddle
