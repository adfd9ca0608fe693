// For the tests of what stands for an attribute that an operator leaves out:
// rows of operators with the defaults of Paddle's operator definitions.
#ifndef MUNJA_IMPORT_PADDLE_DEFAULTS_TESTING_H_
#define MUNJA_IMPORT_PADDLE_DEFAULTS_TESTING_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "import/paddle/testing.h"

namespace munja::foreign::paddle::defaults {

struct Attribute {
  const char* name;
  std::optional<Attr> standard;  // Of the definition; none: it must be given.
  std::optional<Attr> other;     // None: nothing else is read.
};

struct Parameter {
  const char* input;
  std::vector<int64_t> dims;
  std::vector<float> values;
};

struct Case {
  const char* op;
  std::vector<int64_t> x;
  std::vector<Attr> given;  // What an operator must have.
  std::vector<Attribute> attributes;
  std::vector<Parameter> parameters = {};
  const char* input = "X";
  const char* output = "Out";
};

inline Attribute Int(const char* name, std::optional<int32_t> standard,
                     int32_t other) {
  Attribute a = {name, {}, IntAttr(name, other)};
  if (standard) a.standard = IntAttr(name, *standard);
  return a;
}
inline Attribute Float(const char* name, std::optional<float> standard,
                       float other) {
  Attribute a = {name, {}, FloatAttr(name, other)};
  if (standard) a.standard = FloatAttr(name, *standard);
  return a;
}
inline Attribute Bool(const char* name, bool standard) {
  return {name, BoolAttr(name, standard), BoolAttr(name, !standard)};
}
inline Attribute Text(const char* name, const char* standard,
                      const char* other) {
  Attribute a = {name, {}, TextAttr(name, other)};
  if (standard != nullptr) a.standard = TextAttr(name, standard);
  return a;
}
using List = std::vector<int32_t>;
inline Attribute Ints(const char* name, std::optional<List> standard,
                      List other) {
  Attribute a = {name, {}, IntsAttr(name, std::move(other))};
  if (standard) a.standard = IntsAttr(name, std::move(*standard));
  return a;
}

inline std::vector<float> Numbers(size_t count) {
  std::vector<float> numbers;
  for (size_t i = 0; i < count; ++i)
    numbers.push_back(static_cast<float>((i * 7) % 11) / 4 - 1);
  return numbers;
}

// Rows of layers: convolutions, pooling, norms, products, resizing, detection
// and the like.
std::vector<Case> LayerCases();

// Compares each operator without an attribute with the same one with it.
void Check(const std::vector<Case>& cases);

}  // namespace munja::foreign::paddle::defaults

#endif  // MUNJA_IMPORT_PADDLE_DEFAULTS_TESTING_H_
