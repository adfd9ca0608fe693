// The parity report of a conversion: the source, run by its definition in plain
// loops, against the file that was written, tensor by tensor.
#ifndef MUNJA_TOOLS_CONVERT_PARITY_H_
#define MUNJA_TOOLS_CONVERT_PARITY_H_

#ifdef MUNJA_HAS_IMPORT

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/status.h"
#include "graph/graph.h"
#include "import/import.h"

namespace munja::tools {

struct ParitySettings {
  std::string shape;  // Input shape: "1x640x640x3"; empty: a small one.
  // Files that the network sees, scaled to its input; none: a made-up picture
  // of text.
  std::vector<std::string> pictures;
  // A tensor differs when one of its numbers does by more than this part of
  // the largest number that the source has there.
  double tolerance = 1e-3;
};

// Adds to `report`: max_difference and compared_shape (over all outputs), and
// "parity": {"input", "tensors" (how many were compared), "tolerance",
// "first_difference" (null or {"tensor", "max_difference", "largest"}),
// "outputs": [{"tensor", "max_difference", "mean_difference", "largest"}]}.
Status ReportParity(const std::shared_ptr<const graph::Graph>& written,
                    const importer::ImportedModel& source,
                    const ParitySettings& settings,
                    nlohmann::ordered_json* report);

}  // namespace munja::tools

#endif  // MUNJA_HAS_IMPORT

#endif  // MUNJA_TOOLS_CONVERT_PARITY_H_
