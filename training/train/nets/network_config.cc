#include "train/nets/network_config.h"

#include <string>
#include <vector>

#include "bundle/fields.h"

namespace munja::train {
namespace {

using Json = nlohmann::json;
using bundle::Fields;

// Limits that keep a misspelled recipe from asking for all of the memory.
constexpr int kMaxChannels = 1024;
constexpr int kMaxBlocks = 16;
constexpr int kMaxKernel = 63;

void Wrong(Fields& fields, const char* name, const std::string& expected) {
  fields.Fail(Malformed(fields.PathOf(name) + " is not " + expected));
}

void Range(Fields& fields, const char* name, int low, int high, int* value) {
  fields.Read(name, value);
  if (*value < low || *value > high)
    Wrong(fields, name,
          "in " + std::to_string(low) + " .. " + std::to_string(high));
}

// As many integers as `values` has.
void Ints(Fields& fields, const char* name, int low, int high,
          std::vector<int>* values) {
  const Json* json = fields.Child(name);
  if (json == nullptr) return;
  bool good = json->is_array() && json->size() == values->size();
  for (size_t i = 0; good && i < values->size(); ++i) {
    const Json& item = (*json)[i];
    good = item.is_number_integer() && item >= low && item <= high;
    if (good) (*values)[i] = item;
  }
  if (!good)
    Wrong(fields, name,
          "a list of " + std::to_string(values->size()) + " numbers in " +
              std::to_string(low) + " .. " + std::to_string(high));
}

void Odd(Fields& fields, const char* name, int value) {
  if (value % 2 == 0) Wrong(fields, name, "odd");
}

const char* Name(Activation activation) {
  return activation == Activation::kHardSwish ? "hard_swish" : "relu";
}

void ReadActivation(Fields& fields, Activation* activation) {
  std::string name = Name(*activation);
  fields.Read("activation", &name);
  for (const Activation a : {Activation::kRelu, Activation::kHardSwish}) {
    if (name != Name(a)) continue;
    *activation = a;
    return;
  }
  Wrong(fields, "activation", "\"relu\" or \"hard_swish\"");
}

}  // namespace

Result<RecognizerConfig> RecognizerConfig::FromRecipe(const Json& network) {
  RecognizerConfig c;
  if (network.is_null()) return c;
  Fields fields(network, "recognizer.network");
  Range(fields, "height", 16, 128, &c.height);
  if (c.height % 16 != 0) Wrong(fields, "height", "a multiple of 16");
  Ints(fields, "channels", 1, kMaxChannels, &c.channels);
  Ints(fields, "blocks", 0, kMaxBlocks, &c.blocks);
  Range(fields, "context_blocks", 0, kMaxBlocks, &c.context_blocks);
  Range(fields, "context_kernel", 1, kMaxKernel, &c.context_kernel);
  Odd(fields, "context_kernel", c.context_kernel);
  Range(fields, "context_expand", 1, 8, &c.context_expand);
  Range(fields, "bottleneck", 0, kMaxChannels, &c.bottleneck);
  fields.Read("hangul_letters", &c.hangul_letters);
  fields.Read("dropout", &c.dropout);
  if (!(c.dropout >= 0 && c.dropout < 1))
    Wrong(fields, "dropout", "at least 0 and below 1");
  ReadActivation(fields, &c.activation);
  MUNJA_RETURN_IF_ERROR(fields.Finish(/*refuse_unknown=*/true));
  return c;
}

Json RecognizerConfig::ToJson() const {
  return {{"height", height},
          {"channels", channels},
          {"blocks", blocks},
          {"context_blocks", context_blocks},
          {"context_kernel", context_kernel},
          {"context_expand", context_expand},
          {"bottleneck", bottleneck},
          {"hangul_letters", hangul_letters},
          {"dropout", dropout},
          {"activation", Name(activation)}};
}

Result<DetectorConfig> DetectorConfig::FromRecipe(const Json& network) {
  DetectorConfig c;
  if (network.is_null()) return c;
  Fields fields(network, "detector.network");
  Ints(fields, "channels", 1, kMaxChannels, &c.channels);
  Ints(fields, "blocks", 0, kMaxBlocks, &c.blocks);
  Range(fields, "context_kernel", 0, kMaxKernel, &c.context_kernel);
  if (c.context_kernel > 0) Odd(fields, "context_kernel", c.context_kernel);
  Range(fields, "pyramid_channels", 1, kMaxChannels, &c.pyramid_channels);
  Range(fields, "head_channels", 1, kMaxChannels, &c.head_channels);
  ReadActivation(fields, &c.activation);
  MUNJA_RETURN_IF_ERROR(fields.Finish(/*refuse_unknown=*/true));
  return c;
}

Json DetectorConfig::ToJson() const {
  return {{"channels", channels},
          {"blocks", blocks},
          {"context_kernel", context_kernel},
          {"pyramid_channels", pyramid_channels},
          {"head_channels", head_channels},
          {"activation", Name(activation)}};
}

}  // namespace munja::train
