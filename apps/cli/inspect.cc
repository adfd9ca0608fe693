// munja inspect: what is in a model, and who would run it.
#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/executor_arguments.h"
#include "cli/exit_code.h"
#include "cli/model_arguments.h"
#include "cli/output.h"
#include "munja/delegates.h"
#include "munja/munja.hpp"
#include "munja/tools/inspect.h"

namespace munja::cli {
namespace {

struct InspectArguments {
  std::string model;
  bool dot = false, why = false;
  ExecutorArguments executor;
};

using ReportHandle =
    munja::Handle<munja_partition_report, munja_partition_report_free>;

// One line for each node, below a summary.
int PrintOwners(const munja_network* model, const InspectArguments& a) {
  Executor executor;
  if (const int code = executor.Make(a.executor); code != kSuccess) return code;
  munja_session_options options = {};
  options.struct_size = sizeof options;
  options.threads = 1;
  executor.Fill(&options);
  munja_partition_report* raw = nullptr;
  const munja_status status =
      munja_partition_report_create(model, &options, &raw);
  if (status != MUNJA_OK) return Fail(status, Subject::kModel, a.model);
  const ReportHandle report(raw);
  struct Share {
    int nodes = 0;
    std::set<std::pair<int32_t, int32_t>> partitions;
  };
  std::map<std::string, Share> shares;
  std::vector<munja_node_owner> rows(
      static_cast<size_t>(munja_partition_report_count(raw)));
  for (munja_node_owner& row : rows) row.struct_size = sizeof row;
  bool has_callees = false;
  for (size_t i = 0; i < rows.size(); ++i) {
    munja_partition_report_row(raw, static_cast<int32_t>(i), &rows[i]);
    Share& share = shares[rows[i].owner];
    ++share.nodes;
    if (rows[i].partition >= 0)
      share.partitions.insert({rows[i].subgraph, rows[i].partition});
    has_callees |= rows[i].subgraph != rows[0].subgraph;
  }
  for (const auto& [owner, share] : shares) {
    Printf("%-10s %d of %zu nodes", owner.c_str(), share.nodes, rows.size());
    if (!share.partitions.empty())
      Printf(" in %zu partition%s", share.partitions.size(),
             share.partitions.size() == 1 ? "" : "s");
    Print("\n");
  }
  Print("\n");
  for (const munja_node_owner& row : rows) {
    std::string owner = row.owner;
    if (row.partition >= 0) owner += " " + std::to_string(row.partition);
    std::string node = std::to_string(row.node);
    if (has_callees) node = std::to_string(row.subgraph) + ":" + node;
    Printf("%6s  %-12s %-24s %s\n", node.c_str(), owner.c_str(), row.op,
           row.name);
    if (a.why && row.reason[0] != 0) Printf("%22s%s\n", "", row.reason);
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
  ModelHandle model;
  if (const int code = LoadModel(path, &model); code != kSuccess) return code;
  if (has_owners) return PrintOwners(model.get(), a);
  char* text = nullptr;
  const munja_status status = a.dot ? munja_network_to_dot(model.get(), &text)
                                    : munja_network_to_text(model.get(), &text);
  if (status != MUNJA_OK) return Fail(status, Subject::kModel, path);
  Print(munja::TakeText(text));
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
