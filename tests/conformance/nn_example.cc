#include "conformance/nn_example.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace munja::conformance {
namespace {

using Json = nlohmann::json;

std::string Unpack(const std::filesystem::path& path) {
  std::string text;
  const gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) return text;
  char block[1 << 16];
  for (int n; (n = gzread(file, block, sizeof block)) > 0;)
    text.append(block, static_cast<size_t>(n));
  gzclose(file);
  return text;
}

double NumberOf(const Json& value) {
  if (value.is_boolean()) return value.get<bool>() ? 1.0 : 0.0;
  if (!value.is_string()) return value.get<double>();
  const auto& text = value.get_ref<const std::string&>();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  return text == "-inf" ? -infinity : infinity;
}

NnOperand OperandOf(const Json& json) {
  NnOperand operand;
  operand.type = json.at("type").get<std::string>();
  operand.dims = json.at("dims").get<std::vector<int32_t>>();
  operand.scale = json.value("scale", 0.0f);
  operand.zero_point = json.value("zero_point", 0);
  if (json.contains("channel_quant")) {
    const Json& quant = json["channel_quant"];
    operand.channel_dim = quant.at("dim").get<int32_t>();
    operand.channel_scales = quant.at("scales").get<std::vector<float>>();
  }
  operand.lifetime = json.at("lifetime").get<std::string>();
  operand.buffer = json.value("buffer", -1);
  operand.is_ignored = json.value("ignored", false);
  return operand;
}

NnGraph GraphOf(const Json& json) {
  NnGraph graph;
  for (const Json& operand : json.at("operands"))
    graph.operands.push_back(OperandOf(operand));
  for (const Json& operation : json.at("operations")) {
    graph.operations.push_back(
        {operation.at("type").get<std::string>(),
         operation.at("inputs").get<std::vector<int>>(),
         operation.at("outputs").get<std::vector<int>>()});
  }
  graph.inputs = json.at("inputs").get<std::vector<int>>();
  graph.outputs = json.at("outputs").get<std::vector<int>>();
  return graph;
}

}  // namespace

NnSpec ReadNnSpec(const std::filesystem::path& path) {
  NnSpec spec;
  const Json json = Json::parse(Unpack(path), nullptr, false);
  if (json.is_discarded()) {
    ADD_FAILURE() << path << " is not packed JSON";
    return spec;
  }
  for (const Json& buffer : json.at("buffers")) {
    NnBuffer& values = spec.buffers.emplace_back();
    for (const Json& value : buffer) values.push_back(NumberOf(value));
  }
  for (const Json& from : json.at("examples")) {
    NnExample& example = spec.examples.emplace_back();
    example.test = from.at("test").get<std::string>();
    example.is_relaxed = from.at("relaxed").get<bool>();
    example.expects_failure = from.at("expect_failure").get<bool>();
    example.multinomial_tolerance =
        from.at("multinomial_tolerance").get<double>();
    example.main = GraphOf(from.at("main"));
    for (const Json& graph : from.at("referenced"))
      example.referenced.push_back(GraphOf(graph));
  }
  return spec;
}

}  // namespace munja::conformance
