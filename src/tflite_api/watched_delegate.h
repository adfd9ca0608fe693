// WatchedDelegate: passes everything on to a delegate and keeps its failures,
// which a session only logs; those of its kernels are reported.
#ifndef MUNJA_TFLITE_API_WATCHED_DELEGATE_H_
#define MUNJA_TFLITE_API_WATCHED_DELEGATE_H_

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "ops/op.h"
#include "runtime/delegate.h"
#include "tflite_api/reporter.h"

namespace munja::compat {

class WatchedKernel final : public ops::Kernel {
 public:
  WatchedKernel(std::unique_ptr<ops::Kernel> kernel, Reporter reporter)
      : kernel_(std::move(kernel)), reporter_(reporter) {}

  Status Prepare(ops::PrepareContext& context) const override {
    return Say(kernel_->Prepare(context));
  }
  Status Eval(ops::EvalContext& context) const override {
    return Say(kernel_->Eval(context));
  }
  int64_t MultiplyAccumulates(
      std::span<const TensorView> inputs,
      std::span<const TensorView> outputs) const override {
    return kernel_->MultiplyAccumulates(inputs, outputs);
  }
  size_t packed_bytes() const override { return kernel_->packed_bytes(); }
  bool needs_host() const override { return kernel_->needs_host(); }

 private:
  Status Say(Status status) const {
    // Data-dependent shapes are not failures.
    if (!status.ok() && status.code() != Code::kNeedsValues)
      reporter_.Report(status);
    return status;
  }

  std::unique_ptr<ops::Kernel> kernel_;
  const Reporter reporter_;
};

class WatchedDelegate final : public runtime::Delegate {
 public:
  // The first failure to prepare or to compile is kept in *failure.
  WatchedDelegate(std::shared_ptr<runtime::Delegate> delegate,
                  std::shared_ptr<Status> failure, Reporter reporter)
      : delegate_(std::move(delegate)),
        failure_(std::move(failure)),
        reporter_(reporter) {}

  std::string_view name() const override { return delegate_->name(); }
  Result<std::vector<NodeSupport>> CheckSupport(
      const graph::Graph& graph, const graph::Subgraph& subgraph) override {
    return Keep(delegate_->CheckSupport(graph, subgraph));
  }
  Result<std::unique_ptr<ops::Kernel>> Compile(
      const graph::Graph& graph, const graph::Subgraph& subgraph,
      const runtime::Partition& partition) override {
    MUNJA_ASSIGN_OR_RETURN(
        auto kernel, Keep(delegate_->Compile(graph, subgraph, partition)));
    return std::unique_ptr<ops::Kernel>(
        std::make_unique<WatchedKernel>(std::move(kernel), reporter_));
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
  const Reporter reporter_;
};

}  // namespace munja::compat

#endif  // MUNJA_TFLITE_API_WATCHED_DELEGATE_H_
