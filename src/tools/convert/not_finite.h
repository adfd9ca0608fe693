// Constants with NaN or infinity, which a damaged source or a failed training
// leaves in a model.
#ifndef MUNJA_TOOLS_CONVERT_NOT_FINITE_H_
#define MUNJA_TOOLS_CONVERT_NOT_FINITE_H_

#include <string>
#include <vector>

#include "graph/graph.h"

namespace munja::tools {

// A sentence for each float constant that holds NaN or infinity, the first few
// by name, then how many more there are. Empty: all numbers are finite.
std::vector<std::string> DescribeNotFinite(const graph::Graph& graph);

}  // namespace munja::tools

#endif  // MUNJA_TOOLS_CONVERT_NOT_FINITE_H_
