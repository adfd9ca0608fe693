#include "synth/grammar.h"

#include <algorithm>
#include <utility>

#include "text/normalize.h"
#include "text/utf8.h"

namespace munja::train {
namespace {

constexpr int kDeepest = 40;
constexpr size_t kLongest = 400;

bool IsDigits(std::u32string_view text) {
  return !text.empty() && text.size() <= 9 &&
         std::all_of(text.begin(), text.end(),
                     [](char32_t c) { return c >= U'0' && c <= U'9'; });
}
int ToInt(std::u32string_view digits) {
  int value = 0;
  for (char32_t c : digits) value = value * 10 + static_cast<int>(c - U'0');
  return value;
}
bool IsName(std::u32string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char32_t c) {
    return (c >= U'a' && c <= U'z') || (c >= U'0' && c <= U'9') || c == U'_';
  });
}
std::u32string_view Trim(std::u32string_view text) {
  while (!text.empty() && (text.front() == U' ' || text.front() == U'\t'))
    text.remove_prefix(1);
  while (!text.empty() &&
         (text.back() == U' ' || text.back() == U'\t' || text.back() == U'\r'))
    text.remove_suffix(1);
  return text;
}

// Where a Korean syllable is, whether it ends in a consonant. Digits count as
// they are spoken.
bool EndsInConsonant(std::u32string_view text) {
  if (text.empty()) return false;
  const char32_t c = text.back();
  if (c >= 0xAC00 && c <= 0xD7A3) return (c - 0xAC00) % 28 != 0;
  return std::u32string_view(U"013678LMNR").find(c) !=
         std::u32string_view::npos;
}

}  // namespace

char32_t ToUpper(char32_t c) {
  if (c >= U'a' && c <= U'z') return c - 32;
  if (c == 0xDF) return 0x1E9E;
  if (c >= 0xE0 && c <= 0xFE && c != 0xF7) return c - 32;
  if (c == 0xFF) return 0x178;
  if (c == 0x131) return U'I';
  if ((c >= 0x100 && c <= 0x137) || (c >= 0x14A && c <= 0x177) ||
      (c >= 0x218 && c <= 0x21B))
    return c & ~char32_t{1};
  if ((c >= 0x139 && c <= 0x148) || (c >= 0x179 && c <= 0x17E))
    return c % 2 == 0 ? c - 1 : c;
  return c;
}

std::u32string ToUpper(std::u32string_view text) {
  std::u32string upper(text);
  for (char32_t& c : upper) c = ToUpper(c);
  return upper;
}

Result<Grammar::Node> Grammar::ParseBraces(std::u32string_view inside) {
  Node node;
  const std::string shown = "{" + text::EncodeUtf8(inside) + "}";
  if (const size_t slash = inside.find(U'/');
      slash != std::u32string_view::npos) {
    node.kind = Node::Kind::kParticle;
    node.text = inside.substr(0, slash);
    node.other = inside.substr(slash + 1);
    return node;
  }
  const size_t dash = inside.find(U'-');
  const size_t star = inside.find(U'*');
  if (dash != std::u32string_view::npos && star == std::u32string_view::npos) {
    const std::u32string_view low = inside.substr(0, dash),
                              high = inside.substr(dash + 1);
    if (IsDigits(low) && IsDigits(high)) {
      node.kind = Node::Kind::kNumber;
      node.low = ToInt(low);
      node.high = ToInt(high);
      node.digits = low.front() == U'0' ? static_cast<int>(low.size()) : 1;
    } else if (low.size() == 1 && high.size() == 1) {
      node.kind = Node::Kind::kCharacter;
      node.low = static_cast<int>(low[0]);
      node.high = static_cast<int>(high[0]);
    } else {
      return Malformed("'" + shown + "' is neither numbers nor characters");
    }
    if (node.low > node.high)
      return Malformed("'" + shown + "' has its greater end first");
    return node;
  }
  node.kind = Node::Kind::kRule;
  std::u32string_view name = inside;
  for (bool more = true; more && !name.empty();) {
    switch (name.back()) {
      case U'^':
        node.letters = Node::Case::kUpper;
        break;
      case U'~':
        node.letters = Node::Case::kTitle;
        break;
      case U'?':
        node.least = 0;
        break;
      default:
        more = false;
    }
    if (more) name.remove_suffix(1);
  }
  if (const size_t at = name.find(U'*'); at != std::u32string_view::npos) {
    const std::u32string_view count = name.substr(at + 1);
    const size_t to = count.find(U'-');
    const std::u32string_view low = count.substr(0, to);
    const std::u32string_view high =
        to == std::u32string_view::npos ? low : count.substr(to + 1);
    if (!IsDigits(low) || !IsDigits(high) || ToInt(low) > ToInt(high) ||
        ToInt(high) > 100)
      return Malformed("'" + shown + "': wants a count up to 100 after the *");
    node.least = ToInt(low);
    node.most = ToInt(high);
    name = name.substr(0, at);
  }
  if (!IsName(name))
    return Malformed("'" + shown +
                     "': rules are named by small letters, digits and _");
  node.rule = text::EncodeUtf8(name);
  return node;
}

Result<Grammar::Template> Grammar::Parse(std::u32string_view text) {
  Template nodes;
  const auto literal = [&](char32_t c) {
    if (nodes.empty() || nodes.back().kind != Node::Kind::kText)
      nodes.emplace_back();
    nodes.back().text.push_back(c);
  };
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == U'\\' && i + 1 < text.size()) {
      literal(text[++i]);
    } else if (text[i] == U'#') {
      nodes.emplace_back().kind = Node::Kind::kDigit;
    } else if (text[i] == U'{') {
      const size_t end = text.find(U'}', i);
      if (end == std::u32string_view::npos)
        return Malformed("a brace is not closed");
      MUNJA_ASSIGN_OR_RETURN(Node node,
                             ParseBraces(text.substr(i + 1, end - i - 1)));
      nodes.push_back(std::move(node));
      i = end;
    } else {
      literal(text[i]);
    }
  }
  return nodes;
}

Status Grammar::Add(std::string_view rules, const std::string& name) {
  if (!text::IsValidUtf8(rules)) return Malformed(name + ": is not UTF-8");
  const std::u32string all = text::DecodeUtf8(rules);
  std::u32string_view left = all;
  Rule* rule = nullptr;
  for (int number = 1; !left.empty(); ++number) {
    const size_t end = left.find(U'\n');
    std::u32string_view line = left.substr(0, end);
    left.remove_prefix(end == std::u32string_view::npos ? left.size()
                                                        : end + 1);
    const std::string where = name + ": line " + std::to_string(number);
    if (Trim(line).empty() || line.starts_with(U"//")) continue;
    if (line.front() != U' ' && line.front() != U'\t') {
      const size_t equals = line.find(U'=');
      const std::u32string_view symbol = Trim(line.substr(0, equals));
      if (equals == std::u32string_view::npos || !IsName(symbol))
        return Malformed(where + ": wants 'rule = ...'");
      const std::string key = text::EncodeUtf8(symbol);
      if (!index_.emplace(key, rules_.size()).second)
        return Malformed(where + ": rule '" + key + "' is there already");
      rule = &rules_.emplace_back();
      rule->file = name;
      line.remove_prefix(equals + 1);
    } else if (rule == nullptr) {
      return Malformed(where + ": goes on with no rule");
    }
    line = Trim(line);
    while (!line.empty()) {
      // " | " separates; so do bars at the ends of a line.
      const size_t bar = line.starts_with(U"| ") ? 0 : line.find(U" | ");
      std::u32string_view part =
          bar == std::u32string_view::npos ? line : line.substr(0, bar);
      line.remove_prefix(bar == std::u32string_view::npos
                             ? line.size()
                             : bar + (bar == 0 ? 2 : 3));
      if (part.ends_with(U" |")) part.remove_suffix(2);
      part = Trim(part);
      if (part.empty()) continue;
      auto parsed = Parse(part);
      if (!parsed.ok()) return std::move(parsed).TakeStatus().With(where);
      rule->alternatives.push_back(std::move(parsed).value());
    }
  }
  return Status();
}

Status Grammar::AddWords(const std::string& name,
                         std::vector<std::u32string> words) {
  if (words.empty())
    return InvalidArgument("word list '" + name + "' is empty");
  if (!index_.emplace(name, rules_.size()).second)
    return InvalidArgument("rule '" + name + "' is there already");
  rules_.emplace_back().words = std::move(words);
  return Status();
}

Status Grammar::Check() const {
  for (const auto& [name, i] : index_) {
    const Rule& rule = rules_[i];
    if (rule.alternatives.empty() && rule.words.empty())
      return Malformed(rule.file + ": rule '" + name + "' has no alternatives");
    for (const Template& nodes : rule.alternatives) {
      for (const Node& node : nodes) {
        if (node.kind == Node::Kind::kRule && !Has(node.rule))
          return Malformed(rule.file + ": rule '" + name + "' uses '" +
                           node.rule + "', which is nowhere defined");
      }
    }
  }
  // A rule can end if it has an alternative whose rules all end.
  std::vector<bool> ends(rules_.size(), false);
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < rules_.size(); ++i) {
      if (ends[i]) continue;
      const auto can_end = [&](const Template& nodes) {
        return std::all_of(nodes.begin(), nodes.end(), [&](const Node& node) {
          return node.kind != Node::Kind::kRule || node.least == 0 ||
                 ends[index_.at(node.rule)];
        });
      };
      if (!rules_[i].words.empty() ||
          std::any_of(rules_[i].alternatives.begin(),
                      rules_[i].alternatives.end(), can_end)) {
        ends[i] = changed = true;
      }
    }
  }
  for (const auto& [name, i] : index_) {
    if (!ends[i])
      return Malformed(rules_[i].file + ": rule '" + name + "' never ends");
  }
  return Status();
}

void Grammar::Append(const Node& node, Random& random, int depth,
                     std::u32string& out) const {
  switch (node.kind) {
    case Node::Kind::kText:
      out += node.text;
      return;
    case Node::Kind::kDigit:
      out.push_back(U'0' + static_cast<char32_t>(random.Below(10)));
      return;
    case Node::Kind::kNumber: {
      const std::string digits =
          std::to_string(random.Integer(node.low, node.high));
      for (int i = static_cast<int>(digits.size()); i < node.digits; ++i)
        out.push_back(U'0');
      for (char c : digits) out.push_back(static_cast<char32_t>(c));
      return;
    }
    case Node::Kind::kCharacter:
      out.push_back(static_cast<char32_t>(random.Integer(node.low, node.high)));
      return;
    case Node::Kind::kParticle:
      out += EndsInConsonant(out) ? node.text : node.other;
      return;
    case Node::Kind::kRule: {
      const Rule& rule = rules_[index_.at(node.rule)];
      const int count = random.Integer(node.least, node.most);
      for (int i = 0; i < count; ++i) {
        const size_t begin = out.size();
        Append(rule, random, depth + 1, out);
        for (size_t k = begin; k < out.size(); ++k) {
          if (node.letters == Node::Case::kUpper ||
              (node.letters == Node::Case::kTitle && k == begin))
            out[k] = ToUpper(out[k]);
        }
      }
      return;
    }
  }
}

void Grammar::Append(const Rule& rule, Random& random, int depth,
                     std::u32string& out) const {
  if (depth > kDeepest || out.size() > kLongest) return;
  if (!rule.words.empty()) {
    out += rule.words[random.Below(rule.words.size())];
    return;
  }
  for (const Node& node :
       rule.alternatives[random.Below(rule.alternatives.size())])
    Append(node, random, depth, out);
}

std::u32string Grammar::Make(const std::string& rule, Random& random) const {
  std::u32string out;
  Append(rules_[index_.at(rule)], random, 0, out);
  return out;
}

}  // namespace munja::train
