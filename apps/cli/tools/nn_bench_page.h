// The results of `munja nn-bench` as a self-contained page of HTML.
#ifndef MUNJA_CLI_TOOLS_NN_BENCH_PAGE_H_
#define MUNJA_CLI_TOOLS_NN_BENCH_PAGE_H_

#include <nlohmann/json.hpp>
#include <string>

namespace munja::cli {

// `report`: what --json prints.
std::string NnBenchPage(const nlohmann::ordered_json& report);

}  // namespace munja::cli

#endif  // MUNJA_CLI_TOOLS_NN_BENCH_PAGE_H_
