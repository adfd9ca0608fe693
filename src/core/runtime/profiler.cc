#include "runtime/profiler.h"

#include <algorithm>
#include <string>

namespace munja::runtime {
namespace {

// "1x8x8x3, 16x3x3x3"; absent inputs as "-".
std::string Shapes(std::span<const TensorView> views) {
  std::string text;
  for (const TensorView& view : views) {
    if (!text.empty()) text += ", ";
    const bool is_absent =
        view.data == nullptr && view.bytes == 0 && view.quantization == nullptr;
    text += is_absent ? "-" : view.shape.ToString();
  }
  return text;
}

int64_t Bytes(std::span<const TensorView> views) {
  int64_t bytes = 0;
  for (const TensorView& view : views)
    bytes += static_cast<int64_t>(view.bytes);
  return bytes;
}

// The type that an operator with these inputs multiplies. 8-bit weights make a
// product one of integers, whatever the activations are.
ElementType ComputesIn(std::span<const TensorView> inputs) {
  ElementType type = ElementType::kFloat32;
  for (const TensorView& view : inputs) {
    if (view.quantization == nullptr) continue;
    if (view.type == ElementType::kInt16) return ElementType::kInt16;
    if (view.type == ElementType::kInt8 || view.type == ElementType::kUInt8 ||
        view.type == ElementType::kInt4)
      type = ElementType::kInt8;
  }
  return type;
}

}  // namespace

Profiler::Profiler(const graph::Subgraph& subgraph)
    : rows_(subgraph.nodes.size()) {
  for (size_t n = 0; n < rows_.size(); ++n) {
    rows_[n].op = subgraph.nodes[n].op;
    rows_[n].name = subgraph.nodes[n].name;
    const auto& outputs = subgraph.nodes[n].outputs;
    if (rows_[n].name.empty() && !outputs.empty() && outputs[0] >= 0)
      rows_[n].name = subgraph.values[outputs[0]].name;
  }
}

void Profiler::SetShapes(size_t node, std::span<const TensorView> inputs,
                         std::span<const TensorView> outputs,
                         int64_t multiply_accumulates) {
  rows_[node].shapes = Shapes(inputs) + " -> " + Shapes(outputs);
  rows_[node].multiply_accumulates = multiply_accumulates;
  rows_[node].bytes = Bytes(inputs) + Bytes(outputs);
  rows_[node].computes_in = ComputesIn(inputs);
}

void Profiler::Add(size_t node, TraceFile::Clock::time_point begin,
                   TraceFile::Clock::time_point end) {
  if (trace_ != nullptr) {
    trace_->Add("operator", rows_[node].op, begin, end,
                {{"writes", rows_[node].name},
                 {"shapes", rows_[node].shapes},
                 {"multiply_accumulates",
                  std::to_string(rows_[node].multiply_accumulates)}});
  }
  rows_[node].milliseconds +=
      std::chrono::duration<double, std::milli>(end - begin).count();
  ++rows_[node].runs;
  if (parts_.empty()) return;
  std::vector<NodeProfile>& rows = part_rows_[node];
  for (size_t i = 0; i < parts_.size(); ++i) {
    const ops::PartTime& part = parts_[i];
    // The same parts in the same order, as long as the shapes are the same.
    if (i == rows.size()) rows.emplace_back();
    NodeProfile& row = rows[i];
    if (row.name != part.name || row.shapes != part.shapes) row = {};
    row.op = part.op;
    row.name = part.name;
    row.shapes = part.shapes;
    row.milliseconds += part.milliseconds;
    row.multiply_accumulates = part.multiply_accumulates;
    row.bytes = part.bytes;
    ++row.runs;
  }
  rows.resize(parts_.size());
  parts_.clear();
}

std::vector<NodeProfile> Profiler::Rows() const {
  std::vector<NodeProfile> rows;
  for (size_t n = 0; n < rows_.size(); ++n) {
    if (rows_[n].runs == 0) continue;
    rows.push_back(rows_[n]);
    const auto parts = part_rows_.find(n);
    if (parts == part_rows_.end()) continue;
    double inside = 0;
    for (const NodeProfile& part : parts->second) inside += part.milliseconds;
    // The products of its parts are counted there.
    rows.back().milliseconds = std::max(0.0, rows.back().milliseconds - inside);
    rows.back().multiply_accumulates = 0;
    rows.insert(rows.end(), parts->second.begin(), parts->second.end());
  }
  return rows;
}

void Profiler::Reset() {
  for (NodeProfile& row : rows_) {
    row.milliseconds = 0;
    row.runs = 0;
  }
  part_rows_.clear();
}

}  // namespace munja::runtime
