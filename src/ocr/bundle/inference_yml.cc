#include "bundle/inference_yml.h"

#include <cmath>
#include <cstdlib>

#include "bundle/yaml.h"

namespace munja::bundle {
namespace {

Result<double> Number(const YamlNode& node, const char* name) {
  char* end = nullptr;
  const double value = std::strtod(node.scalar.c_str(), &end);
  if (node.kind != YamlNode::Kind::kScalar || end == node.scalar.c_str() ||
      !std::isfinite(value))
    return Malformed(std::string(name) + " is not a number");
  // "1./255." is how these files write the scale of pixels.
  if (*end == '/') {
    const char* start = end + 1;
    const double divisor = std::strtod(start, &end);
    if (end == start || *end != 0 || divisor == 0)
      return Malformed(std::string(name) + " is not a number");
    return value / divisor;
  }
  if (*end != 0) return Malformed(std::string(name) + " is not a number");
  return value;
}

Status ReadFloat(const YamlNode& parent, const char* name, float* value) {
  const YamlNode* node = parent.Find(name);
  if (!node) return Status();
  MUNJA_ASSIGN_OR_RETURN(const double number, Number(*node, name));
  *value = static_cast<float>(number);
  return Status();
}

Status ReadInt(const YamlNode& parent, const char* name, int* value) {
  const YamlNode* node = parent.Find(name);
  if (!node) return Status();
  MUNJA_ASSIGN_OR_RETURN(const double number, Number(*node, name));
  if (number != std::floor(number) || std::abs(number) > 1e6)
    return Malformed(std::string(name) + " is not an integer");
  *value = static_cast<int>(number);
  return Status();
}

// Numbers of a list; absent or another length: an error.
Result<std::vector<double>> Numbers(const YamlNode& parent, const char* name,
                                    size_t count) {
  const YamlNode* node = parent.Find(name);
  if (!node || node->items.size() != count)
    return Malformed(std::string(name) + " is not a list of " +
                     std::to_string(count) + " numbers");
  std::vector<double> values;
  for (const YamlNode& item : node->items) {
    MUNJA_ASSIGN_OR_RETURN(const double value, Number(item, name));
    values.push_back(value);
  }
  return values;
}

// transform_ops is a list of mappings of one member each.
const YamlNode* FindStep(const YamlNode& root, std::string_view name) {
  const YamlNode* steps = root.Find("PreProcess", "transform_ops");
  if (!steps) return nullptr;
  for (const YamlNode& step : steps->items)
    if (const YamlNode* found = step.Find(name)) return found;
  return nullptr;
}

Status ReadNormalization(const YamlNode& root, ocr::Normalization* n) {
  if (const YamlNode* decode = FindStep(root, "DecodeImage")) {
    if (const YamlNode* mode = decode->Find("img_mode"))
      n->order = mode->scalar == "RGB" ? ocr::ChannelOrder::kRgb
                                       : ocr::ChannelOrder::kBgr;
  }
  const YamlNode* step = FindStep(root, "NormalizeImage");
  if (!step) return Status();
  if (const YamlNode* scale = step->Find("scale")) {
    MUNJA_ASSIGN_OR_RETURN(const double value, Number(*scale, "scale"));
    if (std::abs(value * 255.0 - 1.0) > 1e-6)
      return Unsupported("NormalizeImage.scale must be 1/255");
  }
  MUNJA_ASSIGN_OR_RETURN(const std::vector<double> mean,
                         Numbers(*step, "mean", 3));
  MUNJA_ASSIGN_OR_RETURN(const std::vector<double> deviation,
                         Numbers(*step, "std", 3));
  for (size_t i = 0; i < 3; ++i) {
    n->mean[i] = static_cast<float>(mean[i]);
    n->deviation[i] = static_cast<float>(deviation[i]);
  }
  return Status();
}

Status ReadDetector(const YamlNode& root, const YamlNode& post,
                    ocr::DetectorConfig* d) {
  MUNJA_RETURN_IF_ERROR(ReadNormalization(root, &d->normalization));
  if (const YamlNode* resize = FindStep(root, "DetResizeForTest")) {
    if (resize->Find("image_shape"))
      return Unsupported(
          "DetResizeForTest.image_shape: a detector of one size");
    if (resize->Find("resize_long")) {
      d->limit_type = ocr::LimitType::kMax;
      MUNJA_RETURN_IF_ERROR(ReadInt(*resize, "resize_long", &d->limit_side));
    }
    MUNJA_RETURN_IF_ERROR(ReadInt(*resize, "limit_side_len", &d->limit_side));
    MUNJA_RETURN_IF_ERROR(ReadInt(*resize, "max_side_limit", &d->max_side));
    if (const YamlNode* type = resize->Find("limit_type"))
      d->limit_type =
          type->scalar == "min" ? ocr::LimitType::kMin : ocr::LimitType::kMax;
  }
  MUNJA_RETURN_IF_ERROR(ReadFloat(post, "thresh", &d->threshold));
  MUNJA_RETURN_IF_ERROR(ReadFloat(post, "box_thresh", &d->box_threshold));
  MUNJA_RETURN_IF_ERROR(ReadFloat(post, "unclip_ratio", &d->unclip_ratio));
  return ReadInt(post, "max_candidates", &d->max_candidates);
}

Status ReadRecognizer(const YamlNode& root, const YamlNode& post,
                      ocr::RecognizerConfig* r,
                      std::vector<std::string>* dictionary) {
  MUNJA_RETURN_IF_ERROR(ReadNormalization(root, &r->normalization));
  if (const YamlNode* resize = FindStep(root, "RecResizeImg")) {
    MUNJA_ASSIGN_OR_RETURN(const std::vector<double> shape,
                           Numbers(*resize, "image_shape", 3));
    if (shape[0] != 3 || shape[1] != std::floor(shape[1]) || shape[1] < 1 ||
        shape[1] > 4096)
      return Unsupported("RecResizeImg.image_shape must be [3, height, width]");
    r->height = static_cast<int>(shape[1]);
  }
  if (const YamlNode* characters = post.Find("character_dict")) {
    dictionary->clear();
    for (const YamlNode& item : characters->items)
      dictionary->push_back(item.scalar);
  }
  return Status();
}

Status ReadClassifier(const YamlNode& root, ocr::ClassifierConfig* c) {
  MUNJA_RETURN_IF_ERROR(ReadNormalization(root, &c->normalization));
  const YamlNode* resize = FindStep(root, "ResizeImage");
  if (!resize) return Status();
  MUNJA_ASSIGN_OR_RETURN(const std::vector<double> size,
                         Numbers(*resize, "size", 2));
  for (double side : size) {
    if (side != std::floor(side) || side < 1 || side > 4096)
      return Malformed("ResizeImage.size is not a size in pixels");
  }
  c->width = static_cast<int>(size[0]);
  c->height = static_cast<int>(size[1]);
  c->keep_aspect = false;
  return Status();
}

}  // namespace

Status ReadInferenceYml(std::string_view text, ocr::Config* config,
                        std::vector<std::string>* dictionary) {
  MUNJA_ASSIGN_OR_RETURN(const YamlNode root, ParseYaml(text));
  const YamlNode* post = root.Find("PostProcess");
  if (!post) return Malformed("there is no PostProcess in it");
  const YamlNode* name = post->Find("name");
  if (name && name->scalar == "DBPostProcess") {
    MUNJA_RETURN_IF_ERROR(ReadDetector(root, *post, &config->detector));
  } else if (name && name->scalar == "CTCLabelDecode") {
    MUNJA_RETURN_IF_ERROR(
        ReadRecognizer(root, *post, &config->recognizer, dictionary));
  } else if (post->Find("Topk")) {
    MUNJA_RETURN_IF_ERROR(ReadClassifier(root, &config->classifier));
  } else {
    return Unsupported(
        "PostProcess is none of DBPostProcess, "
        "CTCLabelDecode, Topk");
  }
  return ocr::Validate(*config);
}

}  // namespace munja::bundle
