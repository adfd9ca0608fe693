// munja models list --available and munja models get: models that others
// publish.
#include "cli/catalog.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/exit_code.h"
#include "cli/output.h"
#include "cli/program.h"
#include "cli/report.h"
#include "munja/munja.hpp"

namespace munja::cli {

std::string CatalogLine(const nlohmann::ordered_json& model) {
  char figures[64];
  std::snprintf(figures, sizeof figures, "\t%.1f MB\t",
                NumberOf(model, "download_bytes") / 1e6);
  std::string line =
      TextOf(model, "name") + "\t" + TextOf(model, "description") + figures;
  if (model.contains("accuracy")) {
    std::snprintf(figures, sizeof figures, "%.1f %% of lines",
                  NumberOf(model, "accuracy"));
    line += figures;
  } else {
    line += "-";
  }
  return line + "\t" + TextOf(model, "license") + ", " +
         TextOf(model, "publisher") +
         (model.value("installed", false) ? "\tinstalled" : "");
}

void AddGet(CLI::App& models, Action* action) {
  auto a = std::make_shared<GetArguments>();
  CLI::App* const get =
      models.add_subcommand("get", "Download a published model and convert it");
  get->add_option("NAME", a->name,
                  "Name in the catalog: 'munja models list --available'")
      ->required();
  get->add_option("--from", a->from,
                  "A mirror with the publisher's paths (https), or a directory "
                  "of downloaded files, instead of the publisher's address")
      ->type_name("URL|DIR");
  get->add_option("-o,--output", a->output,
                  "Directory of the model (default: NAME in the user's data "
                  "directory, where --model finds it)")
      ->type_name("DIR");
  get->add_flag("--fp16", a->fp16, "Store weights as float16");
  get->add_flag("--quantize", a->quantize,
                "Quantize the networks to int8: with --calibrate also what is "
                "between the layers, else that during each run");
  get->add_option("--calibrate", a->pictures,
                  "Images, directories or labels (.jsonl) of pages like those "
                  "that will be read, for --quantize")
      ->take_all();
  get->add_flag("--classifier", a->classifier,
                "Also the network that tells upright from rotated lines");
  get->add_flag("--no-check", a->no_check,
                "Do not compare the converted networks with their sources");
  get->add_flag("-j,--json", a->json, "Print a report as JSON");
  get->footer(
      "Files are kept in $XDG_CACHE_HOME/munja/downloads or\n"
      "~/.cache/munja/downloads: copied to a machine without a network, that\n"
      "directory is what --from takes there.\n"
      "Examples:\n"
      "  munja models get ppocrv6-small\n"
      "  munja models get ppocrv6-small --quantize --calibrate pages/\n"
      "  munja read --model ppocrv6-small photo.jpg");
  get->callback([a, action] {
    NeedTools();
    *action = [a] { return GetFromCatalog(*a); };
  });
}

}  // namespace munja::cli
