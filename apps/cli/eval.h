// Figures of an engine against labels, for every command that wants them.
#ifndef MUNJA_CLI_EVAL_H_
#define MUNJA_CLI_EVAL_H_

#include <nlohmann/json.hpp>
#include <string>

#include "cli/engine.h"

namespace munja::cli {

// Reads every picture of the labels, each as its labels ask for. The exit code;
// on failure a message is printed. Pictures that cannot be read count as empty.
int Evaluate(const EngineArguments& engine, const std::string& labels,
             nlohmann::ordered_json* figures);

}  // namespace munja::cli

#endif  // MUNJA_CLI_EVAL_H_
