// Members of the JSON reports that the library gives. None of these throws: a
// number that is none (NaN, infinity) is null there, and a newer library may
// have other members.
#ifndef MUNJA_CLI_REPORT_H_
#define MUNJA_CLI_REPORT_H_

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

namespace munja::cli {

// NaN when `name` is null, `absent` when it is missing or not a number.
template <class Json>
double NumberOf(const Json& json, const char* name, double absent = 0) {
  if (!json.is_object()) return absent;
  const auto it = json.find(name);
  if (it == json.end()) return absent;
  if (it->is_null()) return std::numeric_limits<double>::quiet_NaN();
  return it->is_number() ? it->template get<double>() : absent;
}

// 0 when it is missing or not an integer.
template <class Json>
long long CountOf(const Json& json, const char* name) {
  if (!json.is_object()) return 0;
  const auto it = json.find(name);
  return it != json.end() && it->is_number_integer()
             ? static_cast<long long>(it->template get<int64_t>())
             : 0;
}

// "" when it is missing or no text.
template <class Json>
std::string TextOf(const Json& json, const char* name) {
  if (!json.is_object()) return "";
  const auto it = json.find(name);
  return it != json.end() && it->is_string() ? it->template get<std::string>()
                                             : "";
}

// On one line. File names need not be UTF-8: what is none becomes U+FFFD.
template <class Json>
std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace munja::cli

#endif  // MUNJA_CLI_REPORT_H_
