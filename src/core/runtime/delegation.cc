#include "runtime/delegation.h"

#include <algorithm>
#include <mutex>
#include <string>
#include <utility>

#include "base/fork.h"
#include "base/log.h"
#include "graph/side_effects.h"
#include "runtime/delegate.h"
#include "runtime/partition.h"

namespace munja::runtime {
namespace {

using graph::kNoValue;
using graph::Subgraph;
using graph::ValueId;

// Attributes of nodes while a session is made; no model has such names.
constexpr char kNumberMark[] = "munja:node";
constexpr char kKernelMark[] = "munja:kernel";

// Delegates are asked by one thread at a time. One may make a session itself.
#ifndef _LIBCPP_VERSION  // Its recursive mutexes are made at run time.
constinit
#endif
    ForkSafeMutex<std::recursive_mutex>
        delegate_mutex;

int MarkOf(const graph::Node& node, std::string_view name) {
  auto number = node.attributes.Int(name, -1);
  return number.ok() ? static_cast<int>(*number) : -1;
}

bool IsVariable(const Subgraph& subgraph, ValueId v) {
  return v != kNoValue && subgraph.values[v].is_variable;
}

// Why no delegate may have the node; empty when it may.
std::string ReasonToKeep(const Subgraph& subgraph, const graph::Node& node,
                         bool takes_variables) {
  const auto is_variable = [&](ValueId v) { return IsVariable(subgraph, v); };
  if (std::any_of(node.outputs.begin(), node.outputs.end(), is_variable))
    return "it writes a variable";
  if (std::any_of(node.inputs.begin(), node.inputs.end(), is_variable))
    return takes_variables ? "" : "it keeps its state in a variable";
  if (graph::HasSideEffects(subgraph, node))
    return "it runs other subgraphs or keeps resources";
  return "";
}

// One delegate on one subgraph.
class Offer {
 public:
  Offer(const graph::Graph& model, Subgraph* subgraph, Delegate* delegate,
        const SessionOptions& options, Delegation* made)
      : model_(model),
        subgraph_(*subgraph),
        delegate_(*delegate),
        name_(delegate->name()),
        options_(options),
        made_(*made) {}

  void Run();

 private:
  // Adds why this delegate does not run node n of the subgraph.
  void Refuse(int n, const std::string& reason);
  std::vector<bool> Wanted(const std::vector<Delegate::NodeSupport>& support);
  std::vector<Partition> Compile(std::vector<Partition> partitions);
  void Replace(const std::vector<Partition>& partitions, size_t first_kernel);

  const graph::Graph& model_;
  Subgraph& subgraph_;
  Delegate& delegate_;
  const std::string name_;
  const SessionOptions& options_;
  Delegation& made_;
};

void Offer::Refuse(int n, const std::string& reason) {
  const int number = MarkOf(subgraph_.nodes[n], kNumberMark);
  if (number < 0) return;  // Another delegate's.
  std::string& text = made_.owners[number].reason;
  if (!text.empty()) text += "; ";
  text += name_ + ": " + (reason.empty() ? "not taken" : reason);
}

std::vector<bool> Offer::Wanted(
    const std::vector<Delegate::NodeSupport>& support) {
  std::vector<bool> wanted(subgraph_.nodes.size());
  for (size_t n = 0; n < wanted.size(); ++n) {
    const graph::Node& node = subgraph_.nodes[n];
    if (DelegatedKernelOf(node) >= 0) continue;
    std::string reason = support[n].reason;
    if (support[n].is_supported)
      reason = ReasonToKeep(subgraph_, node, delegate_.takes_variables());
    wanted[n] = support[n].is_supported && reason.empty();
    if (!wanted[n]) Refuse(static_cast<int>(n), reason);
  }
  return wanted;
}

std::vector<Partition> Offer::Compile(std::vector<Partition> partitions) {
  std::vector<Partition> compiled;
  int number = static_cast<int>(
      std::count_if(made_.kernels.begin(), made_.kernels.end(),
                    [&](const auto& k) { return k->delegate() == name_; }));
  for (Partition& partition : partitions) {
    auto kernel = delegate_.Compile(model_, subgraph_, partition);
    if (kernel.ok() && *kernel == nullptr) kernel = Internal("gave no kernel");
    const std::string label =
        "delegate " + name_ + ": partition " + std::to_string(number) + " (" +
        std::to_string(partition.nodes.size()) +
        (partition.nodes.size() == 1 ? " node)" : " nodes)");
    if (!kernel.ok()) {
      const std::string reason =
          "compile failed: " + std::string(kernel.status().message());
      Log(Severity::kWarning, label + " runs on the CPU: " + reason);
      for (const int n : partition.nodes) Refuse(n, reason);
      continue;
    }
    for (const int n : partition.nodes) {
      const int origin = MarkOf(subgraph_.nodes[n], kNumberMark);
      made_.owners[origin].owner = name_;
      made_.owners[origin].partition = number;
      made_.kernel_of[origin] = static_cast<int>(made_.kernels.size());
    }
    made_.kernels.push_back(std::make_unique<DelegatedKernel>(
        name_, label, std::move(*kernel), subgraph_, partition, options_,
        delegate_.may_recover()));
    compiled.push_back(std::move(partition));
    ++number;
  }
  return compiled;
}

void Offer::Replace(const std::vector<Partition>& partitions,
                    size_t first_kernel) {
  std::vector<graph::Node> nodes;
  for (const ScheduledItem& item : Schedule(subgraph_, partitions)) {
    if (!item.is_partition) {
      nodes.push_back(std::move(subgraph_.nodes[item.index]));
      continue;
    }
    const Partition& partition = partitions[item.index];
    const int kernel = static_cast<int>(first_kernel) + item.index;
    graph::Node node;
    node.op = name_;
    node.is_custom = true;
    node.name = "partition of " + std::to_string(partition.nodes.size()) +
                (partition.nodes.size() == 1 ? " node" : " nodes");
    node.inputs = partition.inputs;
    node.outputs = partition.outputs;
    node.attributes.Set(kKernelMark, int64_t{kernel});
    nodes.push_back(std::move(node));
  }
  subgraph_.nodes = std::move(nodes);
}

void Offer::Run() {
  auto support = delegate_.CheckSupport(model_, subgraph_);
  if (support.ok() && support->size() != subgraph_.nodes.size())
    support =
        Internal("gave " + std::to_string(support->size()) + " entries for " +
                 std::to_string(subgraph_.nodes.size()) + " nodes");
  if (!support.ok()) {
    const std::string reason(support.status().message());
    Log(Severity::kWarning, "delegate " + name_ + " takes nothing: " + reason);
    for (size_t n = 0; n < subgraph_.nodes.size(); ++n)
      Refuse(static_cast<int>(n), reason);
    return;
  }
  const std::vector<Partition> all =
      PartitionNodes(subgraph_, Wanted(*support));
  std::vector<Partition> kept = ApplyLimits(all, delegate_.limits());
  std::vector<bool> is_kept(subgraph_.nodes.size());
  for (const Partition& partition : kept)
    for (const int n : partition.nodes) is_kept[n] = true;
  for (const Partition& partition : all) {
    for (const int n : partition.nodes) {
      if (!is_kept[n])
        Refuse(n, "its partition of " + std::to_string(partition.nodes.size()) +
                      " is beyond the delegate's limits");
    }
  }
  const size_t first_kernel = made_.kernels.size();
  kept = Compile(std::move(kept));
  if (kept.empty()) return;
  Replace(kept, first_kernel);
  made_.is_stateful |= delegate_.is_stateful();
}

}  // namespace

std::vector<NodeOwner> Delegation::Owners() const {
  std::vector<NodeOwner> now = owners;
  for (size_t n = 0; n < now.size(); ++n) {
    if (kernel_of[n] < 0) continue;
    const std::string failure = kernels[kernel_of[n]]->failure();
    if (failure.empty()) continue;
    now[n].reason = now[n].owner + ": " + failure;
    now[n].owner = "cpu";
  }
  return now;
}

void MarkNodes(Subgraph& subgraph) {
  for (size_t n = 0; n < subgraph.nodes.size(); ++n) {
    graph::Node& node = subgraph.nodes[n];
    node.attributes.Remove(kKernelMark);
    node.attributes.Set(kNumberMark, static_cast<int64_t>(n));
  }
}

int DelegatedKernelOf(const graph::Node& node) {
  return node.is_custom ? MarkOf(node, kKernelMark) : -1;
}

Delegation DelegateNodes(const graph::Graph& model, int subgraph,
                         graph::Graph* work, const SessionOptions& options,
                         const Resolver& resolver) {
  Delegation made;
  const Subgraph& original = model.subgraphs[subgraph];
  made.kernel_of.assign(original.nodes.size(), -1);
  for (size_t n = 0; n < original.nodes.size(); ++n) {
    const graph::Node& node = original.nodes[n];
    NodeOwner owner;
    owner.subgraph = subgraph;
    owner.node = static_cast<int>(n);
    owner.op = node.op;
    if (!node.outputs.empty() && node.outputs[0] != kNoValue)
      owner.name = original.values[node.outputs[0]].name;
    owner.owner = "none";
    owner.reason = "its results are known before the run, or not needed";
    made.owners.push_back(std::move(owner));
  }
  Subgraph& sub = work->main();
  for (const graph::Node& node : sub.nodes) {
    NodeOwner& owner = made.owners[MarkOf(node, kNumberMark)];
    const auto op = resolver.Find(node);
    const bool can_run = op && op->Takes(node);
    owner.owner = can_run ? "cpu" : "none";
    owner.reason = can_run ? "" : "cpu: the operator is missing";
  }
  {
    const auto lock = delegate_mutex.Lock();
    for (const auto& delegate : options.delegates) {
      if (delegate != nullptr)
        Offer(model, &sub, delegate.get(), options, &made).Run();
    }
  }
  for (graph::Node& node : sub.nodes) node.attributes.Remove(kNumberMark);
  return made;
}

}  // namespace munja::runtime
