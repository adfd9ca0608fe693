#include "cli/precision.h"

#include <map>

namespace munja::cli {

void AddPrecisionOption(CLI::App& command, munja_precision* precision) {
  static const std::map<std::string, munja_precision> kNames = {
      {"fp32", MUNJA_PRECISION_FLOAT32}, {"reduced", MUNJA_PRECISION_REDUCED}};
  command
      .add_option("--precision", *precision,
                  "fp32 (default), or reduced: products of 16-bit floats, "
                  "faster where the processor has them, with slightly "
                  "different results")
      ->transform(CLI::CheckedTransformer(kNames).description("fp32|reduced"));
}

std::string PrecisionText(munja_precision precision) {
  if (precision == MUNJA_PRECISION_FLOAT32) return "fp32";
  const std::string name = munja_reduced_precision_name();
  return name.empty() ? "reduced (this processor has none: fp32)"
                      : "reduced (" + name + ")";
}

}  // namespace munja::cli
