// Makes a model of the catalog (bundle/catalog.h): downloads the networks of
// its publisher and converts them.
#ifndef MUNJA_TOOLS_GET_GET_MODEL_H_
#define MUNJA_TOOLS_GET_GET_MODEL_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/status.h"
#include "bundle/catalog.h"
#include "quantize/quantize_model.h"

namespace munja::tools {

// Empty texts: not given. See munja_model_get_options.
struct GetOptions {
  std::string from, directory;
  bool fp16 = false;
  bool compare = true;
  bool classifier = false;
  std::optional<QuantizeJob> quantize;  // None: the networks stay in float.
};

// Returns the directory of the model and in *report one object for each network
// by its role; none where the model was there already. Where it was quantized,
// each has "quantized", the report of that.
Result<std::string> GetModel(const std::string& name, const GetOptions& options,
                             nlohmann::ordered_json* report);

// The same of a model that the caller describes.
Result<std::string> GetModel(const bundle::CatalogModel& model,
                             const GetOptions& options,
                             nlohmann::ordered_json* report);

}  // namespace munja::tools

#endif  // MUNJA_TOOLS_GET_GET_MODEL_H_
