// --precision, for every command that runs a model.
#ifndef MUNJA_CLI_PRECISION_H_
#define MUNJA_CLI_PRECISION_H_

#include <CLI/CLI.hpp>
#include <string>

#include "munja/munja.hpp"

namespace munja::cli {

struct Precision {
  munja_precision format = MUNJA_PRECISION_FLOAT32;
  bool no_winograd = false;
};

// Adds --precision and --no-winograd to a group of a command's options.
// `precision` lives as long as the command; engines have the mixed one.
void AddPrecisionOption(CLI::App& command, Precision* precision, bool has_mixed,
                        const std::string& group = "Options");

// The arithmetic in use: "fp32", "fp16 (bf16)".
std::string PrecisionText(const Precision& precision);

}  // namespace munja::cli

#endif  // MUNJA_CLI_PRECISION_H_
