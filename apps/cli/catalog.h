// The catalog of models, for munja models.
#ifndef MUNJA_CLI_CATALOG_H_
#define MUNJA_CLI_CATALOG_H_

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/commands.h"

namespace CLI {
class App;
}  // namespace CLI

namespace munja::cli {

// A model of the catalog as munja models list --available prints it.
std::string CatalogLine(const nlohmann::ordered_json& model);

struct GetArguments {
  std::string name, from, output;
  std::vector<std::string> pictures;
  bool fp16 = false, no_check = false, classifier = false, json = false;
  bool quantize = false;
};

// Adds munja models get to `models`.
void AddGet(CLI::App& models, Action* action);

// Downloads and converts a model. Each program defines it: munja hands over to
// munja-tools before.
int GetFromCatalog(const GetArguments& arguments);

}  // namespace munja::cli

#endif  // MUNJA_CLI_CATALOG_H_
