#include "bundle/config_json.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>

#include "base/json_end.h"
#include "bundle/fields.h"

namespace munja::bundle {
namespace {

using Json = nlohmann::json;
using Ordered = nlohmann::ordered_json;

Ordered ToJson(const std::array<float, 3>& values) {
  return Ordered{ShortDecimal(values[0]), ShortDecimal(values[1]),
                 ShortDecimal(values[2])};
}

Ordered ToJson(const ocr::Normalization& n) {
  Ordered json;
  json["order"] = n.order == ocr::ChannelOrder::kBgr ? "bgr" : "rgb";
  json["mean"] = ToJson(n.mean);
  json["deviation"] = ToJson(n.deviation);
  return json;
}

// Reads a member that is one of two words.
template <class Enum>
void ReadWord(Fields& fields, const char* name, const char* first, Enum a,
              const char* second, Enum b, Enum* value) {
  std::string word;
  fields.Read(name, &word);
  if (word.empty()) return;
  if (word == first) {
    *value = a;
  } else if (word == second) {
    *value = b;
  } else {
    fields.Fail(Malformed(fields.PathOf(name) + " is '" + word +
                          "', must be '" + first + "' or '" + second + "'"));
  }
}

void ReadNormalization(Fields& parent, ocr::Normalization* n) {
  const Json* json = parent.Child("normalization");
  if (!json) return;
  Fields fields(*json, parent.PathOf("normalization"));
  ReadWord(fields, "order", "bgr", ocr::ChannelOrder::kBgr, "rgb",
           ocr::ChannelOrder::kRgb, &n->order);
  fields.Read("mean", &n->mean);
  fields.Read("deviation", &n->deviation);
  parent.Fail(fields.Finish(true));
}

void ReadDetector(Fields& parent, ocr::DetectorConfig* d) {
  const Json* json = parent.Child("detector");
  if (!json) return;
  Fields fields(*json, parent.PathOf("detector"));
  ReadWord(fields, "limit_type", "max", ocr::LimitType::kMax, "min",
           ocr::LimitType::kMin, &d->limit_type);
  fields.Read("limit_side", &d->limit_side);
  fields.Read("dense_limit_side", &d->dense_limit_side);
  fields.Read("dense_height", &d->dense_height);
  fields.Read("max_side", &d->max_side);
  fields.Read("side_multiple", &d->side_multiple);
  ReadWord(fields, "fit", "pad", ocr::InputFit::kPad, "stretch",
           ocr::InputFit::kStretch, &d->fit);
  ReadNormalization(fields, &d->normalization);
  fields.Read("threshold", &d->threshold);
  fields.Read("box_threshold", &d->box_threshold);
  fields.Read("faint_threshold", &d->faint_threshold);
  fields.Read("unclip_ratio", &d->unclip_ratio);
  fields.Read("max_candidates", &d->max_candidates);
  fields.Read("min_side", &d->min_side);
  fields.Read("use_dilation", &d->use_dilation);
  fields.IgnoreRemoved("part_touching");
  fields.Read("cut_bent", &d->cut_bent);
  fields.Read("align_short", &d->align_short);
  fields.Read("fit_boxes", &d->fit_boxes);
  fields.Read("join_gap", &d->join_gap);
  parent.Fail(fields.Finish(true));
}

// Names with commas between them.
void ReadWithout(Fields& fields, ocr::Rules* rules) {
  std::string names;
  fields.Read("without", &names);
  std::string_view rest = names;
  while (!rest.empty()) {
    const std::string_view name = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(name.size() + 1, rest.size()));
    const std::optional<ocr::Rule> rule = ocr::RuleNamed(name);
    if (!rule) {
      fields.Fail(Malformed(fields.PathOf("without") + " names '" +
                            std::string(name) + "', which is no rule"));
      return;
    }
    rules->SwitchOff(*rule);
  }
}

std::string NamesOfThoseOff(const ocr::Rules& rules) {
  std::string names;
  for (const std::string_view name : ocr::kRuleNames) {
    if (rules.Has(*ocr::RuleNamed(name))) continue;
    if (!names.empty()) names += ',';
    names += name;
  }
  return names;
}

constexpr std::pair<const char*, ocr::UnknownScript> kUnknownWritings[] = {
    {"mark", ocr::UnknownScript::kMark},
    {"leave_out", ocr::UnknownScript::kLeaveOut},
    {"keep", ocr::UnknownScript::kKeep}};

const char* NameOf(ocr::UnknownScript value) {
  for (const auto& [name, writing] : kUnknownWritings)
    if (writing == value) return name;
  return "";
}

void ReadUnknownWriting(Fields& fields, ocr::UnknownScript* value) {
  std::string word;
  fields.Read("unknown_writing", &word);
  if (word.empty()) return;
  for (const auto& [name, writing] : kUnknownWritings) {
    if (word != name) continue;
    *value = writing;
    return;
  }
  fields.Fail(Malformed(fields.PathOf("unknown_writing") + " is '" + word +
                        "', must be 'mark', 'leave_out' or 'keep'"));
}

void ReadRecognizer(Fields& parent, ocr::RecognizerConfig* r) {
  const Json* json = parent.Child("recognizer");
  if (!json) return;
  Fields fields(*json, parent.PathOf("recognizer"));
  fields.Read("height", &r->height);
  fields.Read("language_weight", &r->language_weight);
  fields.Read("min_width", &r->min_width);
  fields.Read("max_width", &r->max_width);
  fields.Read("width_multiple", &r->width_multiple);
  ReadNormalization(fields, &r->normalization);
  fields.Read("tall_ratio", &r->tall_ratio);
  fields.Read("part_words", &r->part_words);
  fields.Read("second_look", &r->second_look);
  fields.Read("settle_signs", &r->settle_signs);
  fields.Read("use_space", &r->use_space);
  fields.Read("hangul_letters", &r->hangul_letters);
  fields.Read("words_weight", &r->words_weight);
  fields.Read("faint_confidence", &r->faint_confidence);
  ReadUnknownWriting(fields, &r->unknown_writing);
  fields.Read("unknown_likelihood", &r->unknown_likelihood);
  fields.Read("confidence_slope", &r->confidence_slope);
  fields.Read("confidence_offset", &r->confidence_offset);
  parent.Fail(fields.Finish(true));
}

void ReadClassifier(Fields& parent, ocr::ClassifierConfig* c) {
  const Json* json = parent.Child("classifier");
  if (!json) return;
  Fields fields(*json, parent.PathOf("classifier"));
  fields.Read("width", &c->width);
  fields.Read("height", &c->height);
  fields.Read("keep_aspect", &c->keep_aspect);
  ReadNormalization(fields, &c->normalization);
  fields.Read("threshold", &c->threshold);
  parent.Fail(fields.Finish(true));
}

}  // namespace

double ShortDecimal(float value) {
  for (int digits = 1; digits < 9; ++digits) {
    char text[32];
    std::snprintf(text, sizeof text, "%.*g", digits,
                  static_cast<double>(value));
    double back = 0;
    if (std::sscanf(text, "%lf", &back) == 1 &&
        static_cast<float>(back) == value)
      return back;
  }
  return static_cast<double>(value);
}

Ordered ConfigToJson(const ocr::Config& config) {
  const ocr::DetectorConfig& d = config.detector;
  const ocr::RecognizerConfig& r = config.recognizer;
  const ocr::ClassifierConfig& c = config.classifier;
  Ordered json;
  json["name"] = config.name;
  json["detector"] = {
      {"limit_type", d.limit_type == ocr::LimitType::kMax ? "max" : "min"},
      {"limit_side", d.limit_side},
      {"dense_limit_side", d.dense_limit_side},
      {"dense_height", ShortDecimal(d.dense_height)},
      {"max_side", d.max_side},
      {"side_multiple", d.side_multiple},
      {"fit", d.fit == ocr::InputFit::kPad ? "pad" : "stretch"},
      {"normalization", ToJson(d.normalization)},
      {"threshold", ShortDecimal(d.threshold)},
      {"box_threshold", ShortDecimal(d.box_threshold)},
      {"faint_threshold", ShortDecimal(d.faint_threshold)},
      {"unclip_ratio", ShortDecimal(d.unclip_ratio)},
      {"max_candidates", d.max_candidates},
      {"min_side", ShortDecimal(d.min_side)},
      {"use_dilation", d.use_dilation},
      {"cut_bent", d.cut_bent},
      {"align_short", d.align_short},
      {"fit_boxes", d.fit_boxes},
      {"join_gap", ShortDecimal(d.join_gap)}};
  json["recognizer"] = {
      {"height", r.height},
      {"min_width", r.min_width},
      {"max_width", r.max_width},
      {"width_multiple", r.width_multiple},
      {"normalization", ToJson(r.normalization)},
      {"tall_ratio", ShortDecimal(r.tall_ratio)},
      {"part_words", r.part_words},
      {"second_look", ShortDecimal(r.second_look)},
      {"settle_signs", r.settle_signs},
      {"language_weight", ShortDecimal(r.language_weight)},
      {"words_weight", ShortDecimal(r.words_weight)},
      {"faint_confidence", ShortDecimal(r.faint_confidence)},
      {"use_space", r.use_space},
      {"hangul_letters", r.hangul_letters},
      {"unknown_writing", NameOf(r.unknown_writing)},
      {"unknown_likelihood", ShortDecimal(r.unknown_likelihood)},
      {"confidence_slope", ShortDecimal(r.confidence_slope)},
      {"confidence_offset", ShortDecimal(r.confidence_offset)}};
  json["classifier"] = {{"width", c.width},
                        {"height", c.height},
                        {"keep_aspect", c.keep_aspect},
                        {"normalization", ToJson(c.normalization)},
                        {"threshold", ShortDecimal(c.threshold)}};
  json["min_confidence"] = ShortDecimal(config.min_confidence);
  json["turn_pages"] = config.turn_pages;
  if (!d.rules.HasAll()) json["without"] = NamesOfThoseOff(d.rules);
  return json;
}

Status ReadConfig(const Json& json, const std::string& path,
                  ocr::Config* config) {
  Fields fields(json, path);
  std::string base;
  fields.Read("base", &base);
  if (!base.empty()) {
    Result<ocr::Config> named = ocr::NamedConfig(base);
    if (!named.ok()) return std::move(named).TakeStatus();
    *config = *named;
  }
  fields.Read("name", &config->name);
  ReadDetector(fields, &config->detector);
  ReadRecognizer(fields, &config->recognizer);
  ReadClassifier(fields, &config->classifier);
  fields.Read("min_confidence", &config->min_confidence);
  fields.Read("turn_pages", &config->turn_pages);
  ReadWithout(fields, &config->detector.rules);
  config->recognizer.rules = config->detector.rules;
  MUNJA_RETURN_IF_ERROR(fields.Finish(true));
  return ocr::Validate(*config);
}

Status ApplyOverrides(std::string_view text, ocr::Config* config) {
  Result<Json> json = ParseJson(text);
  if (!json.ok()) return InvalidArgument("the overrides are not JSON");
  const TakenApartAtEnd end(*json);
  Status status = ReadConfig(*json, "", config);
  if (status.ok()) return status;
  // Here the caller, not a file, is at fault.
  return InvalidArgument(std::string(status.message()));
}

}  // namespace munja::bundle
