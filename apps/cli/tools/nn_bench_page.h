// What `munja nn-bench` found, as a page of HTML that needs nothing else.
#ifndef MUNJA_CLI_TOOLS_NN_BENCH_PAGE_H_
#define MUNJA_CLI_TOOLS_NN_BENCH_PAGE_H_

#include <nlohmann/json.hpp>
#include <string>

namespace munja::cli {

// `report`: what --json prints.
std::string NnBenchPage(const nlohmann::ordered_json& report);

}  // namespace munja::cli

#endif  // MUNJA_CLI_TOOLS_NN_BENCH_PAGE_H_
