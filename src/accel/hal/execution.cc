#include "hal/execution.h"

#include <cstddef>

#include "hal/c_structs.h"

namespace munja::hal {

Execution ReadResult(const munja_nn_result* from) {
  Execution execution;
  if (from == nullptr) return execution;
  const munja_nn_result result = ReadStruct(from);
  execution.status = result.status;
  if (result.outputs != nullptr)
    for (size_t i = 0; i < result.output_count; ++i) {
      const auto shape = ReadElement(result.outputs, i);
      OutputShape& output = execution.outputs.emplace_back();
      output.is_sufficient = shape.is_sufficient != 0;
      if (shape.dimensions != nullptr)
        output.dimensions.assign(shape.dimensions,
                                 shape.dimensions + shape.rank);
    }
  execution.timing = result.timing;
  return execution;
}

void ReportResult(const Execution& execution, munja_nn_executed executed,
                  void* user) {
  std::vector<munja_nn_output_shape> shapes;
  for (const OutputShape& output : execution.outputs)
    shapes.push_back({sizeof(munja_nn_output_shape),
                      output.is_sufficient ? 1 : 0,
                      static_cast<uint32_t>(output.dimensions.size()),
                      output.dimensions.data()});
  munja_nn_result result = {};
  result.struct_size = sizeof result;
  result.status = execution.status;
  result.output_count = static_cast<uint32_t>(shapes.size());
  result.outputs = shapes.data();
  result.timing = execution.timing;
  executed(user, &result);
}

}  // namespace munja::hal
