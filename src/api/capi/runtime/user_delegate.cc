// Delegates whose CheckSupport and Compile are callbacks.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"
#include "capi/runtime/handles.h"
#include "capi/runtime/op_context.h"
#include "capi/runtime/partition.h"
#include "graph/graph.h"
#include "munja/delegates.h"
#include "runtime/delegate.h"

using munja::InvalidArgument;
using munja::Result;
using munja::Status;
using munja::capi::Guard;
using munja::capi::ReadOptions;
using munja::capi::RequireAll;
using munja::capi::StatusOf;
using munja::graph::Graph;
using munja::graph::Subgraph;
using munja::ops::Kernel;
using munja::ops::MakeOptions;
using munja::ops::NodeInfo;
using munja::runtime::Delegate;
using munja::runtime::Partition;

namespace {

class UserDelegate final : public Delegate {
 public:
  explicit UserDelegate(const munja_delegate_callbacks& callbacks)
      : callbacks_(callbacks), name_(callbacks.name) {}
  ~UserDelegate() override {
    if (callbacks_.free != nullptr) callbacks_.free(callbacks_.user);
  }
  UserDelegate(const UserDelegate&) = delete;
  UserDelegate& operator=(const UserDelegate&) = delete;

  std::string_view name() const override { return name_; }
  Result<std::vector<NodeSupport>> CheckSupport(
      const Graph& graph, const Subgraph& subgraph) override;
  Result<std::unique_ptr<Kernel>> Compile(const Graph& graph,
                                          const Subgraph& subgraph,
                                          const Partition& partition) override;
  Limits limits() const override {
    return {callbacks_.max_partitions,
            callbacks_.min_nodes > 0 ? callbacks_.min_nodes : 1};
  }
  // Its kernels are given to one session each.
  bool is_stateful() const override { return true; }

 private:
  munja_delegate_callbacks callbacks_;  // Its name may be gone.
  std::string name_;
};

Result<std::vector<Delegate::NodeSupport>> UserDelegate::CheckSupport(
    const Graph&, const Subgraph& subgraph) {
  const MakeOptions options;
  std::vector<NodeSupport> support;
  for (const auto& node : subgraph.nodes) {
    const NodeInfo info(subgraph, node, options);
    munja_op_context context{.info = &info, .outputs = info.outputs()};
    const Status status = StatusOf(
        callbacks_.check_support(callbacks_.user, &context), context.reason);
    support.push_back({status.ok(), std::string(status.message())});
  }
  return support;
}

Result<std::unique_ptr<Kernel>> UserDelegate::Compile(
    const Graph&, const Subgraph& subgraph, const Partition& partition) {
  const MakeOptions options;
  munja_partition seen{partition};
  for (const int n : partition.nodes)
    seen.infos.emplace_back(subgraph, subgraph.nodes[static_cast<size_t>(n)],
                            options);
  for (const NodeInfo& info : seen.infos)
    seen.nodes.push_back({.info = &info, .outputs = info.outputs()});
  munja_operator kernel = {};
  MUNJA_RETURN_IF_ERROR(StatusOf(
      callbacks_.compile(callbacks_.user, &seen, &kernel), seen.reason));
  auto wrapped = munja::capi::WrapKernel(
      kernel, static_cast<int>(partition.outputs.size()));
  if (kernel.eval == nullptr)
    return InvalidArgument("compile gave an operator without eval");
  return wrapped;
}

}  // namespace

extern "C" {

munja_status munja_delegate_define(const munja_delegate_callbacks* callbacks,
                                   munja_delegate** delegate) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(callbacks, delegate));
    munja_delegate_callbacks given;
    MUNJA_RETURN_IF_ERROR(ReadOptions(callbacks, &given));
    if (given.name == nullptr || given.name[0] == 0)
      return InvalidArgument("the delegate has no name");
    if (given.check_support == nullptr || given.compile == nullptr)
      return InvalidArgument(std::string(given.name) +
                             " has no judge or no compile");
    if (given.max_partitions < 0 || given.min_nodes < 0)
      return InvalidArgument(std::string(given.name) + ": a limit is negative");
    // Its destructor calls free, which a failure here must not.
    auto handle = std::make_unique<munja_delegate>();
    handle->delegate = std::make_shared<UserDelegate>(given);
    *delegate = handle.release();
    return Status();
  });
}

}  // extern "C"
