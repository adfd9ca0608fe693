#include "bundle/fields.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/log.h"

namespace munja::bundle {

using Json = nlohmann::json;

Result<Json> ParseJson(std::string_view text) {
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return Malformed("this is not JSON");
  return json;
}

Fields::Fields(const Json& json, std::string path)
    : json_(json), path_(std::move(path)) {
  if (!json_.is_object())
    status_ = Malformed((path_.empty() ? "the top level" : path_) +
                        " is not a JSON object");
}

std::string Fields::PathOf(const char* name) const {
  return path_.empty() ? name : path_ + "." + name;
}

void Fields::Fail(Status status) {
  if (status_.ok()) status_ = std::move(status);
}

void Fields::Wrong(const char* name, const char* expected) {
  Fail(Malformed(PathOf(name) + " is not " + expected));
}

const Json* Fields::Child(const char* name) {
  asked_.emplace_back(name);
  if (!json_.is_object()) return nullptr;
  const auto it = json_.find(name);
  return it == json_.end() ? nullptr : &*it;
}

void Fields::Read(const char* name, float* value) {
  const Json* j = Child(name);
  if (!j) return;
  if (!j->is_number()) return Wrong(name, "a number");
  *value = static_cast<float>(j->get<double>());
}

void Fields::Read(const char* name, int* value) {
  const Json* j = Child(name);
  if (!j) return;
  if (!j->is_number_integer()) return Wrong(name, "an integer");
  const double number = j->get<double>();
  if (number < std::numeric_limits<int>::min() ||
      number > std::numeric_limits<int>::max())
    return Wrong(name, "an integer of reasonable size");
  *value = static_cast<int>(number);
}

void Fields::Read(const char* name, uint64_t* value) {
  const Json* j = Child(name);
  if (!j) return;
  if (!j->is_number_unsigned()) return Wrong(name, "a non-negative integer");
  *value = j->get<uint64_t>();
}

void Fields::Read(const char* name, bool* value) {
  const Json* j = Child(name);
  if (!j) return;
  if (!j->is_boolean()) return Wrong(name, "true or false");
  *value = j->get<bool>();
}

void Fields::Read(const char* name, std::string* value) {
  const Json* j = Child(name);
  if (!j) return;
  if (!j->is_string()) return Wrong(name, "text");
  *value = *j->get_ptr<const std::string*>();
}

void Fields::Read(const char* name, std::array<float, 3>* value) {
  const Json* j = Child(name);
  if (!j) return;
  if (!j->is_array() || j->size() != 3 ||
      !std::all_of(j->begin(), j->end(),
                   [](const Json& n) { return n.is_number(); }))
    return Wrong(name, "a list of three numbers");
  for (size_t i = 0; i < 3; ++i)
    (*value)[i] = static_cast<float>((*j)[i].get<double>());
}

void Fields::IgnoreRemoved(const char* name) {
  removed_.emplace_back(name);
  if (json_.is_object() && json_.contains(name))
    Log(Severity::kInfo, PathOf(name) + " has no effect any more");
}

Status Fields::Finish(bool refuse_unknown) {
  if (status_.ok() && refuse_unknown) {
    for (const auto& item : json_.items()) {
      const auto is_in = [&](const std::vector<std::string>& names) {
        return std::find(names.begin(), names.end(), item.key()) != names.end();
      };
      if (!is_in(asked_) && !is_in(removed_)) {
        std::string known;
        for (const std::string& name : asked_)
          known += (known.empty() ? "" : ", ") + name;
        return Malformed(PathOf(item.key().c_str()) +
                         " is not known here; known are " + known);
      }
    }
  }
  return std::move(status_);
}

}  // namespace munja::bundle
