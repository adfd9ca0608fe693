#include "synth/recipe.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/file.h"

namespace munja::train {
namespace {

constexpr size_t kMostRecipeBytes = size_t{1} << 20;
constexpr std::string_view kSections[] = {
    "name", "description", "alphabet",   "foreign",  "fonts",   "text",
    "line", "page",        "recognizer", "detector", "language"};

std::string NumberText(double v) {
  std::string text = std::to_string(v);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace

Result<Json> ReadRecipe(const std::string& path) {
  MUNJA_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes,
                         ReadFile(path, kMostRecipeBytes));
  Json recipe = Json::parse(bytes.begin(), bytes.end(), nullptr, false, true);
  if (recipe.is_discarded())
    return Malformed(path +
                     ": not a JSON document (cut off, or a comma too many?)");
  if (!recipe.is_object())
    return Malformed(path + ": a recipe is one JSON object");
  for (const auto& [key, value] : recipe.items()) {
    if (std::find(std::begin(kSections), std::end(kSections), key) ==
        std::end(kSections))
      return Malformed(path + ": unknown section '" + key + "'");
  }
  return recipe;
}

std::string BesideRecipe(const std::string& recipe_path,
                         const std::string& name) {
  const size_t slash = recipe_path.rfind('/');
  if (name.starts_with("/") || slash == std::string::npos) return name;
  return recipe_path.substr(0, slash + 1) + name;
}

const Json* FindSection(const Json& recipe, const char* key) {
  const auto it = recipe.find(key);
  return it == recipe.end() ? nullptr : &*it;
}

Result<Section> Section::Of(const Json* object, std::string name,
                            std::initializer_list<std::string_view> known) {
  Section section(object, std::move(name));
  if (object == nullptr) return section;
  if (!object->is_object())
    return Malformed("'" + section.name_ + "' is not an object");
  for (const auto& [key, value] : object->items()) {
    if (std::find(known.begin(), known.end(), key) == known.end())
      return Malformed("unknown key '" + section.name_ + "." + key + "'");
  }
  return section;
}

const Json* Section::Find(const char* key) const {
  return object_ == nullptr ? nullptr : FindSection(*object_, key);
}

Status Section::Wrong(std::string_view key, std::string_view wanted) const {
  return Malformed("'" + name_ + "." + std::string(key) + "': wants " +
                   std::string(wanted));
}

Status Section::Read(const char* key, float low, float high,
                     float& value) const {
  const Json* found = Find(key);
  if (found == nullptr) return Status();
  const double v = found->is_number() ? found->get<double>() : NAN;
  if (!(v >= low && v <= high))
    return Wrong(
        key, "a number from " + NumberText(low) + " to " + NumberText(high));
  value = static_cast<float>(v);
  return Status();
}

Status Section::Read(const char* key, int low, int high, int& value) const {
  const Json* found = Find(key);
  if (found == nullptr) return Status();
  const double v = found->is_number_integer() ? found->get<double>() : NAN;
  if (!(v >= low && v <= high))
    return Wrong(key, "an integer from " + std::to_string(low) + " to " +
                          std::to_string(high));
  value = static_cast<int>(v);
  return Status();
}

Status Section::Read(const char* key, bool& value) const {
  const Json* found = Find(key);
  if (found == nullptr) return Status();
  if (!found->is_boolean()) return Wrong(key, "true or false");
  value = found->get<bool>();
  return Status();
}

Status Section::Read(const char* key, std::string& value) const {
  const Json* found = Find(key);
  if (found == nullptr) return Status();
  if (!found->is_string()) return Wrong(key, "a text");
  value = found->get<std::string>();
  return Status();
}

Status Section::Read(const char* key, std::vector<std::string>& value) const {
  const Json* found = Find(key);
  if (found == nullptr) return Status();
  if (!found->is_array()) return Wrong(key, "a list of texts");
  std::vector<std::string> texts;
  for (const Json& item : *found) {
    if (!item.is_string()) return Wrong(key, "a list of texts");
    texts.push_back(item.get<std::string>());
  }
  value = std::move(texts);
  return Status();
}

Status Section::ReadRange(const char* key, float low, float high, float& from,
                          float& to) const {
  const Json* found = Find(key);
  if (found == nullptr) return Status();
  const bool pair = found->is_array() && found->size() == 2 &&
                    (*found)[0].is_number() && (*found)[1].is_number();
  const double a = pair ? (*found)[0].get<double>() : NAN;
  const double b = pair ? (*found)[1].get<double>() : NAN;
  if (!(a >= low && a <= b && b <= high))
    return Wrong(key, "two numbers in order, from " + NumberText(low) + " to " +
                          NumberText(high));
  from = static_cast<float>(a);
  to = static_cast<float>(b);
  return Status();
}

}  // namespace munja::train
