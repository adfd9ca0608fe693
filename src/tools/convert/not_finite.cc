#include "convert/not_finite.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>

#include "tensor/element_type.h"
#include "tensor/half.h"

namespace munja::tools {
namespace {

struct NotFinite {
  int64_t nans = 0, infinities = 0;
};

float AsFloat(float number) { return number; }
float AsFloat(uint16_t half) { return HalfToFloat(half); }

template <class T>
NotFinite Count(std::span<const uint8_t> bytes) {
  NotFinite found;
  for (size_t i = 0; i + sizeof(T) <= bytes.size(); i += sizeof(T)) {
    T stored;
    std::memcpy(&stored, bytes.data() + i, sizeof stored);
    const float number = AsFloat(stored);
    found.nans += std::isnan(number) ? 1 : 0;
    found.infinities += std::isinf(number) ? 1 : 0;
  }
  return found;
}

NotFinite CountIn(const graph::Value& value) {
  if (!value.constant) return {};
  if (value.type == ElementType::kFloat32)
    return Count<float>(value.constant->bytes);
  if (value.type == ElementType::kFloat16)
    return Count<uint16_t>(value.constant->bytes);
  return {};
}

std::string Describe(const std::string& name, const NotFinite& found) {
  std::string text = "warning: the constant tensor '" + name + "' holds ";
  if (found.nans > 0) text += std::to_string(found.nans) + " NaN";
  if (found.infinities > 0)
    text += (found.nans > 0 ? " and " : "") + std::to_string(found.infinities) +
            " infinite";
  return text + (found.nans > 0
                     ? "; what is computed from it is NaN: the source is "
                       "damaged, or its training failed"
                     : "; a mask may, a weight should not");
}

}  // namespace

std::vector<std::string> DescribeNotFinite(const graph::Graph& graph) {
  constexpr size_t kNamed = 5;
  std::vector<std::string> texts;
  size_t more = 0;
  for (const graph::Subgraph& subgraph : graph.subgraphs) {
    for (const graph::Value& value : subgraph.values) {
      const NotFinite found = CountIn(value);
      if (found.nans + found.infinities == 0) continue;
      if (texts.size() < kNamed)
        texts.push_back(Describe(value.name, found));
      else
        ++more;
    }
  }
  if (more > 0)
    texts.push_back("warning: " + std::to_string(more) +
                    " more constant tensors hold NaN or infinity");
  return texts;
}

}  // namespace munja::tools
