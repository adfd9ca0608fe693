#include "tflite_api/external_node.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/log.h"
#include "tflite_api/context.h"
#include "tflite_api/operator.h"
#include "tflite_api/tensor_mirror.h"
#include "tflite_api/types.h"

namespace munja::compat {
namespace {

using Phase = GraphContext::Phase;

bool IsNull(const TfLiteIntArray* array) { return array == nullptr; }

}  // namespace

ExternalNode::ExternalNode(GraphContext& context,
                           const TfLiteRegistration& registration,
                           std::string name, std::span<const int> inputs,
                           std::span<const int> outputs)
    : context_(context), registration_(registration), name_(std::move(name)) {
  node_.inputs = ArrayOf(inputs);
  node_.outputs = ArrayOf(outputs);
  node_.intermediates = TfLiteIntArrayCreate(0);
  node_.temporaries = TfLiteIntArrayCreate(0);
}

ExternalNode::~ExternalNode() {
  Free();
  TfLiteIntArrayFree(node_.inputs);
  TfLiteIntArrayFree(node_.outputs);
  TfLiteIntArrayFree(node_.intermediates);
  TfLiteIntArrayFree(node_.temporaries);
}

void ExternalNode::Free() {
  void* const data = std::exchange(node_.user_data, nullptr);
  if (data != nullptr && HasFree(registration_)) {
    const GraphContext::Scope scope(context_, Phase::kIdle, this);
    CallFree(registration_, context_.c(), data);
  }
  persistent_.clear();
}

std::span<const int> ExternalNode::inputs() const {
  return SpanOf(node_.inputs);
}

std::span<const int> ExternalNode::outputs() const {
  return SpanOf(node_.outputs);
}

Status ExternalNode::Failure(const char* what, TfLiteStatus status) {
  std::string text = name_ + " failed to " + what;
  const std::string reports = context_.TakeReports();
  if (!reports.empty()) text += ": " + reports;
  switch (status) {
    case kTfLiteCancelled:
      return Status(Code::kCancelled, std::move(text));
    case kTfLiteUnresolvedOps:
      return Unsupported(text);
    default:
      return InvalidArgument(text);
  }
}

void ExternalNode::LogReports() {
  const std::string reports = context_.TakeReports();
  if (!reports.empty()) Log(Severity::kWarning, name_ + ": " + reports);
}

Status ExternalNode::Init(const char* buffer, size_t length) {
  if (IsNull(node_.inputs) || IsNull(node_.outputs) ||
      IsNull(node_.intermediates) || IsNull(node_.temporaries))
    return OutOfMemory("the tensor lists of a node");
  Free();
  if (!HasInit(registration_)) return Status();
  const GraphContext::Scope scope(context_, Phase::kInit, this);
  void* const data = CallInit(registration_, context_.c(), buffer, length);
  if (data == TfLiteKernelInitFailed())
    return Failure("initialize", kTfLiteError);
  node_.user_data = data;
  LogReports();
  return Status();
}

Status ExternalNode::Prepare() {
  scratch_.clear();
  arena_bytes_ = 0;
  has_unknown_shapes_ = false;
  if (HasPrepare(registration_)) {
    const GraphContext::Scope scope(context_, Phase::kPrepare, this);
    const TfLiteStatus status =
        CallPrepare(registration_, context_.c(), &node_);
    has_unknown_shapes_ = status == kTfLiteOutputShapeNotKnown;
    if (status != kTfLiteOk && !has_unknown_shapes_)
      return Failure("prepare", status);
    LogReports();
  }
  for (const int t : SpanOf(node_.temporaries)) {
    const TfLiteTensor* const tensor = context_.tensor(t);
    if (tensor == nullptr)
      return InvalidArgument(name_ + " has temporary tensor " +
                             std::to_string(t) + ", which does not exist");
    if (tensor->allocation_type != kTfLiteArenaRw) continue;
    if (tensor->bytes > SIZE_MAX / 2 ||
        !CheckedAdd(arena_bytes_, RoundUp(tensor->bytes, kBufferAlignment),
                    &arena_bytes_))
      return OutOfMemory(name_ + ": temporaries are too large");
  }
  for (Block& block : scratch_) {
    block.offset = arena_bytes_;
    if (!CheckedAdd(arena_bytes_, RoundUp(block.bytes, kBufferAlignment),
                    &arena_bytes_))
      return OutOfMemory(name_ + ": scratch buffers are too large");
  }
  return Status();
}

Status ExternalNode::PlaceTemporaries(void* arena) {
  arena_ = static_cast<char*>(arena);
  size_t at = 0;
  for (const int t : SpanOf(node_.temporaries)) {
    TfLiteTensor& tensor = *context_.tensor(t);
    if (tensor.allocation_type == kTfLiteArenaRw) {
      tensor.data.raw = arena_ + at;
      at += RoundUp(tensor.bytes, kBufferAlignment);
    } else if (tensor.allocation_type == kTfLiteArenaRwPersistent) {
      auto kept = std::find_if(kept_.begin(), kept_.end(),
                               [&](const Kept& k) { return k.tensor == t; });
      if (kept == kept_.end()) kept = kept_.insert(kept_.end(), Kept{t, {}});
      if (kept->data.size() != tensor.bytes) {
        kept->data = Buffer();
        MUNJA_ASSIGN_OR_RETURN(kept->data,
                               Buffer::AllocateZeroed(tensor.bytes));
      }
      tensor.data.raw = reinterpret_cast<char*>(kept->data.data());
    }
  }
  return Status();
}

Status ExternalNode::Invoke() {
  if (!HasInvoke(registration_))
    return Unsupported(name_ + " has no function to run");
  const GraphContext::Scope scope(context_, Phase::kInvoke, this);
  const TfLiteStatus status = CallInvoke(registration_, context_.c(), &node_);
  arena_ = nullptr;
  if (status != kTfLiteOk) return Failure("invoke", status);
  LogReports();
  return Status();
}

void* ExternalNode::AllocatePersistent(size_t bytes) {
  auto buffer = Buffer::AllocateZeroed(bytes);
  if (!buffer.ok()) return nullptr;
  persistent_.push_back(std::move(*buffer));
  return persistent_.back().data();
}

TfLiteStatus ExternalNode::RequestScratch(size_t bytes, int* index) {
  if (index == nullptr || bytes > SIZE_MAX / 2) return kTfLiteError;
  *index = static_cast<int>(scratch_.size());
  scratch_.push_back({0, bytes});
  return kTfLiteOk;
}

void* ExternalNode::Scratch(int index) const {
  if (arena_ == nullptr || index < 0 ||
      static_cast<size_t>(index) >= scratch_.size())
    return nullptr;
  return arena_ + scratch_[static_cast<size_t>(index)].offset;
}

}  // namespace munja::compat
