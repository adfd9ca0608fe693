#include "text/language_model.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>

namespace munja::text {
namespace {

constexpr uint32_t kVersion = 1;
constexpr float kStepsPerNat = 16.0f;
constexpr size_t kMaxLetters = 65535;
constexpr size_t kMaxNodes = (size_t{1} << 24) - 1;  // Per n-gram length.

uint32_t Read32(const uint8_t* p) {
  return static_cast<uint32_t>(p[0]) | static_cast<uint32_t>(p[1]) << 8 |
         static_cast<uint32_t>(p[2]) << 16 | static_cast<uint32_t>(p[3]) << 24;
}

}  // namespace

float LanguageLog(uint8_t quantized) {
  return -static_cast<float>(quantized) / kStepsPerNat;
}

uint8_t QuantizeLanguageLog(double log) {
  const double steps = std::round(-log * static_cast<double>(kStepsPerNat));
  return static_cast<uint8_t>(std::clamp(steps, 0.0, 255.0));
}

Result<std::shared_ptr<const LanguageModel>> LanguageModel::Parse(
    std::span<const uint8_t> bytes, std::shared_ptr<const void> owner) {
  constexpr size_t kFixed = 16;
  if (bytes.size() < kFixed || std::memcmp(bytes.data(), "MNJL", 4) != 0)
    return Malformed("it is not a language model of 'munja-train language'");
  const uint8_t* p = bytes.data();
  const uint32_t version = Read32(p + 4), order = Read32(p + 8);
  if (version > kVersion)
    return Unsupported("language model version " + std::to_string(version) +
                       " is newer than this program, which reads version " +
                       std::to_string(kVersion));
  if (version == 0) return Malformed("its version is 0");
  if (order < 2 || order > static_cast<uint32_t>(kMaxOrder))
    return Malformed("its order is " + std::to_string(order) + ", wants 2 to " +
                     std::to_string(kMaxOrder));
  std::shared_ptr<LanguageModel> model(new LanguageModel);
  model->order_ = static_cast<int>(order);
  model->letters_ = Read32(p + 12);
  const size_t letters = model->letters_;
  if (letters < 1 || letters > kMaxLetters)
    return Malformed("its alphabet has " + std::to_string(letters) +
                     " letters, wants 1 to " + std::to_string(kMaxLetters));
  model->is_wide_ = letters > 255;
  size_t used = kFixed;
  const auto take = [&](size_t size) {
    const size_t begin = used;
    // All sizes are far from overflow: 2^24 nodes of a few bytes.
    used += size;
    return used <= bytes.size() ? p + begin : nullptr;
  };
  const uint8_t* counts = take(4 * size_t{order});
  model->alphabet_ = counts != nullptr ? take(4 * letters) : nullptr;
  const auto cut_short = [] { return Malformed("it is cut short"); };
  if (model->alphabet_ == nullptr) return cut_short();
  for (size_t k = 0; k < order; ++k) {
    Level& level = model->levels_[k];
    level.nodes = Read32(counts + 4 * k);
    if (level.nodes > kMaxNodes)
      return Malformed("it says it has " + std::to_string(level.nodes) +
                       " n-grams of one length");
    if (k == 0 && level.nodes != letters + 1)
      return Malformed("it has " + std::to_string(level.nodes) +
                       " single letters for an alphabet of " +
                       std::to_string(letters));
    if (k > 0) {
      level.symbols = take(level.nodes * (model->is_wide_ ? 2 : 1));
      if (level.symbols == nullptr) return cut_short();
    }
    level.probabilities = take(level.nodes);
    if (level.probabilities == nullptr) return cut_short();
    if (k + 1 == order) continue;
    level.back_offs = take(level.nodes);
    level.children =
        level.back_offs != nullptr ? take(3 * (level.nodes + 1)) : nullptr;
    if (level.children == nullptr) return cut_short();
  }
  if (used != bytes.size())
    return Malformed("it has " + std::to_string(bytes.size() - used) +
                     " bytes too many");
  for (size_t i = 1; i < letters; ++i)
    if (Read32(model->alphabet_ + 4 * i) <=
        Read32(model->alphabet_ + 4 * (i - 1)))
      return Malformed("its alphabet is not in ascending order");
  for (size_t k = 0; k + 1 < order; ++k)
    MUNJA_RETURN_IF_ERROR(model->CheckLevel(k));
  model->owner_ = std::move(owner);
  return std::shared_ptr<const LanguageModel>(std::move(model));
}

// The children of level `k`, and their letters.
Status LanguageModel::CheckLevel(size_t k) const {
  const Level& level = levels_[k];
  const Level& next = levels_[k + 1];
  const auto of = [&] {
    return " of n-grams of " + std::to_string(k + 1) + " letters";
  };
  if (ChildrenAt(level, 0) != 0 || ChildrenAt(level, level.nodes) != next.nodes)
    return Malformed("the longer ones" + of() + " are not all of them");
  for (size_t node = 0; node < level.nodes; ++node) {
    const size_t begin = ChildrenAt(level, node);
    const size_t end = ChildrenAt(level, node + 1);
    if (end < begin || end > next.nodes)
      return Malformed("the longer ones" + of() + " are out of order");
    for (size_t child = begin; child < end; ++child) {
      const Symbol symbol = SymbolAt(next, child);
      if (symbol > letters_ ||
          (child > begin && symbol <= SymbolAt(next, child - 1)))
        return Malformed("letters behind n-grams of " + std::to_string(k + 1) +
                         " are out of order or not in the alphabet");
    }
  }
  return Status();
}

size_t LanguageModel::size() const {
  size_t sum = 0;
  for (const Level& level : levels_) sum += level.nodes;
  return sum;
}

LanguageModel::Symbol LanguageModel::SymbolOf(char32_t c) const {
  const auto small =
      static_cast<uint32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c)));
  size_t begin = 0, end = letters_;
  while (begin < end) {
    const size_t middle = (begin + end) / 2;
    if (Read32(alphabet_ + 4 * middle) < small)
      begin = middle + 1;
    else
      end = middle;
  }
  if (begin == letters_ || Read32(alphabet_ + 4 * begin) != small) return kEdge;
  return static_cast<Symbol>(begin + 1);
}

LanguageModel::Symbol LanguageModel::SymbolAt(const Level& level,
                                              size_t node) const {
  if (!is_wide_) return level.symbols[node];
  const uint8_t* p = level.symbols + 2 * node;
  return static_cast<Symbol>(p[0] | p[1] << 8);
}

size_t LanguageModel::ChildrenAt(const Level& level, size_t node) {
  const uint8_t* p = level.children + 3 * node;
  return size_t{p[0]} | size_t{p[1]} << 8 | size_t{p[2]} << 16;
}

size_t LanguageModel::Child(size_t k, size_t node, Symbol symbol) const {
  const Level& level = levels_[k];
  const Level& next = levels_[k + 1];
  size_t begin = ChildrenAt(level, node);
  const size_t last = ChildrenAt(level, node + 1);
  size_t end = last;
  while (begin < end) {
    const size_t middle = (begin + end) / 2;
    if (SymbolAt(next, middle) < symbol)
      begin = middle + 1;
    else
      end = middle;
  }
  return begin < last && SymbolAt(next, begin) == symbol ? begin : kNone;
}

size_t LanguageModel::Find(std::span<const Symbol> symbols) const {
  size_t node = symbols[0];
  for (size_t k = 1; k < symbols.size() && node != kNone; ++k)
    node = Child(k - 1, node, symbols[k]);
  return node;
}

float LanguageModel::LogProbability(std::span<const Symbol> context,
                                    Symbol symbol) const {
  const size_t most = static_cast<size_t>(order_) - 1;
  unsigned steps = 0;
  for (size_t length = std::min(context.size(), most); length > 0; --length) {
    const size_t node = Find(context.last(length));
    if (node == kNone) continue;
    const size_t child = Child(length - 1, node, symbol);
    if (child != kNone)
      return -static_cast<float>(steps + levels_[length].probabilities[child]) /
             kStepsPerNat;
    steps += levels_[length - 1].back_offs[node];
  }
  return -static_cast<float>(steps + levels_[0].probabilities[symbol]) /
         kStepsPerNat;
}

float WordBreak(const LanguageModel& model,
                std::span<const LanguageModel::Symbol> left,
                std::span<const LanguageModel::Symbol> right) {
  using Symbol = LanguageModel::Symbol;
  const auto reach = static_cast<size_t>(model.order() - 1);
  // The letters before each of the right word, apart and together. Beyond
  // `reach` letters both are alike.
  std::array<Symbol, LanguageModel::kMaxOrder> apart{};
  std::array<Symbol, 2 * LanguageModel::kMaxOrder> together{};
  size_t count = 1, all = 1;  // The edge.
  for (const Symbol s : left.last(std::min(left.size(), reach)))
    together[all++] = s;
  // An edge that is further away is not seen.
  const auto before = [&] { return std::span(together).first(all); };
  float log = model.LogProbability(before(), LanguageModel::kEdge);
  for (size_t i = 0; i <= right.size() && i < reach; ++i) {
    const Symbol next = i < right.size() ? right[i] : LanguageModel::kEdge;
    log += model.LogProbability(std::span(apart).first(count), next) -
           model.LogProbability(before(), next);
    apart[count++] = together[all++] = next;
  }
  return log;
}

}  // namespace munja::text
