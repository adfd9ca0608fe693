#include "import/ir/window.h"

#include <algorithm>
#include <string>
#include <vector>

namespace munja::importer {
namespace {

constexpr int64_t kLimit = 1 << 20;  // Far above any real kernel or stride.

Status ReadPair(const graph::Attributes& attributes, const char* name,
                std::array<int64_t, 2>* out) {
  MUNJA_ASSIGN_OR_RETURN(const std::vector<int64_t> values,
                         attributes.Ints(name));
  if (values.empty()) return {};
  if (values.size() != 2)
    return Unsupported(name, " has ", values.size(),
                       " values, only two-dimensional windows are supported");
  for (int i = 0; i < 2; ++i) {
    if (values[i] < 1 || values[i] > kLimit)
      return Malformed(name, " holds ", values[i]);
    (*out)[i] = values[i];
  }
  return {};
}

}  // namespace

Result<int64_t> Window::OutputSize(int axis, int64_t input) const {
  if (input < 0) return int64_t{-1};
  const int64_t s = stride[axis];
  if (pad_mode != PadMode::kExplicit) return (input + s - 1) / s;
  const int64_t room = input + before[axis] + after[axis] - Extent(axis);
  if (room < 0)
    return Malformed("a window of ", Extent(axis), " does not fit into ", input,
                     " elements with padding ", before[axis], " and ",
                     after[axis]);
  int64_t out = (room + (ceil_mode ? s - 1 : 0)) / s + 1;
  if (ceil_mode && drop_outside && (out - 1) * s >= input + before[axis]) --out;
  return out;
}

int64_t Window::PadBefore(int axis, int64_t input) const {
  if (pad_mode == PadMode::kExplicit) return before[axis];
  const int64_t s = stride[axis];
  const int64_t out = (input + s - 1) / s;
  const int64_t total =
      std::max<int64_t>(0, (out - 1) * s + Extent(axis) - input);
  return pad_mode == PadMode::kSameUpper ? total / 2 : total - total / 2;
}

Result<Window> ReadWindow(const graph::Attributes& attributes) {
  Window w;
  MUNJA_RETURN_IF_ERROR(ReadPair(attributes, "kernel_shape", &w.kernel));
  MUNJA_RETURN_IF_ERROR(ReadPair(attributes, "strides", &w.stride));
  MUNJA_RETURN_IF_ERROR(ReadPair(attributes, "dilations", &w.dilation));
  MUNJA_ASSIGN_OR_RETURN(const std::vector<int64_t> pads,
                         attributes.Ints("pads"));
  if (!pads.empty()) {
    if (pads.size() != 4)
      return Unsupported("pads has ", pads.size(), " values, 4 are expected");
    for (const int64_t p : pads)
      if (p < 0 || p > kLimit) return Malformed("pads holds ", p);
    w.before = {pads[0], pads[1]};
    w.after = {pads[2], pads[3]};
  }
  MUNJA_ASSIGN_OR_RETURN(const std::string mode,
                         attributes.Text("auto_pad", ""));
  if (mode == "SAME_UPPER")
    w.pad_mode = PadMode::kSameUpper;
  else if (mode == "SAME_LOWER")
    w.pad_mode = PadMode::kSameLower;
  else if (!mode.empty())
    return Malformed("auto_pad is '", mode, "'");
  MUNJA_ASSIGN_OR_RETURN(const int64_t ceil, attributes.Int("ceil_mode", 0));
  w.ceil_mode = ceil != 0;
  MUNJA_ASSIGN_OR_RETURN(const int64_t drop, attributes.Int("drop_outside", 0));
  w.drop_outside = drop != 0;
  return w;
}

}  // namespace munja::importer
