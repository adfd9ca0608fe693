#include "cli/precision.h"

#include "cli/usage.h"

namespace munja::cli {

void AddPrecisionOption(CLI::App& command, Precision* precision, bool has_mixed,
                        const std::string& group) {
  std::vector<std::string> names = {"fp32", "fp16"};
  if (has_mixed) names.emplace_back("mixed");
  command
      .add_option_function<std::string>(
          "--precision",
          [precision](const std::string& name) {
            precision->format = name == "fp16"    ? MUNJA_PRECISION_FLOAT16
                                : name == "mixed" ? MUNJA_PRECISION_MIXED
                                                  : MUNJA_PRECISION_FLOAT32;
          },
          has_mixed ? "Arithmetic; mixed: int8, and low-confidence lines again "
                      "in fp32 (default: mixed if the model has both, else "
                      "fp32)"
                    : "Arithmetic of float networks (default: fp32)")
      ->check(OneOf(names))
      ->group(group);
  command
      .add_flag("--no-winograd", precision->no_winograd,
                "Compute convolutions without Winograd's algorithm")
      ->group(group);
}

std::string PrecisionText(const Precision& precision) {
  std::string text = "fp32";
  if (precision.format == MUNJA_PRECISION_MIXED) {
    text = "mixed (int8, low-confidence lines again in fp32)";
  } else if (precision.format == MUNJA_PRECISION_FLOAT16) {
    const std::string name = munja::Float16Name();
    text =
        name.empty() ? "fp16 (none on this CPU: fp32)" : "fp16 (" + name + ")";
  }
  return precision.no_winograd ? text + ", no Winograd" : text;
}

}  // namespace munja::cli
