// A YAML document as a tree, read with libyaml.
#ifndef MUNJA_BUNDLE_YAML_H_
#define MUNJA_BUNDLE_YAML_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace munja::bundle {

// Scalars stay text. A reference to an anchor reads as an empty scalar: the
// files read here use them only in parts that are never queried.
struct YamlNode {
  enum class Kind { kScalar, kSequence, kMapping };
  Kind kind = Kind::kScalar;
  std::string scalar;
  std::vector<YamlNode> items;  // kSequence
  // kMapping: one value for each key. Not pairs: a pair of an incomplete type
  // is not allowed in a vector, the type itself is.
  std::vector<std::string> keys;
  std::vector<YamlNode> values;

  // Null unless this is a mapping with such a member.
  const YamlNode* Find(std::string_view name) const;
  // "PostProcess", "name": through nested mappings.
  template <class... Names>
  const YamlNode* Find(std::string_view first, Names... rest) const {
    const YamlNode* node = Find(first);
    return node ? node->Find(rest...) : nullptr;
  }
};

// The first document of the text. kMalformed with line number; kOutOfMemory
// past a million nodes or a depth of 64.
Result<YamlNode> ParseYaml(std::string_view text);

}  // namespace munja::bundle

#endif  // MUNJA_BUNDLE_YAML_H_
