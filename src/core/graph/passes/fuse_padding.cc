// Lets a convolution do the zero padding in front of it: PAD, then CONV_2D or
// DEPTHWISE_CONV_2D with padding VALID, becomes padding EXPLICIT with the
// integers pad_top, pad_bottom, pad_left and pad_right. The same zeros are
// multiplied, so nothing changes. The same for integers with one scale, and for
// int8 weights with float activations, whose range has 0 in it anyway.
//
// Not for padding SAME, whose amount depends on the padded size, and not for
// pooling: MAX_POOL_2D ignores what it pads with and AVERAGE_POOL_2D does not
// count it, whereas the zeros of PAD take part.
#include <string>
#include <utility>
#include <vector>

#include "graph/passes/pass.h"
#include "graph/rewrite/constants.h"
#include "graph/rewrite/linear_op.h"
#include "graph/rewrite/rewriter.h"

namespace munja::graph::fuse_padding {
namespace {

constexpr int64_t kMaxPadding = 1 << 20;
constexpr const char* kNames[] = {"pad_top", "pad_bottom", "pad_left",
                                  "pad_right"};

// The four numbers in the order of kNames, if that is all the node pads.
bool FindZeroPadding(const Subgraph& subgraph, const Node& node,
                     std::vector<int64_t>* padding) {
  const bool has_value = Is(node, "PADV2", 3);
  if (!has_value && !Is(node, "PAD", 2)) return false;
  if (has_value) {
    const auto value = ReadFloats(subgraph, node.inputs[2]);
    if (!value || value->size() != 1 || value->front() != 0.0f) return false;
  }
  const auto pairs = ReadInts(subgraph, node.inputs[1]);
  if (!pairs || pairs->size() != 8) return false;
  for (const int64_t p : *pairs)
    if (p < 0 || p > kMaxPadding) return false;
  // Batch and channels stay.
  if ((*pairs)[0] + (*pairs)[1] + (*pairs)[6] + (*pairs)[7] != 0) return false;
  padding->assign(pairs->begin() + 2, pairs->begin() + 6);
  return true;
}

// Integer convolutions pad with what stands for zero, as PAD does when its two
// sides share a scale.
bool IsQuantizedPair(const Subgraph& subgraph, const Node& pad,
                     const Node& node) {
  const Value& before = subgraph.values[pad.inputs[0]];
  const Value& after = subgraph.values[node.inputs[0]];
  const bool is_integer = after.type == ElementType::kInt8 ||
                          after.type == ElementType::kUInt8 ||
                          after.type == ElementType::kInt16;
  return is_integer && before.type == after.type &&
         after.quantization.scales.size() == 1 &&
         before.quantization == after.quantization;
}

}  // namespace

Result<bool> Rewrite(Rewriter& rewriter, const Node& node) {
  const Subgraph& subgraph = rewriter.subgraph();
  if (!Is(node, "CONV_2D") && !Is(node, "DEPTHWISE_CONV_2D")) return false;
  const Node* pad = rewriter.Producer(InputOrNone(node, 0));
  std::vector<int64_t> padding;
  if (pad == nullptr || !FindZeroPadding(subgraph, *pad, &padding) ||
      (FindFloatLinearOp(subgraph, node) == nullptr &&
       FindHybridLinearOp(subgraph, node) == nullptr &&
       !IsQuantizedPair(subgraph, *pad, node)))
    return false;
  const bool is_explicit = TextIs(node, "padding", "EXPLICIT");
  if (!is_explicit && !TextIs(node, "padding", "VALID")) return false;
  Node padded = node;
  padded.inputs[0] = pad->inputs[0];
  padded.attributes.Set("padding", std::string("EXPLICIT"));
  for (int i = 0; i < 4; ++i) {
    MUNJA_ASSIGN_OR_RETURN(const int64_t before,
                           node.attributes.Int(kNames[i], 0));
    padded.attributes.Set(kNames[i], padding[i] + (is_explicit ? before : 0));
  }
  rewriter.Replace(node, std::move(padded));
  return true;
}

}  // namespace munja::graph::fuse_padding
