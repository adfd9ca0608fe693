#include "cli/precision.h"

#include "cli/usage.h"

namespace munja::cli {

void AddPrecisionOption(CLI::App& command, Precision* precision,
                        bool has_auto) {
  std::string help = has_auto ? "fp32" : "fp32 (default)";
  help +=
      "; reduced: products of 16-bit floats, faster where the processor has "
      "them, with slightly different results; direct: fp32 without algorithms "
      "that save products of convolutions";
  std::vector<std::string> names = {"fp32", "reduced", "direct"};
  if (has_auto) {
    help +=
        "; auto: integers, and only doubtful lines again in fp32, from a "
        "bundle that has both (quantize --keep-float), where it is the default "
        "unless there is an --accelerator; else fp32 is";
    names.emplace_back("auto");
  }
  command
      .add_option_function<std::string>(
          "--precision",
          [precision](const std::string& name) {
            precision->format = name == "reduced" ? MUNJA_PRECISION_FLOAT16
                                : name == "auto"  ? MUNJA_PRECISION_MIXED
                                                  : MUNJA_PRECISION_FLOAT32;
            precision->no_winograd = name == "direct";
          },
          help)
      ->check(OneOf(names));
}

std::string PrecisionText(const Precision& precision) {
  if (precision.no_winograd) return "direct (fp32)";
  if (precision.format == MUNJA_PRECISION_FLOAT32) return "fp32";
  if (precision.format == MUNJA_PRECISION_MIXED)
    return "auto (integers, doubtful lines again in fp32)";
  const std::string name = munja_float16_name();
  return name.empty() ? "reduced (this processor has none: fp32)"
                      : "reduced (" + name + ")";
}

}  // namespace munja::cli
