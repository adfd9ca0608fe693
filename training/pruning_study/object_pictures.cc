#include "pruning_study/object_pictures.h"

#include <memory>
#include <utility>

#include "pruning_study/parcels.h"
#include "pruning_study/yolo_trainer.h"
#include "runtime/session.h"
#include "tflite/read.h"
#include "train/pixels.h"

namespace munja::train {
namespace {

constexpr float kLeastScore = 0.005f;
constexpr float kMostOverlap = 0.5f;

Result<int> SideOf(const runtime::Session& session) {
  const auto inputs = session.inputs();
  if (inputs.size() == 1 && inputs[0].shape.rank() == 4 &&
      inputs[0].shape[1] > 0 && inputs[0].shape[1] == inputs[0].shape[2] &&
      inputs[0].shape[3] == 3)
    return int{inputs[0].shape[1]};
  return Unsupported("the model does not take square pictures of one size");
}

Result<std::array<ObjectMap, kYoloLevels>> MapsOf(
    std::span<const TensorView> outputs) {
  std::array<ObjectMap, kYoloLevels> maps;
  if (outputs.size() != maps.size())
    return Unsupported("the model does not give three maps");
  for (size_t l = 0; l < maps.size(); ++l) {
    const Shape& shape = outputs[l].shape;
    if (shape.rank() != 4 || shape[3] != kYoloAnchors * (kYoloBoxFields + 1))
      return Unsupported("the model's output is " + shape.ToString() +
                         ", no map of one kind of object");
    maps[l] = {{outputs[l].as<float>(), static_cast<size_t>(shape.elements())},
               shape[1],
               shape[2]};
  }
  return maps;
}

}  // namespace

std::vector<DetectedObject> FindObjects(
    const std::array<ObjectMap, kYoloLevels>& maps, int classes, int side) {
  std::vector<DetectedObject> objects;
  for (int level = 0; level < kYoloLevels; ++level) {
    const ObjectMap& map = maps[static_cast<size_t>(level)];
    DecodeLevel(level, map.values, map.height, map.width, classes, side,
                kLeastScore, &objects);
  }
  return SuppressOverlaps(std::move(objects), kMostOverlap);
}

Result<double> EvaluateObjectModel(const std::string& model, int count) {
  MUNJA_ASSIGN_OR_RETURN(auto graph, tflite::ReadFile(model));
  MUNJA_ASSIGN_OR_RETURN(const auto session,
                         runtime::CreateSession(std::move(graph), {}));
  MUNJA_ASSIGN_OR_RETURN(const int side, SideOf(*session));
  std::vector<ObjectResult> results;
  for (int i = 0; i < count; ++i) {
    MUNJA_ASSIGN_OR_RETURN(
        ParcelSample sample,
        MakeParcels(side, kHeldOutParcels, static_cast<uint64_t>(i)));
    std::vector<float> pixels;
    AppendPixels(sample.picture, &pixels);
    TensorView view;
    view.shape = {1, side, side, 3};
    view.data = pixels.data();
    view.bytes = pixels.size() * sizeof(float);
    MUNJA_ASSIGN_OR_RETURN(const auto outputs, session->Run({&view, 1}));
    MUNJA_ASSIGN_OR_RETURN(const auto maps, MapsOf(outputs));
    results.push_back(
        {FindObjects(maps, /*classes=*/1, side), std::move(sample.boxes)});
  }
  return AveragePrecision(results, kRightOverlap);
}

}  // namespace munja::train
