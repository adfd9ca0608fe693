// The config of a bundle's networks <-> JSON. Member names are the names of
// the fields of ocr::Config.
#ifndef MUNJA_BUNDLE_CONFIG_JSON_H_
#define MUNJA_BUNDLE_CONFIG_JSON_H_

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/status.h"
#include "reading/network/config.h"

namespace munja::bundle {

nlohmann::ordered_json ConfigToJson(const ocr::Config& config);

// Members that are present replace the fields of `config`; a member that is
// not known or is out of range is refused, and `config` is then unspecified.
// "base" ("ppocrv6") first sets all fields to a named config's. `path` is
// what messages call the object.
Status ReadConfig(const nlohmann::json& json, const std::string& path,
                  ocr::Config* config);

// The same from text that a user gave.
Status ApplyOverrides(std::string_view text, ocr::Config* config);

// The shortest decimal that reads back as the same float: 0.45, not
// 0.44999998807907104.
double ShortDecimal(float value);

}  // namespace munja::bundle

#endif  // MUNJA_BUNDLE_CONFIG_JSON_H_
