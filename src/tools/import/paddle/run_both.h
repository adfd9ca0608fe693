// For tests: what a Paddle program computes, by the importer's own executor and
// converted.
#ifndef MUNJA_IMPORT_PADDLE_RUN_BOTH_H_
#define MUNJA_IMPORT_PADDLE_RUN_BOTH_H_

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "import/paddle/testing.h"
#include "import/run_converted.h"

namespace munja::importer::paddle {

// The result of a program for x as floats; the reference and the converted
// model must agree.
inline std::vector<float> Both(ProgramFile& file, const std::string& result,
                               const Dims& shape, const std::vector<float>& x,
                               bool is_integer = false) {
  std::string name = result;
  if (is_integer) {
    name = result + "_as_float";
    file.Op("cast", {{"X", result}}, {{"Out", name}},
            {IntAttr("out_dtype", 5)});
  }
  file.Fetch(name);
  const std::vector<float> reference = file.Run(shape, x);
  Shape converted;
  for (const int64_t d : shape) converted.Append(static_cast<int32_t>(d));
  EXPECT_THAT(RunConverted(file.Import(), converted, x),
              ::testing::Pointwise(::testing::FloatNear(1e-4f), reference));
  return reference;
}

}  // namespace munja::importer::paddle

#endif  // MUNJA_IMPORT_PADDLE_RUN_BOTH_H_
