// --precision, for every command that runs a model.
#ifndef MUNJA_CLI_PRECISION_H_
#define MUNJA_CLI_PRECISION_H_

#include <CLI/CLI.hpp>
#include <string>

#include "munja/types.h"

namespace munja::cli {

struct Precision {
  munja_precision format = MUNJA_PRECISION_FLOAT32;
  bool no_winograd = false;
};

// `precision` lives as long as the command.
// `has_auto`: of engines.
void AddPrecisionOption(CLI::App& command, Precision* precision, bool has_auto);

// What is computed with: "fp32", "reduced (bf16)", or "reduced (this processor
// has none: fp32)".
std::string PrecisionText(const Precision& precision);

}  // namespace munja::cli

#endif  // MUNJA_CLI_PRECISION_H_
