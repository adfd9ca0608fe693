// ExternalKernel: a ExternalNode as a kernel of a session.
#ifndef MUNJA_TFLITE_API_EXTERNAL_KERNEL_H_
#define MUNJA_TFLITE_API_EXTERNAL_KERNEL_H_

#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "ops/op.h"
#include "tflite_api/context.h"
#include "tflite_api/external_node.h"

namespace munja::compat {

// Keeps state: one session, one caller at a time. The node is prepared once
// for each plan, and again whenever another plan runs than the one for which
// it was prepared last.
class ExternalKernel : public ops::Kernel {
 public:
  // `inputs` and `outputs` are the tensors of the context behind the kernel's
  // own; kTfLiteOptionalTensor where an input is absent. `data` is kept as
  // long as the node.
  ExternalKernel(std::shared_ptr<GraphContext> context,
                 std::unique_ptr<ExternalNode> node, std::vector<int> inputs,
                 std::vector<int> outputs,
                 std::shared_ptr<const void> data = nullptr);

  Status Prepare(ops::PrepareContext& context) const override;
  Status Eval(ops::EvalContext& context) const override;

 protected:
  // The inputs have new shapes: called before the node is prepared. Gives the
  // outputs the shapes that hold if the node does not resize them.
  virtual Status TakeShapes() const;
  // Whether those are shapes that the output really has.
  virtual bool KnowsShape(int tensor) const;
  // Around Invoke; all tensors of the node have their memory.
  virtual Status BeforeInvoke() const { return Status(); }
  virtual Status AfterInvoke() const { return Status(); }

  GraphContext& context() const { return *context_; }
  ExternalNode& node() const { return *node_; }
  std::span<const int> inputs() const { return inputs_; }
  std::span<const int> outputs() const { return outputs_; }

 private:
  struct Plan;

  bool IsGiven(int tensor) const;
  const graph::Value& ValueOf(int tensor) const;
  Status PrepareNode(Plan* plan) const;
  Status TakeOutputs(Plan* plan,
                     std::span<const TfLiteIntArray* const> before) const;
  Status Adopt(const Plan& plan) const;
  Status PlaceTensors(ops::EvalContext& context, const Plan& plan) const;
  Status HandOut(ops::EvalContext& context, const Plan& plan) const;
  void ForgetMemory(const Plan& plan) const;

  std::shared_ptr<const void> data_;
  std::shared_ptr<GraphContext> context_;
  std::unique_ptr<ExternalNode> node_;  // Ends first.
  std::vector<int> inputs_, outputs_;
  // The plan for which the node is prepared; 0: none.
  mutable int64_t prepared_for_ = 0;
  mutable int64_t plans_ = 0;
};

}  // namespace munja::compat

#endif  // MUNJA_TFLITE_API_EXTERNAL_KERNEL_H_
