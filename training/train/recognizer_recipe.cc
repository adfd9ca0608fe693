#include "train/recognizer_recipe.h"

#include "bundle/fields.h"

namespace munja::train {
namespace {

Status ReadTraining(const nlohmann::json& json, RecognizerRecipe* recipe) {
  const std::string path = "recognizer.training";
  bundle::Fields fields(json, path);
  recipe->schedule.Read(fields);
  recipe->optimizer.Read(fields);
  recipe->pace.Read(fields);
  LineFeedSettings& feed = recipe->feed;
  fields.Read("max_width", &feed.max_width);
  fields.Read("batch_columns", &feed.batch_columns);
  fields.Read("max_batch", &feed.max_batch);
  fields.Read("reuse", &feed.reuse);
  fields.Read("chunk_lines", &feed.chunk_lines);
  fields.Read("held_out", &recipe->held_out);
  fields.Read("mixed_precision", &recipe->mixed_precision);
  MUNJA_RETURN_IF_ERROR(recipe->distillation.Read(fields.Child("distillation"),
                                                  path + ".distillation"));
  if (const nlohmann::json* changes = fields.Child("changes")) {
    bundle::Fields members(*changes, path + ".changes");
    feed.changes.Read(members);
    MUNJA_RETURN_IF_ERROR(members.Finish(/*refuse_unknown=*/true));
    MUNJA_RETURN_IF_ERROR(feed.changes.Validate(path + ".changes"));
  }
  MUNJA_RETURN_IF_ERROR(fields.Finish(/*refuse_unknown=*/true));
  MUNJA_RETURN_IF_ERROR(recipe->schedule.Validate(path));
  MUNJA_RETURN_IF_ERROR(recipe->optimizer.Validate(path));
  MUNJA_RETURN_IF_ERROR(recipe->pace.Validate(path));
  MUNJA_RETURN_IF_ERROR(
      CheckRange(path, "max_width", feed.max_width, 16, 4096));
  MUNJA_RETURN_IF_ERROR(CheckRange(path, "batch_columns", feed.batch_columns,
                                   feed.max_width, 1 << 22));
  MUNJA_RETURN_IF_ERROR(
      CheckRange(path, "max_batch", feed.max_batch, 1, 1 << 16));
  MUNJA_RETURN_IF_ERROR(CheckRange(path, "reuse", feed.reuse, 1, 16));
  MUNJA_RETURN_IF_ERROR(
      CheckRange(path, "chunk_lines", feed.chunk_lines, 16, 1 << 16));
  return CheckRange(path, "held_out", recipe->held_out, 0, 100'000);
}

Result<RecognizerRecipe> ParseRecognizer(const std::string& text) {
  MUNJA_ASSIGN_OR_RETURN(const nlohmann::json json, bundle::ParseJson(text));
  if (!json.is_object() || !json.contains("recognizer"))
    return Malformed("there is no section 'recognizer'");
  RecognizerRecipe recipe;
  bundle::Fields fields(json["recognizer"], "recognizer");
  if (const nlohmann::json* network = fields.Child("network")) {
    MUNJA_ASSIGN_OR_RETURN(recipe.network,
                           RecognizerConfig::FromRecipe(*network));
  }
  recipe.feed.height = recipe.network.height;
  const nlohmann::json* training = fields.Child("training");
  MUNJA_RETURN_IF_ERROR(fields.Finish(/*refuse_unknown=*/true));
  if (!training) return Malformed("there is no 'recognizer.training'");
  MUNJA_RETURN_IF_ERROR(ReadTraining(*training, &recipe));
  return recipe;
}

}  // namespace

Result<RecognizerRecipe> ParseRecognizerRecipe(const std::string& text,
                                               const std::string& path) {
  return ParseRecognizer(text).With(path);
}

}  // namespace munja::train
