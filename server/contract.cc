#include "server/contract.h"

#include <charconv>
#include <cmath>
#include <regex>

namespace munja::server {
namespace {

// "/v1/jobs/{id}" fits "/v1/jobs/7", and *id is "7".
bool Fits(std::string_view pattern, std::string_view path, std::string* id) {
  const size_t open = pattern.find("{id}");
  if (open == pattern.npos) return pattern == path;
  const std::string_view front = pattern.substr(0, open);
  const std::string_view back = pattern.substr(open + 4);
  if (path.size() <= front.size() + back.size() || !path.starts_with(front) ||
      !path.ends_with(back))
    return false;
  *id = path.substr(front.size(), path.size() - front.size() - back.size());
  return id->find('/') == id->npos;
}

const char* TypeOf(const Json& value) {
  if (value.is_object()) return "object";
  if (value.is_array()) return "array";
  if (value.is_string()) return "string";
  if (value.is_boolean()) return "boolean";
  if (value.is_number_integer()) return "integer";
  if (value.is_number()) return "number";
  return "null";
}

bool HasType(const Json& type, const Json& value) {
  if (type.is_array()) {
    for (const Json& one : type)
      if (HasType(one, value)) return true;
    return false;
  }
  const std::string is = TypeOf(value);
  if (type == "number") return value.is_number();
  if (type == "integer" && value.is_number_float())
    return std::trunc(value.get<double>()) == value.get<double>();
  return type == is;
}

// Characters, not bytes.
size_t LengthOf(const std::string& text) {
  size_t length = 0;
  for (const char c : text) length += (c & 0xc0) != 0x80 ? 1 : 0;
  return length;
}

// A parameter's text as a value of its type; what is none stays text, which
// the check of the type then refuses.
Json ValueOf(const Json& schema, const std::string& text) {
  const std::string type = schema.contains("type") && schema["type"].is_string()
                               ? schema["type"].get<std::string>()
                               : "string";
  if (type == "boolean" && (text == "true" || text == "false"))
    return text == "true";
  const char* const end = text.data() + text.size();
  if (type == "integer") {
    int64_t number = 0;
    if (const auto [at, error] = std::from_chars(text.data(), end, number);
        error == std::errc() && at == end)
      return number;
  }
  if (type == "number") {
    double number = 0;
    if (const auto [at, error] = std::from_chars(text.data(), end, number);
        error == std::errc() && at == end && std::isfinite(number))
      return number;
  }
  return text;
}

}  // namespace

Contract::Contract(std::string_view text) : description_(Json::parse(text)) {
  for (const auto& [path, item] : description_["paths"].items()) {
    Path entry = {path, {}};
    for (const auto& [method, described] : item.items()) {
      if (method == "parameters" || method == "summary") continue;
      Operation operation = {described["operationId"], path, {}, {}, true};
      if (described.contains("security"))
        operation.needs_key = !described["security"].empty();
      for (const Json& given : described.value("parameters", Json::array())) {
        const Json& parameter = Resolved(given);
        if (parameter["in"] == "query")
          operation.query[parameter["name"]] = Resolved(parameter["schema"]);
      }
      if (described.contains("requestBody"))
        for (const auto& [type, content] :
             Resolved(described["requestBody"])["content"].items())
          operation.bodies[type] = content.value("schema", Json::object());
      std::string upper = method;
      for (char& c : upper) c = static_cast<char>(c - 'a' + 'A');
      entry.methods[upper] = std::move(operation);
    }
    paths_.push_back(std::move(entry));
  }
}

const Json& Contract::Resolved(const Json& schema) const {
  const Json* resolved = &schema;
  while (resolved->is_object() && resolved->contains("$ref"))
    resolved = &description_.at(
        Json::json_pointer((*resolved)["$ref"].get<std::string>().substr(1)));
  return *resolved;
}

Found Contract::Find(const std::string& method, const std::string& path) const {
  Found found;
  for (const Path& entry : paths_) {
    if (!Fits(entry.text, path, &found.id)) continue;
    const auto operation =
        entry.methods.find(method == "HEAD" ? "GET" : method);
    if (operation != entry.methods.end()) {
      found.operation = &operation->second;
      return found;
    }
    for (const auto& [name, other] : entry.methods)
      found.allowed += (found.allowed.empty() ? "" : ", ") + name +
                       (name == "GET" ? ", HEAD" : "");
    return found;
  }
  return found;
}

std::string Contract::ReadQuery(
    const Operation& operation,
    const std::multimap<std::string, std::string>& query, Json* options) const {
  *options = Json::object();
  for (const auto& [name, text] : query) {
    const auto parameter = operation.query.find(name);
    if (parameter == operation.query.end()) {
      std::string known;
      for (const auto& [other, schema] : operation.query)
        known += (known.empty() ? "" : ", ") + other;
      return "there is no parameter '" + name + "'" +
             (known.empty() ? "; this path has none" : "; there are " + known);
    }
    if (options->contains(name))
      return "the parameter '" + name + "' is given twice";
    if (!IsUtf8(text)) return "the parameter '" + name + "' is not UTF-8";
    const Json value = ValueOf(parameter->second, text);
    if (std::string problem = Problem(parameter->second, value, name);
        !problem.empty())
      return problem;
    (*options)[name] = value;
  }
  return "";
}

std::string Contract::MediaTypeOf(const Operation& operation,
                                  std::string_view content_type) {
  std::string type = Lower(content_type.substr(0, content_type.find(';')));
  while (!type.empty() && (type.back() == ' ' || type.back() == '\t'))
    type.pop_back();
  for (const auto& [known, schema] : operation.bodies) {
    if (known == type) return type;
    if (known.ends_with("/*") && type.size() + 1 > known.size() &&
        type.starts_with(known.substr(0, known.size() - 1)))
      return type;
  }
  return "";
}

std::string Contract::Problem(const Json& given, const Json& value,
                              const std::string& where) const {
  const Json& schema = Resolved(given);
  if (!schema.is_object()) return "";
  if (schema.contains("type") && !HasType(schema["type"], value))
    return where + " must be of type " +
           (schema["type"].is_string() ? schema["type"].get<std::string>()
                                       : Dump(schema["type"]));
  if (schema.contains("enum")) {
    bool is_one = false;
    std::string known;
    for (const Json& one : schema["enum"]) {
      is_one |= one == value;
      known += (known.empty() ? "" : ", ") +
               (one.is_string() ? one.get<std::string>() : Dump(one));
    }
    if (!is_one) return where + " must be one of " + known;
  }
  if (value.is_number()) {
    const auto number = value.get<double>();
    if (schema.contains("minimum") && number < schema["minimum"])
      return where + " must be at least " + Dump(schema["minimum"]);
    if (schema.contains("maximum") && number > schema["maximum"])
      return where + " must be at most " + Dump(schema["maximum"]);
  }
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (schema.contains("minLength") && LengthOf(text) < schema["minLength"])
      return where + " must not be empty";
    if (schema.contains("maxLength") && LengthOf(text) > schema["maxLength"])
      return where + " is longer than " + Dump(schema["maxLength"]) +
             " characters";
    // The regular expressions of the standard library recurse: texts are short.
    if (schema.contains("pattern") &&
        !std::regex_search(text,
                           std::regex(schema["pattern"].get<std::string>())))
      return where + " does not have the form " +
             schema["pattern"].get<std::string>();
  }
  if (value.is_object()) {
    for (const Json& name : schema.value("required", Json::array()))
      if (!value.contains(name))
        return where + " lacks '" + name.get<std::string>() + "'";
    if (!schema.contains("properties")) return "";
    for (const auto& [name, member] : schema["properties"].items())
      if (value.contains(name))
        if (std::string problem = Problem(member, value[name], name);
            !problem.empty())
          return problem;
  }
  return "";
}

}  // namespace munja::server
