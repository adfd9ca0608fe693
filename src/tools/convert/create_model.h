// Makes a model (a bundle) of networks in any format that can be converted.
#ifndef MUNJA_TOOLS_CONVERT_CREATE_MODEL_H_
#define MUNJA_TOOLS_CONVERT_CREATE_MODEL_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/status.h"

namespace munja::tools {

// Empty texts and lists: not given. See munja_model_create_options.
struct ModelSources {
  std::string detector, recognizer;
  std::string classifier;
  std::string dictionary;
  std::vector<std::string> configs;
  std::string name, description;
  bool fp16 = false;
  bool compare = true;
  bool gpu_safe = false;
  std::vector<std::string> images;     // For the comparison.
  std::vector<std::string> languages;  // bundle::LanguageSource.
  bool no_languages = false;
};

// Writes the model to `directory`, which it replaces when it is complete. The
// report has one object per network by its role.
Result<nlohmann::ordered_json> CreateModel(const std::string& directory,
                                           const ModelSources& sources);

}  // namespace munja::tools

#endif  // MUNJA_TOOLS_CONVERT_CREATE_MODEL_H_
