// munja nn-test: what a driver of an accelerator makes of operations whose
// results are known.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/output.h"
#include "cli/report.h"
#include "cli/tool_commands.h"
#include "munja/tools/tools.hpp"

namespace munja::cli {
namespace {

using Json = nlohmann::ordered_json;

struct NnTestArguments {
  std::vector<std::string> paths;
  std::string driver = "reference", ways = "sync";
  bool isolated = false, json = false;
};

void PrintRow(const std::string& name, const Json& counts) {
  Printf("%-32s %7lld %7lld %12lld\n", name.c_str(), CountOf(counts, "passed"),
         CountOf(counts, "failed"), CountOf(counts, "unsupported"));
}

void PrintReport(const Json& report) {
  if (report.contains("failures"))
    for (const Json& failure : report["failures"])
      Printf("%s: %s (%s): %s\n", TextOf(failure, "file").c_str(),
             TextOf(failure, "case").c_str(),
             TextOf(failure, "operation").c_str(),
             TextOf(failure, "reason").c_str());
  Printf("%-32s %7s %7s %12s\n", "operation", "passed", "failed",
         "unsupported");
  if (report.contains("operations"))
    for (const auto& [name, counts] : report["operations"].items())
      PrintRow(name, counts);
  PrintRow("all", report);
  // Cases that could not be run in a way are not among those it passed.
  if (!report.contains("ways")) return;
  for (const auto& [name, counts] : report["ways"].items())
    if (CountOf(counts, "lacking") > 0)
      Printf("%s: run so %lld, not run so %lld: the driver does not have it\n",
             name.c_str(), CountOf(counts, "run"), CountOf(counts, "lacking"));
}

int RunCases(const NnTestArguments& a) {
  const munja::Result<std::string> text = munja::TestDriver(
      a.paths, {.driver = a.driver, .modes = a.ways, .isolated = a.isolated});
  if (!text.ok()) return Fail(text.error(), Subject::kInput, "");
  const Json report = Json::parse(*text, nullptr, false);
  if (!report.is_object()) return kBug;
  if (a.json)
    Print(Dump(report));
  else
    PrintReport(report);
  bool has_problems = false;
  if (report.contains("problems"))
    for (const Json& problem : report["problems"]) {
      has_problems = true;
      if (problem.is_string()) PrintError("", problem.get<std::string>());
    }
  return FinishWith(CountOf(report, "failed") > 0 || has_problems ? kSomeFailed
                                                                  : kSuccess);
}

}  // namespace

void AddNnTest(CLI::App& app, Action* action) {
  auto a = std::make_shared<NnTestArguments>();
  CLI::App* command = AddToolCommand(app, kNnTestCommand);
  command
      ->add_option("PATH", a->paths,
                   "Files of cases (.json, .json.gz), or directories that are "
                   "searched recursively")
      ->required();
  command->add_option("--driver", a->driver,
                      "reference (default), cpu, or the library (.so) of a "
                      "driver; behind it '#' and the number of one of its "
                      "devices");
  command->add_option("--modes", a->ways,
                      "How each case is run: sync (default), async, burst, "
                      "fenced, memory, dynamic, short, cache, signed, a "
                      "comma-separated list, or all");
  command->add_flag("--isolated", a->isolated,
                    "Run the driver in a process of its own");
  command->add_flag("-j,--json", a->json,
                    "Print one JSON object: passed, failed, unsupported, "
                    "operations, ways, failures");
  command->footer(
      "Example:\n"
      "  munja nn-test --driver ./libmine.so cases/");
  command->callback([a, action] { *action = [a] { return RunCases(*a); }; });
}

}  // namespace munja::cli
