#include "hal/case_writer.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "hal/operations.h"
#include "hal/types.h"

namespace munja::hal {
namespace {

using Json = nlohmann::json;

constexpr const char* kLifetimes[] = {
    "TEMPORARY_VARIABLE", "SUBGRAPH_INPUT", "SUBGRAPH_OUTPUT", "CONSTANT_COPY",
    "CONSTANT_REFERENCE", "NO_VALUE",       "SUBGRAPH"};

Json Number(double v) {
  if (std::isnan(v)) return "nan";
  if (std::isinf(v)) return v > 0 ? "inf" : "-inf";
  return v;
}

class CaseWriter {
 public:
  explicit CaseWriter(const Case& example) : example_(example) {}
  Json Write();

 private:
  // The number of a buffer with these values.
  size_t Add(Json values) {
    buffers_.push_back(std::move(values));
    return buffers_.size() - 1;
  }
  static Json Values(int32_t type, const uint8_t* bytes, size_t size) {
    Json values = Json::array();
    const TypeRow* row = FindType(type);
    for (size_t i = 0; row != nullptr && i < size / row->bytes; ++i)
      values.push_back(Number(ElementAt(type, bytes, i)));
    return values;
  }
  Json Write(const Operand& operand, const std::string& name);
  Json Write(const Subgraph& subgraph, const std::string& name);

  const Case& example_;
  Json buffers_ = Json::array();
};

Json CaseWriter::Write(const Operand& operand, const std::string& name) {
  Json json = {{"name", name},
               {"type", TypeName(operand.type)},
               {"dims", operand.dimensions},
               {"lifetime", kLifetimes[operand.lifetime]},
               {"consumers", operand.consumers}};
  if (operand.scale != 0.0f) json["scale"] = operand.scale;
  if (operand.zero_point != 0) json["zero_point"] = operand.zero_point;
  if (operand.channels)
    json["channel_quant"] = {{"dim", operand.channels->dimension},
                             {"scales", operand.channels->scales}};
  if (operand.is_constant())
    json["buffer"] =
        Add(Values(operand.type, example_.model.ConstantData(operand),
                   operand.location.length));
  if (operand.lifetime == MUNJA_NN_LIFETIME_SUBGRAPH)
    json["buffer"] = Add(Json::array({operand.location.offset}));
  return json;
}

Json CaseWriter::Write(const Subgraph& subgraph, const std::string& name) {
  Json operands = Json::array(), operations = Json::array();
  for (size_t i = 0; i < subgraph.operands.size(); ++i)
    operands.push_back(
        Write(subgraph.operands[i], "operand" + std::to_string(i)));
  for (const Operation& operation : subgraph.operations)
    operations.push_back({{"type", OperationName(operation.type)},
                          {"inputs", operation.inputs},
                          {"outputs", operation.outputs}});
  return {{"name", name},
          {"operands", std::move(operands)},
          {"operations", std::move(operations)},
          {"inputs", subgraph.inputs},
          {"outputs", subgraph.outputs}};
}

Json CaseWriter::Write() {
  const std::vector<Subgraph>& subgraphs = example_.model.subgraphs;
  Json main = Write(subgraphs[0], "main");
  for (size_t i = 0; i < example_.inputs.size(); ++i) {
    const uint32_t index = subgraphs[0].inputs[i];
    const auto& input = example_.inputs[i];
    main["operands"][index]["buffer"] =
        Add(input ? Values(subgraphs[0].operands[index].type, input->data(),
                           input->size())
                  : Json::array());
  }
  for (size_t i = 0; i < example_.outputs.size(); ++i) {
    Json& operand = main["operands"][subgraphs[0].outputs[i]];
    const Expected& expected = example_.outputs[i];
    Json values = Json::array();
    for (const double v : expected.values) values.push_back(Number(v));
    operand["dims"] = expected.dimensions;
    operand["buffer"] = Add(std::move(values));
    if (expected.is_ignored) operand["ignored"] = true;
  }
  Json referenced = Json::array();
  for (size_t i = 1; i < subgraphs.size(); ++i)
    referenced.push_back(Write(subgraphs[i], std::to_string(i)));
  const std::string version =
      example_.min_version < MUNJA_NN_1_0 || example_.min_version > MUNJA_NN_1_3
          ? "UNKNOWN"
          : "V1_" + std::to_string(example_.min_version - MUNJA_NN_1_0);
  Json written = {{"test", example_.name},
                  {"min_version", version},
                  {"relaxed", example_.model.is_relaxed},
                  {"expect_failure", example_.expects_failure},
                  {"multinomial_tolerance", example_.multinomial_tolerance},
                  {"main", std::move(main)},
                  {"referenced", std::move(referenced)}};
  return {{"format", "nnspec-json-1"}, {"suite", "munja"},
          {"spec", example_.name},     {"source", "munja"},
          {"buffers", buffers_},       {"examples", Json::array({written})}};
}

}  // namespace

std::string WriteCase(const Case& example) {
  return CaseWriter(example).Write().dump(-1, ' ', false,
                                          Json::error_handler_t::replace) +
         "\n";
}

}  // namespace munja::hal
