#include "graph/attributes.h"

#include <algorithm>
#include <cstdio>

namespace munja::graph {
namespace {

Status WrongType(std::string_view name, const char* wanted) {
  return Malformed("attribute '" + std::string(name) + "' is not " + wanted);
}

std::string Number(double v) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", v);
  return text;
}

template <class T, class F>
std::string List(const std::vector<T>& values, F&& one) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += ", ";
    text += one(values[i]);
  }
  return text + "]";
}

}  // namespace

void Attributes::Set(std::string_view name, AttributeValue value) {
  auto it = std::lower_bound(
      entries_.begin(), entries_.end(), name,
      [](const auto& e, std::string_view n) { return e.first < n; });
  if (it != entries_.end() && it->first == name)
    it->second = std::move(value);
  else
    entries_.insert(it, {std::string(name), std::move(value)});
}

const AttributeValue* Attributes::Find(std::string_view name) const {
  for (const auto& [key, value] : entries_)
    if (key == name) return &value;
  return nullptr;
}

void Attributes::Remove(std::string_view name) {
  std::erase_if(entries_, [&](const auto& e) { return e.first == name; });
}

Result<int64_t> Attributes::Int(std::string_view name, int64_t fallback) const {
  const AttributeValue* v = Find(name);
  if (v == nullptr) return fallback;
  if (const auto* i = std::get_if<int64_t>(v)) return *i;
  return WrongType(name, "an integer");
}

Result<double> Attributes::Float(std::string_view name, double fallback) const {
  const AttributeValue* v = Find(name);
  if (v == nullptr) return fallback;
  if (const auto* d = std::get_if<double>(v)) return *d;
  if (const auto* i = std::get_if<int64_t>(v)) return static_cast<double>(*i);
  return WrongType(name, "a number");
}

Result<bool> Attributes::Bool(std::string_view name, bool fallback) const {
  const AttributeValue* v = Find(name);
  if (v == nullptr) return fallback;
  if (const auto* b = std::get_if<bool>(v)) return *b;
  return WrongType(name, "a truth value");
}

Result<std::string> Attributes::Text(std::string_view name,
                                     std::string_view fallback) const {
  const AttributeValue* v = Find(name);
  if (v == nullptr) return std::string(fallback);
  if (const auto* s = std::get_if<std::string>(v)) return *s;
  return WrongType(name, "a text");
}

Result<std::vector<int64_t>> Attributes::Ints(std::string_view name) const {
  const AttributeValue* v = Find(name);
  if (v == nullptr) return std::vector<int64_t>();
  if (const auto* l = std::get_if<std::vector<int64_t>>(v)) return *l;
  return WrongType(name, "a list of integers");
}

std::string ToString(const AttributeValue& value) {
  struct Visitor {
    std::string operator()(bool b) const { return b ? "true" : "false"; }
    std::string operator()(int64_t i) const { return std::to_string(i); }
    std::string operator()(double d) const { return Number(d); }
    std::string operator()(const std::string& s) const {
      return "\"" + s + "\"";
    }
    std::string operator()(const std::vector<int64_t>& l) const {
      return List(l, [](int64_t i) { return std::to_string(i); });
    }
    std::string operator()(const std::vector<double>& l) const {
      return List(l, Number);
    }
    std::string operator()(const std::vector<uint8_t>& bytes) const {
      return "<" + std::to_string(bytes.size()) + " bytes>";
    }
  };
  return std::visit(Visitor(), value);
}

}  // namespace munja::graph
