#include "cli/precision.h"

#include "cli/usage.h"

namespace munja::cli {

void AddPrecisionOption(CLI::App& command, munja_precision* precision,
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
            *precision = name == "reduced"  ? MUNJA_PRECISION_REDUCED
                         : name == "auto"   ? MUNJA_PRECISION_AUTO
                         : name == "direct" ? MUNJA_PRECISION_DIRECT
                                            : MUNJA_PRECISION_FLOAT32;
          },
          help)
      ->check(OneOf(names));
}

std::string PrecisionText(munja_precision precision) {
  if (precision == MUNJA_PRECISION_FLOAT32) return "fp32";
  if (precision == MUNJA_PRECISION_DIRECT) return "direct (fp32)";
  if (precision == MUNJA_PRECISION_AUTO)
    return "auto (integers, doubtful lines again in fp32)";
  const std::string name = munja_reduced_precision_name();
  return name.empty() ? "reduced (this processor has none: fp32)"
                      : "reduced (" + name + ")";
}

}  // namespace munja::cli
