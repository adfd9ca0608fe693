// Recipes: one JSON file that says what to generate and how to train.
#ifndef MUNJA_SYNTH_RECIPE_H_
#define MUNJA_SYNTH_RECIPE_H_

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/status.h"

namespace munja::train {

using Json = nlohmann::json;

// The recipe's object, with none but the known sections. kNotFound, kIo,
// kMalformed; messages name the file, and the line of a syntax error.
Result<Json> ReadRecipe(const std::string& path);

// The path of a file that a recipe names: relative ones are beside the recipe.
std::string BesideRecipe(const std::string& recipe_path,
                         const std::string& name);

// Checked access to one object of a recipe. Every failure is kMalformed and
// names the key with its section ("line.blur"). A key that is absent leaves the
// value as it is.
class Section {
 public:
  // `object` must outlive the section; an absent one (null pointer) is empty.
  // Keys that are not in `known` are refused.
  static Result<Section> Of(const Json* object, std::string name,
                            std::initializer_list<std::string_view> known);

  bool Has(const char* key) const { return Find(key) != nullptr; }
  const Json* Find(const char* key) const;
  Status Read(const char* key, float low, float high, float& value) const;
  Status Read(const char* key, int low, int high, int& value) const;
  Status Read(const char* key, bool& value) const;
  Status Read(const char* key, std::string& value) const;
  Status Read(const char* key, std::vector<std::string>& value) const;
  // [a, b] with low <= a <= b <= high.
  Status ReadRange(const char* key, float low, float high, float& from,
                   float& to) const;

  const std::string& name() const { return name_; }
  Status Wrong(std::string_view key, std::string_view wanted) const;

 private:
  Section(const Json* object, std::string name)
      : object_(object), name_(std::move(name)) {}
  const Json* object_;
  std::string name_;
};

// The member `key` of a recipe, null when absent.
const Json* FindSection(const Json& recipe, const char* key);

}  // namespace munja::train

#endif  // MUNJA_SYNTH_RECIPE_H_
