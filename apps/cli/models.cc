// munja models: the bundles that are installed.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/catalog.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/model_arguments.h"
#include "cli/output.h"
#include "cli/report.h"
#include "cli/streams.h"
#include "munja/munja.hpp"

namespace munja::cli {
namespace {

// The path that munja::Model::Find() returns for the bundle inside the library.
constexpr char kEmbedded[] = "embedded:default";

// "3.9 MB", then, where they are known, "98 ms a page" and "word F1 79.3 %".
std::string Figures(const nlohmann::ordered_json& bundle) {
  char text[128];
  std::snprintf(text, sizeof text, "\t%.1f MB",
                static_cast<double>(bundle.value("bytes", uint64_t{0})) / 1e6);
  std::string line = text;
  const auto measured = bundle.find("measured");
  if (measured == bundle.end() || !measured->is_object()) return line;
  std::snprintf(text, sizeof text, "\t%.0f ms a page\tword F1 %.1f %%",
                measured->value("page_ms", 0.0),
                measured->value("word_f1", 0.0));
  return line + text;
}

std::string InstalledLine(const nlohmann::ordered_json& bundle) {
  const std::string line =
      TextOf(bundle, "name") + "\t" +
      (bundle.value("embedded", false) ? std::string("(embedded)")
                                       : TextOf(bundle, "path"));
  if (bundle.contains("error"))
    return line + "\tdamaged: " + TextOf(bundle, "error");
  return line + "\t" + TextOf(bundle, "description") + Figures(bundle);
}

// Prints a list of models as it is or, by line_of(), a line each.
int PrintList(const munja::Result<std::string>& text, bool as_json,
              std::string (*line_of)(const nlohmann::ordered_json& model),
              const char* when_empty) {
  if (!text.ok()) return Fail(text.error(), Subject::kModel, "");
  if (as_json) {
    Print(*text + "\n");
    return FinishOutput();
  }
  const auto all = nlohmann::ordered_json::parse(*text, nullptr, false);
  if (!all.is_array()) return kBug;
  for (const auto& model : all) Print(line_of(model) + "\n");
  if (all.empty()) std::fprintf(stderr, "munja: %s\n", when_empty);
  return FinishOutput();
}

// Finds a bundle and passes it to `use`; on failure a message and the exit
// code.
int WithModel(const std::string& name,
              const std::function<int(const munja::Model&)>& use) {
  if (const int code = CheckBundlePath(name); code != kSuccess) return code;
  const munja::Result<munja::Model> model = munja::Model::Find(name);
  return model.ok() ? use(*model) : Fail(model.error(), Subject::kModel, "");
}

int Path(const munja::Model& model) {
  Print(model.path() + "\n");
  // Scripts get a text that --model takes; people are told why it is no path.
  if (model.path() == kEmbedded && !IsQuiet())
    std::fprintf(stderr,
                 "munja: this model lies inside the program; 'munja models "
                 "extract default -o DIR' writes it to a folder\n");
  return FinishOutput();
}

int Verify(const munja::Model& model) {
  const munja::Status status = model.Verify();
  if (!status.ok()) return Fail(status, Subject::kModel, model.path());
  Print(model.path() + ": ok\n");
  return FinishOutput();
}

int Extract(const munja::Model& model, const std::string& folder) {
  const munja::Status status = model.Extract(folder);
  if (status.code() == MUNJA_IO) return Fail(status, Subject::kOutput, "");
  if (!status.ok()) return Fail(status, Subject::kModel, model.path());
  Print(folder + "\n");
  return FinishOutput();
}

int Pull(const std::string& name, const std::string& from) {
  const munja::Result<munja::Model> model = munja::Model::Pull(name, from);
  if (model.code() == MUNJA_IO)
    return Fail(model.error(), Subject::kOutput, "");
  if (model.code() == MUNJA_INVALID_ARGUMENT)
    return UsageError(InOwnWords(model.message()));
  if (!model.ok()) return Fail(model.error(), Subject::kModel, "");
  Print(model->path() + "\n");
  return FinishOutput();
}

}  // namespace

void AddModels(CLI::App& app, Action* action) {
  struct Arguments {
    bool json = false, available = false;
    std::string name, from, folder;
  };
  auto a = std::make_shared<Arguments>();
  CLI::App* models =
      app.add_subcommand("models", "List, check, copy and download models");
  models->require_subcommand(1);
  models->footer(
      "Bundles are looked for in $MUNJA_MODELS (folders separated by ':'), "
      "the\n"
      "user's data folder ($XDG_DATA_HOME/munja/models or\n"
      "~/.local/share/munja/models), beside the program, and, for the name\n"
      "'default', inside the program. Without a name: the first of\n"
      "$MUNJA_MODELS, else 'default', else the first one found.\n"
      "Examples:\n"
      "  munja models list\n"
      "  munja models verify ppocrv6_tiny\n"
      "  munja models extract default -o my_model\n"
      "  munja models get ppocrv6-small\n"
      "  munja models pull ppocrv6_tiny --from https://example.com/models");

  CLI::App* list = models->add_subcommand("list", "List names and directories");
  list->add_flag("-j,--json", a->json, "Print JSON");
  list->add_flag("--available", a->available,
                 "List the models that 'munja models get' downloads");
  list->callback([a, action] {
    *action = [a] {
      return a->available ? PrintList(munja::Model::Catalog(), a->json,
                                      CatalogLine, "no models are published")
                          : PrintList(munja::Model::List(), a->json,
                                      InstalledLine, "no models are installed");
    };
  });
  AddGet(*models, action);

  CLI::App* path =
      models->add_subcommand("path", "Print the directory of a model");
  path->add_option("NAME", a->name,
                   "Name or directory (default: that of read)");
  path->callback(
      [a, action] { *action = [a] { return WithModel(a->name, Path); }; });

  CLI::App* verify =
      models->add_subcommand("verify", "Check sizes, SHA-256 and content");
  verify->add_option("NAME", a->name,
                     "Name or directory (default: that of read)");
  verify->callback(
      [a, action] { *action = [a] { return WithModel(a->name, Verify); }; });

  CLI::App* extract =
      models->add_subcommand("extract", "Write a model to a directory");
  extract->add_option("NAME", a->name,
                      "Name or directory (default: that of read)");
  extract
      ->add_option("-o,--output", a->folder, "The directory, created if absent")
      ->type_name("DIR")
      ->required();
  extract->callback([a, action] {
    *action = [a] {
      const int code = CheckIsFolderName(a->folder);
      return code != kSuccess
                 ? code
                 : WithModel(a->name, [&](const munja::Model& model) {
                     return Extract(model, a->folder);
                   });
    };
  });

  CLI::App* pull = models->add_subcommand("pull", "Download a model");
  pull->add_option("NAME", a->name, "Name of the model at the URL")->required();
  pull->add_option(
      "--from", a->from,
      "URL that holds the model's directory: https, or http to this "
      "machine (default: $MUNJA_MODELS_URL)");
  pull->callback(
      [a, action] { *action = [a] { return Pull(a->name, a->from); }; });
}

}  // namespace munja::cli
