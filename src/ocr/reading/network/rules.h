// Rules of reading, each of which can be switched off alone: what a rule
// brings is measured so (tools/ablation).
#ifndef MUNJA_READING_NETWORK_RULES_H_
#define MUNJA_READING_NETWORK_RULES_H_

#include <bitset>
#include <cstddef>
#include <optional>
#include <string_view>

namespace munja::ocr {

enum class Rule {
#define RULE(symbol, name, what) k##symbol,
#include "reading/network/rules.def"
#undef RULE
  kCount
};

inline constexpr std::string_view kRuleNames[] = {
#define RULE(symbol, name, what) #name,
#include "reading/network/rules.def"
#undef RULE
};

inline std::optional<Rule> RuleNamed(std::string_view name) {
  for (size_t i = 0; i < static_cast<size_t>(Rule::kCount); ++i)
    if (kRuleNames[i] == name) return static_cast<Rule>(i);
  return std::nullopt;
}

// All of them unless told otherwise.
class Rules {
 public:
  bool Has(Rule rule) const { return !off_[static_cast<size_t>(rule)]; }
  bool HasAll() const { return off_.none(); }
  void SwitchOff(Rule rule) { off_[static_cast<size_t>(rule)] = true; }

 private:
  std::bitset<static_cast<size_t>(Rule::kCount)> off_;
};

}  // namespace munja::ocr

#endif  // MUNJA_READING_NETWORK_RULES_H_
