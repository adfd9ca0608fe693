// Attributes: the named options of a node, in the words of the .tflite schema.
#ifndef MUNJA_GRAPH_ATTRIBUTES_H_
#define MUNJA_GRAPH_ATTRIBUTES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/status.h"

namespace munja::graph {

// A type of its own so that there is one in the variant below that is neither
// trivial nor of the standard library: libstdc++ takes it for granted that a
// variant of the others holds a value, also when it is destroyed because there
// was no memory to copy one into it.
struct AttributeBytes : std::vector<uint8_t> {
  AttributeBytes() = default;
  // NOLINTNEXTLINE(google-explicit-constructor)
  AttributeBytes(std::vector<uint8_t> bytes) : vector(std::move(bytes)) {}
};

// Schema enums are held by name ("SAME", "RELU6"), so that a dump can be read
// and no module but tflite/ knows their numbers.
using AttributeValue =
    std::variant<bool, int64_t, double, std::string, std::vector<int64_t>,
                 std::vector<double>, AttributeBytes>;

// A short list sorted by name. The getters give `fallback` when the name is
// absent and kMalformed when it holds another type.
class Attributes {
 public:
  void Set(std::string_view name, AttributeValue value);
  // Absent: null.
  const AttributeValue* Find(std::string_view name) const;
  void Remove(std::string_view name);
  bool Has(std::string_view name) const { return Find(name) != nullptr; }

  Result<int64_t> Int(std::string_view name, int64_t fallback) const;
  Result<double> Float(std::string_view name, double fallback) const;
  Result<bool> Bool(std::string_view name, bool fallback) const;
  Result<std::string> Text(std::string_view name,
                           std::string_view fallback) const;
  Result<std::vector<int64_t>> Ints(
      std::string_view name) const;  // absent: empty

  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  bool empty() const { return entries_.empty(); }
  friend bool operator==(const Attributes&, const Attributes&) = default;

 private:
  std::vector<std::pair<std::string, AttributeValue>> entries_;
};

// "3", "[1, 2]", "\"SAME\"".
std::string ToString(const AttributeValue& value);

}  // namespace munja::graph

#endif  // MUNJA_GRAPH_ATTRIBUTES_H_
