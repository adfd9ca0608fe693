// munja inspect: what is in a model, and who would run it.
#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/executor_arguments.h"
#include "cli/exit_code.h"
#include "cli/model_arguments.h"
#include "cli/output.h"
#include "munja/munja.hpp"
#include "munja/tools/tools.hpp"

namespace munja::cli {
namespace {

struct InspectArguments {
  std::string model;
  bool dot = false, why = false;
  ExecutorArguments executor;
};

// One line for each node, below a summary.
int PrintOwners(const munja::Network& model, const InspectArguments& a) {
  Executor executor;
  if (const int code = executor.Make(a.executor); code != kSuccess) return code;
  munja::SessionOptions options = {.threads = 1};
  executor.Fill(&options);
  const munja::Result<std::vector<munja::NodeOwner>> owners =
      munja::OwnersOf(model, options);
  if (!owners.ok()) return Fail(owners.error(), Subject::kModel, a.model);
  const std::vector<munja::NodeOwner>& rows = *owners;
  struct Share {
    int nodes = 0;
    std::set<std::pair<int, int>> partitions;
  };
  std::map<std::string, Share> shares;
  bool has_callees = false;
  for (const munja::NodeOwner& row : rows) {
    Share& share = shares[row.owner];
    ++share.nodes;
    if (row.partition >= 0)
      share.partitions.insert({row.subgraph, row.partition});
    has_callees |= row.subgraph != rows[0].subgraph;
  }
  for (const auto& [owner, share] : shares) {
    Printf("%-10s %d of %zu nodes", owner.c_str(), share.nodes, rows.size());
    if (!share.partitions.empty())
      Printf(" in %zu partition%s", share.partitions.size(),
             share.partitions.size() == 1 ? "" : "s");
    Print("\n");
  }
  Print("\n");
  for (const munja::NodeOwner& row : rows) {
    std::string owner = row.owner;
    if (row.partition >= 0) owner += " " + std::to_string(row.partition);
    std::string node = std::to_string(row.node);
    if (has_callees) node = std::to_string(row.subgraph) + ":" + node;
    Printf("%6s  %-12s %-24s %s\n", node.c_str(), owner.c_str(), row.op.c_str(),
           row.name.c_str());
    if (a.why && !row.reason.empty())
      Printf("%22s%s\n", "", row.reason.c_str());
  }
  return FinishOutput();
}

int Inspect(const InspectArguments& a) {
  const std::string& path = a.model;
  const bool has_owners = !a.executor.delegates.empty();
  if (a.why && !has_owners)
    return UsageError("--explain needs --partition NAME");
  if (!a.executor.operators.empty() && !has_owners)
    return UsageError("--operators needs --partition NAME");
  if (!a.executor.options.empty() && !has_owners)
    return UsageError("--device-option needs --partition NAME before it");
  if (a.dot && has_owners)
    return UsageError("--dot and --partition cannot be given together");
  std::optional<munja::Network> model;
  if (const int code = LoadModel(path, &model); code != kSuccess) return code;
  if (has_owners) return PrintOwners(*model, a);
  const munja::Result<std::string> text =
      a.dot ? munja::ToDot(*model) : munja::ToText(*model);
  if (!text.ok()) return Fail(text.error(), Subject::kModel, path);
  Print(*text);
  return FinishOutput();
}

}  // namespace

void AddInspect(CLI::App& app, Action* action) {
  auto a = std::make_shared<InspectArguments>();
  CLI::App* command = app.add_subcommand(
      "inspect", "Print a model's graph, tensors, quantization and metadata");
  command
      ->add_option("MODEL", a->model, "A .tflite file, or - for standard input")
      ->required();
  command->add_flag("--dot", a->dot, "Print the graph for Graphviz");
  AddExecutorOptions(command, &a->executor, "--partition");
  command->add_flag("--explain", a->why,
                    "With --partition: why each node runs where it does");
  command->footer(
      "Examples:\n"
      "  munja inspect det.tflite\n"
      "  munja inspect --dot det.tflite | dot -Tsvg > det.svg\n"
      "  munja inspect det.tflite --partition opencl --explain");
  command->callback([a, action] { *action = [a] { return Inspect(*a); }; });
}

}  // namespace munja::cli
