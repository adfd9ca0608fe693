#include "text/language_builder.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

namespace munja::text {
namespace {

// Discount of each count, at most, for n-grams that were not seen.
constexpr double kDiscount = 0.75;
constexpr uint32_t kRoot = 0;

char32_t SmallLetter(char32_t c) {
  return static_cast<char32_t>(
      utf8proc_tolower(static_cast<utf8proc_int32_t>(c)));
}

// Characters that make a word another one: letters, marks and digits, not
// signs.
bool IsOfWords(char32_t c) {
  const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
  return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_NO;
}

void Append32(uint32_t value, std::vector<uint8_t>& out) {
  for (int shift = 0; shift < 32; shift += 8)
    out.push_back(static_cast<uint8_t>(value >> shift));
}

}  // namespace

Result<LanguageBuilder> LanguageBuilder::Create(std::u32string_view alphabet,
                                                int order) {
  if (order < 2 || order > LanguageModel::kMaxOrder)
    return InvalidArgument("the order is " + std::to_string(order) +
                           ", must be 2 to " +
                           std::to_string(LanguageModel::kMaxOrder));
  LanguageBuilder builder;
  builder.order_ = order;
  for (const char32_t c : alphabet)
    builder.alphabet_.push_back(static_cast<uint32_t>(SmallLetter(c)));
  std::sort(builder.alphabet_.begin(), builder.alphabet_.end());
  builder.alphabet_.erase(
      std::unique(builder.alphabet_.begin(), builder.alphabet_.end()),
      builder.alphabet_.end());
  if (builder.alphabet_.empty() || builder.alphabet_.size() > 65535)
    return InvalidArgument("the alphabet has " +
                           std::to_string(builder.alphabet_.size()) +
                           " letters, must have 1 to 65535");
  builder.nodes_.push_back({kRoot, kRoot, 0, 0, 0});
  return builder;
}

LanguageBuilder::Symbol LanguageBuilder::SymbolOf(char32_t c) const {
  const auto small = static_cast<uint32_t>(SmallLetter(c));
  const auto at = std::lower_bound(alphabet_.begin(), alphabet_.end(), small);
  if (at == alphabet_.end() || *at != small) return LanguageModel::kEdge;
  return static_cast<Symbol>(at - alphabet_.begin() + 1);
}

uint32_t LanguageBuilder::Child(uint32_t node, Symbol symbol) {
  const auto [at, is_new] =
      children_.try_emplace(uint64_t{node} << 16 | symbol, nodes_.size());
  if (is_new) {
    const auto length = static_cast<uint8_t>(nodes_[node].length + 1);
    nodes_.push_back({node, kRoot, symbol, length, 0});
  }
  return at->second;
}

bool LanguageBuilder::Add(std::u32string_view word, double times) {
  for (const char32_t c : word)
    if (SymbolOf(c) == LanguageModel::kEdge && IsOfWords(c)) return false;
  run_.assign(1, LanguageModel::kEdge);
  for (const char32_t c : word) {
    run_.push_back(SymbolOf(c));
    if (run_.back() == LanguageModel::kEdge) AddRun(times);
  }
  run_.push_back(LanguageModel::kEdge);
  AddRun(times);
  return true;
}

// The run is a word between two edges; afterwards another one begins.
void LanguageBuilder::AddRun(double times) {
  for (size_t begin = 0; run_.size() > 2 && begin < run_.size(); ++begin) {
    uint32_t node = kRoot;
    const size_t end =
        std::min(run_.size(), begin + static_cast<size_t>(order_));
    for (size_t i = begin; i < end; ++i) {
      node = Child(node, run_[i]);
      // The edge counts once for both sides.
      if (i > 0) nodes_[node].count += times;
    }
  }
  run_.assign(1, LanguageModel::kEdge);
}

// Turns counts into a file. Works on a copy of the n-grams that is in the order
// of the file, so that nothing depends on the order of the words.
class LanguageBuilder::Maker {
 public:
  explicit Maker(const LanguageBuilder& builder)
      : builder_(builder),
        order_(static_cast<size_t>(builder.order_)),
        letters_(builder.alphabet_.size()) {
    Sort();
    Estimate();
  }

  size_t FixedBytes() const {
    return 16 + 4 * order_ + 4 * letters_ + 5 * (letters_ + 1) +
           3 * (order_ - 1);
  }
  void Choose(size_t bytes);
  std::vector<uint8_t> Write();

 private:
  static constexpr uint32_t kNotThere = ~uint32_t{0};

  void Sort();
  void Estimate();
  uint32_t Find(uint32_t node, Symbol symbol) const;
  size_t Bytes(uint32_t node) const {
    const size_t symbol = letters_ > 255 ? 2 : 1;
    return symbol + (nodes_[node].length < order_ ? 5 : 1);
  }
  // Probability of the last symbol of n-gram `node` after the others.
  double Kept(uint32_t node) const;

  const LanguageBuilder& builder_;
  const size_t order_, letters_;
  std::vector<Node> nodes_;
  std::vector<uint32_t> begins_;  // Where a node's children begin; one more.
  std::vector<double> sums_;      // Sums of the counts of a node's children.
  std::vector<double> full_;      // Probabilities with all n-grams.
  std::vector<uint8_t> is_kept_;
  // With those that are kept alone: probabilities, and what is left for others.
  std::vector<double> kept_, left_;
};

void LanguageBuilder::Maker::Sort() {
  const std::vector<Node>& from = builder_.nodes_;
  std::vector<uint32_t> order(from.size()), rank(from.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return from[a].length < from[b].length;
  });
  for (size_t begin = 0; begin < order.size();) {
    size_t end = begin;
    while (end < order.size() &&
           from[order[end]].length == from[order[begin]].length)
      ++end;
    std::sort(order.begin() + static_cast<ptrdiff_t>(begin),
              order.begin() + static_cast<ptrdiff_t>(end),
              [&](uint32_t a, uint32_t b) {
                const uint32_t pa = rank[from[a].parent];
                const uint32_t pb = rank[from[b].parent];
                return pa != pb ? pa < pb : from[a].symbol < from[b].symbol;
              });
    for (; begin < end; ++begin)
      rank[order[begin]] = static_cast<uint32_t>(begin);
  }
  nodes_.reserve(from.size());
  for (const uint32_t id : order) {
    nodes_.push_back(from[id]);
    nodes_.back().parent = rank[from[id].parent];
  }
  begins_.assign(nodes_.size() + 1, 0);
  for (size_t i = 1; i < nodes_.size(); ++i) ++begins_[nodes_[i].parent + 1];
  begins_[0] = 1;
  for (size_t i = 1; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
}

uint32_t LanguageBuilder::Maker::Find(uint32_t node, Symbol symbol) const {
  const auto begin = nodes_.begin() + begins_[node];
  const auto end = nodes_.begin() + begins_[node + 1];
  const auto at = std::lower_bound(
      begin, end, symbol,
      [](const Node& child, Symbol s) { return child.symbol < s; });
  return at != end && at->symbol == symbol
             ? static_cast<uint32_t>(at - nodes_.begin())
             : kNotThere;
}

void LanguageBuilder::Maker::Estimate() {
  sums_.assign(nodes_.size(), 0);
  std::vector<double> discounts(nodes_.size(), 0);
  for (size_t i = 1; i < nodes_.size(); ++i) {
    sums_[nodes_[i].parent] += nodes_[i].count;
    discounts[nodes_[i].parent] += std::min(nodes_[i].count, kDiscount);
  }
  full_.assign(nodes_.size(), 0);
  for (size_t i = 1; i < nodes_.size(); ++i) {
    Node& node = nodes_[i];
    // The same letters without the first were counted, too.
    double shorter = 1.0 / static_cast<double>(letters_ + 1);
    if (node.length > 1) {
      node.suffix = Find(nodes_[node.parent].suffix, node.symbol);
      shorter = full_[node.suffix];
    }
    full_[i] = (std::max(node.count - kDiscount, 0.0) +
                discounts[node.parent] * shorter) /
               sums_[node.parent];
  }
}

void LanguageBuilder::Maker::Choose(size_t bytes) {
  is_kept_.assign(nodes_.size(), 0);
  std::vector<uint32_t> order;
  std::vector<double> worth(nodes_.size(), 0);
  size_t used = FixedBytes();
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    if (node.length <= 1) {
      is_kept_[i] = 1;
      continue;
    }
    const double discounted =
        std::max(node.count - kDiscount, 0.0) / sums_[node.parent];
    const double without = full_[i] - discounted;
    worth[i] = node.count * std::abs(std::log(full_[i] / without)) /
               static_cast<double>(Bytes(i));
    if (worth[i] > 0) order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return worth[a] != worth[b] ? worth[a] > worth[b] : a < b;
  });
  for (const uint32_t i : order) {
    size_t needed = 0;
    for (uint32_t at = i; is_kept_[at] == 0; at = nodes_[at].parent)
      needed += Bytes(at);
    if (used + needed > bytes) break;
    used += needed;
    for (uint32_t at = i; is_kept_[at] == 0; at = nodes_[at].parent)
      is_kept_[at] = 1;
  }
}

double LanguageBuilder::Maker::Kept(uint32_t node) const {
  if (is_kept_[node] != 0) return kept_[node];
  return left_[nodes_[node].parent] * Kept(nodes_[node].suffix);
}

std::vector<uint8_t> LanguageBuilder::Maker::Write() {
  // Where no n-gram is kept all is left, and so it is for contexts that are
  // not kept themselves.
  left_.assign(nodes_.size(), 1.0);
  kept_.assign(nodes_.size(), 0);
  for (size_t i = 1; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    if (is_kept_[i] == 0) continue;
    left_[node.parent] -=
        std::max(node.count - kDiscount, 0.0) / sums_[node.parent];
  }
  for (uint32_t i = 1; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    if (is_kept_[i] == 0) continue;
    const double shorter = node.length > 1
                               ? Kept(node.suffix)
                               : 1.0 / static_cast<double>(letters_ + 1);
    kept_[i] = std::max(node.count - kDiscount, 0.0) / sums_[node.parent] +
               left_[node.parent] * shorter;
  }

  std::array<std::vector<uint8_t>, LanguageModel::kMaxOrder> symbols, logs,
      back_offs, children;
  std::array<uint32_t, LanguageModel::kMaxOrder> counts{};
  // In the order of the nodes those of one length follow each other; children
  // of a parent that comes earlier do, too.
  const auto append = [&](size_t k, Symbol symbol, double p, double left) {
    if (k > 0) {
      symbols[k].push_back(static_cast<uint8_t>(symbol));
      if (letters_ > 255)
        symbols[k].push_back(static_cast<uint8_t>(symbol >> 8));
    }
    logs[k].push_back(QuantizeLanguageLog(std::log(p)));
    if (k + 1 < order_)
      back_offs[k].push_back(QuantizeLanguageLog(std::log(left)));
    ++counts[k];
  };
  const auto count_kept_children = [&](uint32_t node) {
    uint32_t count = 0;
    for (uint32_t i = begins_[node]; i < begins_[node + 1]; ++i)
      count += is_kept_[i];
    return count;
  };
  std::array<uint32_t, LanguageModel::kMaxOrder> begins{};
  const auto append_children = [&](size_t k, uint32_t kept) {
    if (k + 1 == order_) return;
    for (int shift = 0; shift < 24; shift += 8)
      children[k].push_back(static_cast<uint8_t>(begins[k] >> shift));
    begins[k] += kept;
  };
  for (size_t symbol = 0; symbol <= letters_; ++symbol) {
    const uint32_t node = Find(kRoot, static_cast<Symbol>(symbol));
    const bool is_there = node != kNotThere;
    append(0, 0,
           is_there ? kept_[node]
                    : left_[kRoot] / static_cast<double>(letters_ + 1),
           is_there ? left_[node] : 1.0);
    append_children(0, is_there ? count_kept_children(node) : 0);
  }
  for (uint32_t i = 1; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    if (node.length < 2 || is_kept_[i] == 0) continue;
    const size_t k = node.length - size_t{1};
    append(k, node.symbol, kept_[i], left_[i]);
    append_children(k, count_kept_children(i));
  }

  std::vector<uint8_t> file = {'M', 'N', 'J', 'L'};
  Append32(1, file);
  Append32(static_cast<uint32_t>(order_), file);
  Append32(static_cast<uint32_t>(letters_), file);
  for (size_t k = 0; k < order_; ++k) Append32(counts[k], file);
  for (const uint32_t letter : builder_.alphabet_) Append32(letter, file);
  for (size_t k = 0; k < order_; ++k) {
    append_children(k, 0);  // The end of the last one's.
    for (const auto* part :
         {&symbols[k], &logs[k], &back_offs[k], &children[k]})
      file.insert(file.end(), part->begin(), part->end());
  }
  return file;
}

Result<std::vector<uint8_t>> LanguageBuilder::Build(size_t bytes) const {
  if (nodes_.size() == 1)
    return InvalidArgument("there are no words to make a language model of");
  Maker maker(*this);
  if (maker.FixedBytes() > bytes)
    return InvalidArgument("a language model of these letters has at least " +
                           std::to_string(maker.FixedBytes()) + " bytes, not " +
                           std::to_string(bytes));
  maker.Choose(bytes);
  return maker.Write();
}

}  // namespace munja::text
