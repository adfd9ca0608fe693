#include "train/detector_recipe.h"

#include "bundle/fields.h"

namespace munja::train {
namespace {

Status ReadTraining(const nlohmann::json& json, DetectorRecipe* recipe) {
  const std::string path = "detector.training";
  bundle::Fields fields(json, path);
  recipe->schedule.Read(fields);
  recipe->optimizer.Read(fields);
  recipe->pace.Read(fields);
  PageFeedSettings& feed = recipe->feed;
  fields.Read("pages", &feed.pages);
  fields.Read("crops_per_page", &feed.crops_per_page);
  fields.Read("held_out", &recipe->held_out);
  fields.Read("mixed_precision", &recipe->mixed_precision);
  MUNJA_RETURN_IF_ERROR(recipe->distillation.Read(fields.Child("distillation"),
                                                  path + ".distillation"));
  if (const nlohmann::json* crop = fields.Child("crop")) {
    bundle::Fields members(*crop, path + ".crop");
    feed.crop.Read(members);
    MUNJA_RETURN_IF_ERROR(members.Finish(/*refuse_unknown=*/true));
    MUNJA_RETURN_IF_ERROR(feed.crop.Validate(path + ".crop"));
  }
  MUNJA_RETURN_IF_ERROR(fields.Finish(/*refuse_unknown=*/true));
  MUNJA_RETURN_IF_ERROR(recipe->schedule.Validate(path));
  MUNJA_RETURN_IF_ERROR(recipe->optimizer.Validate(path));
  MUNJA_RETURN_IF_ERROR(recipe->pace.Validate(path));
  MUNJA_RETURN_IF_ERROR(CheckRange(path, "pages", feed.pages, 1, 1024));
  MUNJA_RETURN_IF_ERROR(
      CheckRange(path, "crops_per_page", feed.crops_per_page, 1, 64));
  return CheckRange(path, "held_out", recipe->held_out, 0, 100'000);
}

Result<DetectorRecipe> ParseDetector(const std::string& text) {
  MUNJA_ASSIGN_OR_RETURN(const nlohmann::json json, bundle::ParseJson(text));
  if (!json.is_object() || !json.contains("detector"))
    return Malformed("there is no section 'detector'");
  DetectorRecipe recipe;
  bundle::Fields fields(json["detector"], "detector");
  if (const nlohmann::json* network = fields.Child("network")) {
    MUNJA_ASSIGN_OR_RETURN(recipe.network,
                           DetectorConfig::FromRecipe(*network));
  }
  const nlohmann::json* training = fields.Child("training");
  MUNJA_RETURN_IF_ERROR(fields.Finish(/*refuse_unknown=*/true));
  if (!training) return Malformed("there is no 'detector.training'");
  MUNJA_RETURN_IF_ERROR(ReadTraining(*training, &recipe));
  return recipe;
}

}  // namespace

Result<DetectorRecipe> ParseDetectorRecipe(const std::string& text,
                                           const std::string& path) {
  return ParseDetector(text).With(path);
}

}  // namespace munja::train
