#include "ops/support/custom_options.h"

#include <string>
#include <utility>
#include <variant>

// Numbers are no text here; without this the header needs the library, too.
#define FLATBUFFERS_LOCALE_INDEPENDENT 0
#include <flatbuffers/flexbuffers.h>

namespace munja::ops {

std::vector<uint8_t> EncodeCustomOptions(const graph::Attributes& attributes) {
  flexbuffers::Builder builder;
  const size_t map = builder.StartMap();
  for (const auto& [name, value] : attributes) {
    const char* key = name.c_str();
    if (const auto* b = std::get_if<bool>(&value)) builder.Bool(key, *b);
    if (const auto* i = std::get_if<int64_t>(&value)) builder.Int(key, *i);
    if (const auto* d = std::get_if<double>(&value)) builder.Double(key, *d);
    if (const auto* s = std::get_if<std::string>(&value))
      builder.String(key, *s);
    if (const auto* v = std::get_if<std::vector<int64_t>>(&value)) {
      const size_t list = builder.StartVector(key);
      for (const int64_t n : *v) builder.Int(n);
      builder.EndVector(list, false, false);
    }
    if (const auto* v = std::get_if<std::vector<double>>(&value)) {
      const size_t list = builder.StartVector(key);
      for (const double n : *v) builder.Double(n);
      builder.EndVector(list, false, false);
    }
  }
  builder.EndMap(map);
  builder.Finish();
  return builder.GetBuffer();
}

Result<graph::Attributes> DecodeCustomOptions(std::span<const uint8_t> bytes) {
  graph::Attributes attributes;
  if (bytes.empty()) return attributes;
  // One flag for each byte that was looked at, so that no part is verified
  // twice: nested buffers could take exponential time.
  std::vector<uint8_t> seen;
  if (bytes.size() < 3 ||
      !flexbuffers::VerifyBuffer(bytes.data(), bytes.size(), &seen))
    return Malformed("the options are no FlexBuffers data");
  const auto root = flexbuffers::GetRoot(bytes.data(), bytes.size());
  if (!root.IsMap()) return Malformed("the options are no map");
  const auto map = root.AsMap();
  const auto keys = map.Keys();
  for (size_t i = 0; i < keys.size(); ++i) {
    const std::string key = keys[i].AsKey();
    const auto value = map.Values()[i];
    if (value.IsBool()) {
      attributes.Set(key, value.AsBool());
    } else if (value.IsInt() || value.IsUInt()) {
      attributes.Set(key, value.AsInt64());
    } else if (value.IsFloat()) {
      attributes.Set(key, value.AsDouble());
    } else if (value.IsString()) {
      attributes.Set(key, value.AsString().str());
    } else if (value.IsVector()) {
      const auto list = value.AsVector();
      bool whole = true;
      for (size_t k = 0; k < list.size(); ++k)
        whole = whole && (list[k].IsInt() || list[k].IsUInt());
      std::vector<int64_t> ints;
      std::vector<double> doubles;
      for (size_t k = 0; k < list.size(); ++k) {
        if (!list[k].IsNumeric())
          return Malformed("option '" + key + "' is no list of numbers");
        if (whole)
          ints.push_back(list[k].AsInt64());
        else
          doubles.push_back(list[k].AsDouble());
      }
      if (whole)
        attributes.Set(key, std::move(ints));
      else
        attributes.Set(key, std::move(doubles));
    } else {
      return Malformed("option '" + key + "' is of no known kind");
    }
  }
  return attributes;
}

}  // namespace munja::ops
