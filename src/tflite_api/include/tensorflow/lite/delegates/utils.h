// Helpers of delegates: which nodes to take, and in which groups.
#ifndef MUNJA_TFLITE_DELEGATES_UTILS_H_
#define MUNJA_TFLITE_DELEGATES_UTILS_H_

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tensorflow/lite/builtin_ops.h"
#include "tensorflow/lite/core/c/common.h"
#include "tensorflow/lite/kernels/kernel_util.h"
#include "tensorflow/lite/util.h"

namespace tflite::delegates {

// A tensor of the context with the shape of another one and a type of its own.
inline TfLiteStatus CreateNewTensorWithDifferentType(
    TfLiteContext* context, const int original_tensor_index,
    TfLiteType new_type, TfLiteTensor** new_tensor, int* new_tensor_index) {
  TF_LITE_ENSURE_STATUS(context->AddTensors(context, 1, new_tensor_index));
  const TfLiteTensor& original = context->tensors[original_tensor_index];
  *new_tensor = &context->tensors[*new_tensor_index];
  (*new_tensor)->type = new_type;
  (*new_tensor)->allocation_type = kTfLiteArenaRw;
  return context->ResizeTensor(context, *new_tensor,
                               TfLiteIntArrayCopy(original.dims));
}

// Whether a delegate takes a node; what it writes to unsupported_details is
// why not.
using IsNodeSupportedFn =
    std::function<bool(TfLiteContext*, TfLiteNode*, TfLiteRegistration*,
                       std::string* unsupported_details)>;

// Groups the nodes that a delegate takes as the interpreter would. Lives while
// TfLiteDelegate::Prepare runs: the groups are the context's.
class GraphPartitionHelper {
 public:
  GraphPartitionHelper(TfLiteContext* context,
                       IsNodeSupportedFn is_node_supported_fn)
      : context_(context),
        is_node_supported_fn_(std::move(is_node_supported_fn)) {}
  // For nodes that were chosen before.
  GraphPartitionHelper(TfLiteContext* context,
                       const std::vector<int>& supported_node_indices)
      : context_(context),
        num_total_nodes_(static_cast<int>(supported_node_indices.size())),
        supported_nodes_(supported_node_indices) {}
  virtual ~GraphPartitionHelper() {
    TfLiteIntArrayFree(original_execution_plan_);
  }
  GraphPartitionHelper(const GraphPartitionHelper&) = delete;
  GraphPartitionHelper& operator=(const GraphPartitionHelper&) = delete;

  // Looks at the nodes and groups those taken, of which only numbers from start
  // to end count. What is not taken goes to unsupported_nodes_info, which may
  // be null, as "CONV_2D: reason".
  TfLiteStatus Partition(std::set<std::string>* unsupported_nodes_info,
                         int start_node_index = 0,
                         int end_node_index = std::numeric_limits<int>::max()) {
    return PartitionImpl(unsupported_nodes_info, start_node_index,
                         end_node_index);
  }
  // The n largest groups of at least so many nodes, largest first.
  std::vector<TfLiteDelegateParams*> GetFirstNLargestPartitions(
      int n = std::numeric_limits<int>::max(),
      int min_nodes_per_partition = 0) const {
    std::vector<TfLiteDelegateParams*> groups = partitions_;
    std::stable_sort(
        groups.begin(), groups.end(), [](const auto* a, const auto* b) {
          return a->nodes_to_replace->size > b->nodes_to_replace->size;
        });
    const auto end = std::find_if(
        groups.begin(),
        groups.begin() + std::clamp<std::ptrdiff_t>(
                             n, 0, static_cast<std::ptrdiff_t>(groups.size())),
        [&](const auto* group) {
          return group->nodes_to_replace->size < min_nodes_per_partition;
        });
    groups.erase(end, groups.end());
    return groups;
  }
  std::vector<int> GetNodesOfFirstNLargestPartitions(
      int n = std::numeric_limits<int>::max(),
      int min_nodes_per_partition = 0) {
    return GetNodesOfFirstNLargestPartitionsImpl(n, min_nodes_per_partition);
  }

  int num_total_nodes() const { return num_total_nodes_; }
  int num_supported_nodes() const { return num_supported_nodes_; }
  int num_partitions() const { return static_cast<int>(partitions_.size()); }

 protected:
  virtual bool IsNodeSupported(TfLiteContext* context, TfLiteNode* node,
                               TfLiteRegistration* registration,
                               int /*node_id*/,
                               std::string* unsupported_details) {
    return is_node_supported_fn_(context, node, registration,
                                 unsupported_details);
  }
  virtual std::vector<int> GetNodesOfFirstNLargestPartitionsImpl(
      int n, int min_nodes_per_partition) {
    std::vector<int> nodes;
    for (const TfLiteDelegateParams* group :
         GetFirstNLargestPartitions(n, min_nodes_per_partition)) {
      const TfLiteIntArray* list = group->nodes_to_replace;
      nodes.insert(nodes.end(), list->data, list->data + list->size);
    }
    return nodes;
  }
  virtual TfLiteStatus PartitionImpl(
      std::set<std::string>* unsupported_nodes_info, int start_node_index,
      int end_node_index) {
    if (is_node_supported_fn_ != nullptr)
      TF_LITE_ENSURE_STATUS(LookAtNodes(unsupported_nodes_info,
                                        start_node_index, end_node_index));
    TfLiteIntArray* wanted = ConvertVectorToTfLiteIntArray(supported_nodes_);
    TfLiteDelegateParams* groups = nullptr;
    int count = 0;
    const TfLiteStatus status = context_->PreviewDelegatePartitioning(
        context_, wanted, &groups, &count);
    TfLiteIntArrayFree(wanted);
    TF_LITE_ENSURE_STATUS(status);
    for (int i = 0; i < count; ++i) partitions_.push_back(groups + i);
    return kTfLiteOk;
  }

  TfLiteContext* const context_;
  std::vector<TfLiteDelegateParams*> partitions_;
  TfLiteIntArray* original_execution_plan_ = nullptr;

 private:
  TfLiteStatus LookAtNodes(std::set<std::string>* unsupported_nodes_info,
                           int start_node_index, int end_node_index) {
    TfLiteIntArray* plan = nullptr;
    TF_LITE_ENSURE_STATUS(context_->GetExecutionPlan(context_, &plan));
    // The function that is asked may get the plan, too, which ends this one.
    TfLiteIntArrayFree(original_execution_plan_);
    original_execution_plan_ = TfLiteIntArrayCopy(plan);
    num_total_nodes_ = original_execution_plan_->size;
    supported_nodes_.clear();
    for (int i = 0; i < num_total_nodes_; ++i) {
      const int id = original_execution_plan_->data[i];
      TfLiteNode* node = nullptr;
      TfLiteRegistration* registration = nullptr;
      TF_LITE_ENSURE_STATUS(
          context_->GetNodeAndRegistration(context_, id, &node, &registration));
      std::string reason;
      if (IsNodeSupported(context_, node, registration, id, &reason)) {
        if (id >= start_node_index && id <= end_node_index)
          supported_nodes_.push_back(id);
      } else if (unsupported_nodes_info != nullptr) {
        unsupported_nodes_info->insert(GetOpNameByRegistration(*registration) +
                                       ": " + reason);
      }
    }
    num_supported_nodes_ = static_cast<int>(supported_nodes_.size());
    return kTfLiteOk;
  }

  int num_total_nodes_ = 0;
  int num_supported_nodes_ = 0;
  const IsNodeSupportedFn is_node_supported_fn_;
  std::vector<int> supported_nodes_;
};

// The same for delegates that take constants of float16 as they are: the nodes
// get them in place of what DEQUANTIZE makes of them, both when they are looked
// at and when they are taken.
class FP16GraphPartitionHelper : public GraphPartitionHelper {
 public:
  using GraphPartitionHelper::GraphPartitionHelper;

 protected:
  bool IsNodeSupported(TfLiteContext* context, TfLiteNode* node,
                       TfLiteRegistration* registration, int node_id,
                       std::string* unsupported_details) override {
    if (registration->builtin_code == kTfLiteBuiltinDequantize &&
        node->inputs->size > 0) {
      const int from = node->inputs->data[0];
      const TfLiteTensor& source = context->tensors[from];
      if (source.type == kTfLiteFloat16 && IsConstantTensor(&source)) {
        half_of_[node->outputs->data[0]] = from;
        ++num_dequantize_;
        return false;
      }
    }
    const std::vector<int> before(node->inputs->data,
                                  node->inputs->data + node->inputs->size);
    UseHalves(node);
    const bool supported = GraphPartitionHelper::IsNodeSupported(
        context, node, registration, node_id, unsupported_details);
    std::copy(before.begin(), before.end(), node->inputs->data);
    return supported;
  }
  std::vector<int> GetNodesOfFirstNLargestPartitionsImpl(
      int n, int min_nodes_per_partition) override {
    // When all else is taken, so are nodes whose outputs are unused.
    const bool all =
        num_supported_nodes() + num_dequantize_ == num_total_nodes() &&
        original_execution_plan_ != nullptr;
    std::vector<int> nodes =
        all ? std::vector<int>(original_execution_plan_->data,
                               original_execution_plan_->data +
                                   original_execution_plan_->size)
            : GraphPartitionHelper::GetNodesOfFirstNLargestPartitionsImpl(
                  n, min_nodes_per_partition);
    for (const int id : nodes) {
      TfLiteNode* node = nullptr;
      TfLiteRegistration* registration = nullptr;
      if (context_->GetNodeAndRegistration(context_, id, &node,
                                           &registration) == kTfLiteOk)
        UseHalves(node);
    }
    return nodes;
  }

 private:
  void UseHalves(TfLiteNode* node) const {
    for (int i = 0; i < node->inputs->size; ++i) {
      const auto it = half_of_.find(node->inputs->data[i]);
      if (it != half_of_.end()) node->inputs->data[i] = it->second;
    }
  }

  std::unordered_map<int, int> half_of_;  // By the output of a DEQUANTIZE.
  int num_dequantize_ = 0;
};

}  // namespace tflite::delegates

#endif  // MUNJA_TFLITE_DELEGATES_UTILS_H_
