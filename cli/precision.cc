#include "cli/precision.h"

#include "cli/usage.h"

namespace munja::cli {

void AddPrecisionOption(CLI::App& command, munja_precision* precision) {
  command
      .add_option_function<std::string>(
          "--precision",
          [precision](const std::string& name) {
            *precision = name == "reduced" ? MUNJA_PRECISION_REDUCED
                                           : MUNJA_PRECISION_FLOAT32;
          },
          "fp32 (default), or reduced: products of 16-bit floats, faster where "
          "the processor has them, with slightly different results")
      ->check(OneOf({"fp32", "reduced"}));
}

std::string PrecisionText(munja_precision precision) {
  if (precision == MUNJA_PRECISION_FLOAT32) return "fp32";
  const std::string name = munja_reduced_precision_name();
  return name.empty() ? "reduced (this processor has none: fp32)"
                      : "reduced (" + name + ")";
}

}  // namespace munja::cli
