// WatchedDelegate: passes everything on to a delegate and keeps its failures,
// which a session only logs.
#ifndef MUNJA_COMPAT_WATCHED_DELEGATE_H_
#define MUNJA_COMPAT_WATCHED_DELEGATE_H_

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/delegate.h"

namespace munja::compat {

class WatchedDelegate final : public runtime::Delegate {
 public:
  // The first failure is kept in *failure.
  WatchedDelegate(std::shared_ptr<runtime::Delegate> delegate,
                  std::shared_ptr<Status> failure)
      : delegate_(std::move(delegate)), failure_(std::move(failure)) {}

  std::string_view name() const override { return delegate_->name(); }
  Result<std::vector<Verdict>> Judge(const graph::Graph& graph,
                                     const graph::Subgraph& subgraph) override {
    return Keep(delegate_->Judge(graph, subgraph));
  }
  Result<std::unique_ptr<ops::Kernel>> Compile(
      const graph::Graph& graph, const graph::Subgraph& subgraph,
      const runtime::Partition& partition) override {
    return Keep(delegate_->Compile(graph, subgraph, partition));
  }
  Limits limits() const override { return delegate_->limits(); }
  bool is_stateful() const override { return delegate_->is_stateful(); }
  bool takes_variables() const override { return delegate_->takes_variables(); }

 private:
  template <class T>
  Result<T> Keep(Result<T> result) {
    if (!result.ok() && failure_->ok()) *failure_ = result.status().Clone();
    return result;
  }

  std::shared_ptr<runtime::Delegate> delegate_;
  std::shared_ptr<Status> failure_;
};

}  // namespace munja::compat

#endif  // MUNJA_COMPAT_WATCHED_DELEGATE_H_
