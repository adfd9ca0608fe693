#include "pruning_study/yolo_recipe.h"

#include <nlohmann/json.hpp>
#include <vector>

#include "bundle/fields.h"

namespace munja::train {
namespace {

using Json = nlohmann::json;

Result<YoloLayers> ReadNetwork(const Json& json) {
  bundle::Fields fields(json, "objects.network");
  float width = 1;
  fields.Read("width", &width);
  const Json* filters = fields.Child("filters");
  MUNJA_RETURN_IF_ERROR(fields.Finish(/*refuse_unknown=*/true));
  MUNJA_RETURN_IF_ERROR(CheckRange("objects.network", "width", width, 0.01, 4));
  YoloLayers network = YoloTiny(/*classes=*/1, width);
  if (filters == nullptr) return network;
  std::vector<int> numbers;
  bool is_list = filters->is_array();
  for (const Json& number : *filters) {
    is_list =
        is_list && number.is_number_integer() && number > 0 && number <= 4096;
    if (is_list) numbers.push_back(number);
  }
  if (!is_list)
    return Malformed("objects.network.filters is not a list of numbers");
  MUNJA_RETURN_IF_ERROR(
      network.SetFilters(numbers).With("objects.network.filters"));
  return network;
}

Status ReadTraining(const Json& json, YoloRecipe* recipe) {
  const std::string path = "objects.training";
  bundle::Fields fields(json, path);
  recipe->schedule.Read(fields);
  recipe->optimizer.Read(fields);
  recipe->pace.Read(fields);
  fields.Read("side", &recipe->side);
  fields.Read("pictures", &recipe->pictures);
  fields.Read("held_out", &recipe->held_out);
  fields.Read("mixed_precision", &recipe->mixed_precision);
  MUNJA_RETURN_IF_ERROR(recipe->distillation.Read(fields.Child("distillation"),
                                                  path + ".distillation"));
  MUNJA_RETURN_IF_ERROR(fields.Finish(/*refuse_unknown=*/true));
  MUNJA_RETURN_IF_ERROR(recipe->schedule.Validate(path));
  MUNJA_RETURN_IF_ERROR(recipe->optimizer.Validate(path));
  MUNJA_RETURN_IF_ERROR(recipe->pace.Validate(path));
  MUNJA_RETURN_IF_ERROR(CheckRange(path, "side", recipe->side, 32, 1280));
  if (recipe->side % 32 != 0)
    return Malformed(path + ".side is not a multiple of 32");
  MUNJA_RETURN_IF_ERROR(
      CheckRange(path, "pictures", recipe->pictures, 1, 1024));
  return CheckRange(path, "held_out", recipe->held_out, 1, 100'000);
}

Result<YoloRecipe> ParseYolo(const std::string& text) {
  MUNJA_ASSIGN_OR_RETURN(const Json json, bundle::ParseJson(text));
  if (!json.is_object() || !json.contains("objects"))
    return Malformed("there is no section 'objects'");
  YoloRecipe recipe;
  bundle::Fields fields(json["objects"], "objects");
  const Json* network = fields.Child("network");
  const Json* training = fields.Child("training");
  MUNJA_RETURN_IF_ERROR(fields.Finish(/*refuse_unknown=*/true));
  if (!training) return Malformed("there is no 'objects.training'");
  MUNJA_ASSIGN_OR_RETURN(recipe.network,
                         ReadNetwork(network ? *network : Json::object()));
  MUNJA_RETURN_IF_ERROR(ReadTraining(*training, &recipe));
  return recipe;
}

}  // namespace

Result<YoloRecipe> ParseYoloRecipe(const std::string& text,
                                   const std::string& path) {
  return ParseYolo(text).With(path);
}

Result<std::string> RecipeOfPruned(const std::string& text,
                                   const std::string& path,
                                   const YoloLayers& network, float factor) {
  MUNJA_ASSIGN_OR_RETURN(const YoloRecipe recipe, ParseYoloRecipe(text, path));
  MUNJA_ASSIGN_OR_RETURN(Json json, bundle::ParseJson(text));
  json["objects"]["network"]["filters"] = network.Filters();
  json["objects"]["training"]["learning_rate"] =
      recipe.schedule.learning_rate * factor;
  return json.dump(2) + "\n";
}

}  // namespace munja::train
