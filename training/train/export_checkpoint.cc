#include "train/export_checkpoint.h"

#include <torch/torch.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <utility>
#include <vector>

#include "base/file.h"
#include "bundle/config_json.h"
#include "bundle/write.h"
#include "graph/passes/half_storage.h"
#include "text/hangul_letters.h"
#include "tflite/read.h"
#include "tflite/write.h"
#include "train/character_classes.h"
#include "train/checkpoint.h"
#include "train/detector_recipe.h"
#include "train/model_dictionary.h"
#include "train/nets/export.h"
#include "train/recognizer_recipe.h"
#include "train/trained_module.h"
#include "train/trained_networks.h"

namespace munja::train {
namespace {

struct Model {
  std::shared_ptr<graph::Graph> graph;
  std::vector<std::string> alphabet;  // Alphabet of a checkpoint's recognizer.
};

Result<std::shared_ptr<graph::Graph>> FromRecognizer(
    const Checkpoint& checkpoint) {
  MUNJA_ASSIGN_OR_RETURN(
      const RecognizerRecipe recipe,
      ParseRecognizerRecipe(checkpoint.recipe, checkpoint.recipe_path));
  MUNJA_ASSIGN_OR_RETURN(
      const CharacterClasses classes,
      CharacterClasses::Create(checkpoint.alphabet,
                               recipe.network.hangul_letters));
  RecognizerNet net(recipe.network, classes.columns());
  MUNJA_RETURN_IF_ERROR(LoadWeights(*net, checkpoint, kAveragedWeights));
  net->eval();
  MUNJA_ASSIGN_OR_RETURN(graph::Graph exported, ExportRecognizer(net));
  auto graph = std::make_shared<graph::Graph>(std::move(exported));
  const torch::Tensor picture =
      torch::rand({1, 3, recipe.network.height, 160}) * 2.0 - 1.0;
  MUNJA_RETURN_IF_ERROR(ExpectSameOutput(
      graph, picture, net->Probabilities(net->forward(picture))));
  return graph;
}

Result<std::shared_ptr<graph::Graph>> FromDetector(
    const Checkpoint& checkpoint) {
  MUNJA_ASSIGN_OR_RETURN(TrainedDetector trained, DetectorOf(checkpoint));
  DetectorNet& net = trained.net;
  MUNJA_ASSIGN_OR_RETURN(graph::Graph exported, ExportDetector(net));
  auto graph = std::make_shared<graph::Graph>(std::move(exported));
  const torch::Tensor picture = torch::rand({1, 3, 160, 96}) * 2.0 - 1.0;
  MUNJA_RETURN_IF_ERROR(ExpectSameOutput(
      graph, picture, torch::sigmoid(net->forward(picture).probability)));
  return graph;
}

Result<Model> FromCheckpoint(const std::string& path, const std::string& kind,
                             std::span<const CheckpointKind> more_kinds = {}) {
  MUNJA_ASSIGN_OR_RETURN(const Checkpoint checkpoint, ReadCheckpoint(path));
  if (!kind.empty() && checkpoint.kind != kind)
    return InvalidArgument(path + " is the checkpoint of a " + checkpoint.kind +
                           ", not of a " + kind);
  torch::NoGradGuard no_gradients;
  Model model;
  model.alphabet = checkpoint.alphabet;
  auto* to_graph = checkpoint.kind == "recognizer" ? FromRecognizer
                   : checkpoint.kind == "detector" ? FromDetector
                                                   : nullptr;
  for (const CheckpointKind& more : more_kinds)
    if (more.name == checkpoint.kind) to_graph = more.to_graph;
  if (to_graph == nullptr)
    return Malformed(path + ": a checkpoint of kind '" + checkpoint.kind + "'");
  MUNJA_ASSIGN_OR_RETURN(model.graph, to_graph(checkpoint).With(path));
  return model;
}

// A checkpoint, or a .tflite file. `kind`: empty for either network.
Result<Model> ReadModel(const std::string& path, const std::string& kind) {
  if (!path.ends_with(".tflite")) return FromCheckpoint(path, kind);
  Model model;
  MUNJA_ASSIGN_OR_RETURN(model.graph, tflite::ReadFile(path));
  return model;
}

Result<std::vector<uint8_t>> Bytes(graph::Graph& graph,
                                   const ExportOptions& options) {
  if (options.half) graph::StoreAsHalf(&graph);
  return tflite::Write(graph);
}

Result<std::vector<uint8_t>> DictionaryBytes(const BundleSources& sources,
                                             const Model& recognizer) {
  if (!sources.dictionary.empty())
    return ReadFile(sources.dictionary, kMaxDictionaryBytes);
  if (!recognizer.alphabet.empty()) return DictionaryText(recognizer.alphabet);
  return DictionaryOfModel(*recognizer.graph, sources.recognizer);
}

Result<int> LineHeight(const graph::Graph& recognizer) {
  const auto entry = recognizer.metadata.find(kLineHeightEntry);
  int height = 0;
  if (entry != recognizer.metadata.end()) {
    const char* text = reinterpret_cast<const char*>(entry->second.data());
    std::from_chars(text, text + entry->second.size(), height);
  }
  if (height < 1)
    return InvalidArgument("this is no recognizer that munja-train exported");
  return height;
}

// How the training kit feeds its networks. The thresholds are those that found
// most text in synthetic pages with the detector of the default recipe; on
// dense ones a high-resolution pass found a tenth more lines.
ocr::Config TrainedContract(int height, bool hangul_letters) {
  ocr::Normalization plain;
  plain.order = ocr::ChannelOrder::kRgb;
  plain.mean = plain.deviation = {0.5f, 0.5f, 0.5f};
  ocr::Config contract;
  contract.name = "munja";
  contract.detector.normalization = plain;
  contract.detector.threshold = 0.25f;
  contract.detector.box_threshold = 0.4f;
  // A box stands out over its letters by about two fifths on each side: these
  // are 10 pixels high and stay apart from those of the next line.
  contract.detector.dense_height = 18;
  contract.recognizer.normalization = plain;
  contract.recognizer.height = height;
  contract.recognizer.width_multiple = kColumnsPerStep;
  contract.recognizer.hangul_letters = hangul_letters;
  return contract;
}

}  // namespace

Status ExportCheckpoint(const std::string& checkpoint,
                        const std::string& out_path,
                        const ExportOptions& options,
                        std::span<const CheckpointKind> more_kinds) {
  MUNJA_ASSIGN_OR_RETURN(const Model model,
                         FromCheckpoint(checkpoint, "", more_kinds));
  if (!model.alphabet.empty()) {
    model.graph->associated_files[bundle::kDictionaryFile] =
        DictionaryText(model.alphabet);
  }
  MUNJA_ASSIGN_OR_RETURN(const auto bytes, Bytes(*model.graph, options));
  return WriteFile(out_path, bytes);
}

Status ExportBundle(const BundleSources& sources, const std::string& folder,
                    const ExportOptions& options) {
  MUNJA_RETURN_IF_ERROR(bundle::BundleName(folder, sources.name).TakeStatus());
  MUNJA_ASSIGN_OR_RETURN(const Model detector,
                         ReadModel(sources.detector, "detector"));
  MUNJA_ASSIGN_OR_RETURN(const Model recognizer,
                         ReadModel(sources.recognizer, "recognizer"));
  MUNJA_ASSIGN_OR_RETURN(
      const int height, LineHeight(*recognizer.graph).With(sources.recognizer));
  bundle::BundleParts parts;
  parts.name = sources.name;
  parts.description = sources.description;
  parts.config = TrainedContract(
      height, recognizer.graph->metadata.contains(text::kHangulLettersEntry));
  if (!sources.contract.empty())
    MUNJA_RETURN_IF_ERROR(
        bundle::ApplyOverrides(sources.contract, &parts.config));
  MUNJA_ASSIGN_OR_RETURN(parts.dictionary,
                         DictionaryBytes(sources, recognizer));
  for (const std::string& text : sources.languages) {
    bundle::LanguageSource source = bundle::LanguageSource::Parse(text);
    MUNJA_ASSIGN_OR_RETURN(std::vector<uint8_t> bytes, ReadFile(source.path));
    parts.languages.push_back({source.path.substr(source.path.rfind('/') + 1),
                               std::move(bytes), std::move(source.codes)});
  }
  // In a bundle the dictionary is a file of its own.
  recognizer.graph->associated_files.erase(bundle::kDictionaryFile);
  MUNJA_ASSIGN_OR_RETURN(parts.detector, Bytes(*detector.graph, options));
  MUNJA_ASSIGN_OR_RETURN(parts.recognizer, Bytes(*recognizer.graph, options));
  return bundle::WriteBundle(folder, parts);
}

}  // namespace munja::train
