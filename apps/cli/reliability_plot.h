// How often lines are right that say how sure they are, as a picture.
#ifndef MUNJA_CLI_RELIABILITY_PLOT_H_
#define MUNJA_CLI_RELIABILITY_PLOT_H_

#include <nlohmann/json.hpp>
#include <string>

namespace munja::cli {

// SVG of munja::Evaluation::Figures()' "confidence_bins" and
// "confidence_error": the share of right lines in each bin over what they say
// in the mean, and below how many there are.
std::string ReliabilityPlot(const nlohmann::ordered_json& figures);

}  // namespace munja::cli

#endif  // MUNJA_CLI_RELIABILITY_PLOT_H_
