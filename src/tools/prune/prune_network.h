// Prunes a .tflite file, on labeled images where the criterion needs them.
#ifndef MUNJA_TOOLS_PRUNE_PRUNE_NETWORK_H_
#define MUNJA_TOOLS_PRUNE_PRUNE_NETWORK_H_

#include <nlohmann/json.hpp>
#include <string>

#include "base/status.h"
#include "compress/pruning/budget.h"
#include "compress/pruning/prune.h"

namespace munja::tools {

struct Pruning {
  compress::PruneOptions options;
  compress::Budget budget;  // A share of 0: one sparsity for all layers.
  std::string calibrate;    // Labels with boxes; "": none.
  std::string bundle;       // Its detector's pre-processing is used.
  int pictures = 1;         // The published method looks at one.
};

// The report: docs/how-to/prune.md.
Result<nlohmann::ordered_json> PruneNetwork(const std::string& network,
                                            Pruning job,
                                            const std::string& output);

}  // namespace munja::tools

#endif  // MUNJA_TOOLS_PRUNE_PRUNE_NETWORK_H_
