// Attributes that a model leaves out. A table per format, defaults.txt, holds
// the defaults of its specification; each row is imported without the
// attribute, with the default and with another value, and the results are
// compared. Attributes that the translation reads are observed meanwhile: one
// that no row names fails.
//
// A row of a table:
//
//   operators [@set] inputs... [given=value...] | name default other; ...
//
// Operators with the same row are separated by commas; a row goes on in
// indented lines; '#' begins a comment. "-" instead of the default: there is
// none, and the attribute must be given. No values at all: the attribute is
// read, and other tests try it. "elsewhere FILE: ..." names operators that have
// no row because that test covers them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "import/compose/source_attributes.h"
#include "import/import.h"
#include "import/onnx/testing.h"
#include "import/paddle/testing.h"

namespace munja::importer {
namespace {

using Names = std::set<std::string>;

// "Filter[2,2,3,2]", "Scale[3]{1,2,3}", "absent", "tagged:8".
struct Input {
  std::string name;
  std::vector<int64_t> dims;
  std::vector<float> values;  // Some of no meaning where the table has none.
  int64_t count = 0;
};

struct Attribute {
  std::string name;
  std::optional<std::string> standard, other;
};

struct Row {
  std::string op;
  int64_t set = 0;
  std::vector<Input> inputs;
  std::string output = "Out";
  std::vector<std::pair<std::string, std::string>> given;
  std::vector<Attribute> attributes;

  std::vector<std::pair<std::string, std::string>> With(
      const std::string& name, const std::optional<std::string>& value) const {
    auto all = given;
    std::erase_if(all, [&](const auto& g) { return g.first == name; });
    if (value) all.emplace_back(name, *value);
    return all;
  }
};

struct Table {
  std::vector<Row> rows;
  Names elsewhere;
};

std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::stringstream stream{std::string(text)};
  for (std::string part; std::getline(stream, part, separator);)
    parts.push_back(part);
  return parts;
}

std::vector<std::string> Words(std::string_view text) {
  std::vector<std::string> words = Split(text, ' ');
  std::erase(words, "");
  return words;
}

// "1,2,3" between two brackets of the text, none where it has no such bracket.
std::optional<std::vector<double>> Between(const std::string& text, char open,
                                           char close) {
  const size_t from = text.find(open), to = text.find(close);
  if (from == text.npos || to == text.npos) return std::nullopt;
  std::vector<double> numbers;
  for (const std::string& n : Split(text.substr(from + 1, to - from - 1), ','))
    numbers.push_back(std::stod(n));
  return numbers;
}

Input ParseInput(const std::string& word) {
  Input input;
  input.name = word.substr(0, word.find_first_of("[:"));
  if (const size_t colon = word.find(':'); colon != word.npos)
    input.count = std::stoll(word.substr(colon + 1));
  const auto dims = Between(word, '[', ']');
  if (!dims) return input;
  input.count = 1;
  for (const double d : *dims) {
    input.dims.push_back(static_cast<int64_t>(d));
    input.count *= input.dims.back();
  }
  if (const auto values = Between(word, '{', '}'))
    for (const double v : *values)
      input.values.push_back(static_cast<float>(v));
  else
    for (int64_t i = 0; i < input.count; ++i)
      input.values.push_back(static_cast<float>((i * 7) % 11) / 4 - 1);
  EXPECT_EQ(input.values.size(), static_cast<size_t>(input.count)) << word;
  return input;
}

Attribute ParseAttribute(const std::string& text) {
  const std::vector<std::string> words = Words(text);
  EXPECT_TRUE(!words.empty() && words.size() <= 3) << text;
  Attribute attribute;
  if (!words.empty()) attribute.name = words[0];
  if (words.size() > 1 && words[1] != "-") attribute.standard = words[1];
  if (words.size() > 2) attribute.other = words[2];
  return attribute;
}

void ParseRow(const std::string& line, Table* table) {
  const size_t bar = line.find('|');
  const std::vector<std::string> head = Words(line.substr(0, bar));
  Row row;
  for (size_t i = 1; i < head.size(); ++i) {
    const std::string& word = head[i];
    const size_t equals = word.find('=');
    if (word[0] == '@')
      row.set = std::stoll(word.substr(1));
    else if (word.starts_with("->"))
      row.output = word.substr(2);
    else if (equals != word.npos)
      row.given.emplace_back(word.substr(0, equals), word.substr(equals + 1));
    else
      row.inputs.push_back(ParseInput(word));
  }
  if (bar != line.npos)
    for (const std::string& a : Split(line.substr(bar + 1), ';'))
      row.attributes.push_back(ParseAttribute(a));
  for (const std::string& op : Split(head[0], ',')) {
    row.op = op;
    table->rows.push_back(row);
  }
}

Table ReadTable(const std::string& format) {
  Table table;
  const std::string path =
      MUNJA_SOURCE_DIR "/src/tools/import/" + format + "/defaults.txt";
  const auto bytes = ReadFile(path, size_t{1} << 20);
  EXPECT_TRUE(bytes.ok()) << path;
  if (!bytes.ok()) return table;
  std::vector<std::string> rows;
  for (const std::string& line :
       Split(std::string(bytes->begin(), bytes->end()), '\n')) {
    if (line.empty() || line[0] == '#') continue;
    if (line[0] == ' ' && !rows.empty())
      rows.back() += line;
    else
      rows.push_back(line);
  }
  for (const std::string& row : rows) {
    if (!row.starts_with("elsewhere ")) {
      ParseRow(row, &table);
      continue;
    }
    for (const std::string& op : Words(row.substr(row.find(':') + 1)))
      table.elsewhere.insert(op);
  }
  return table;
}

// The first output of a model for synthetic inputs of its shapes, dynamic
// dimensions 4.
struct Answer {
  std::string refusal;  // Why it cannot be imported or run, or empty.
  Tensor tensor = {};
};

Answer AnswerOf(const Result<ImportedModel>& model) {
  if (!model.ok()) return {std::string(model.status().message())};
  const graph::Subgraph& g = model->graph.main();
  std::vector<Tensor> inputs;
  uint32_t state = 1;
  for (const graph::ValueId id : g.inputs) {
    Dims shape;
    size_t count = 1;
    for (const int32_t d : g.values[static_cast<size_t>(id)].shape.dims()) {
      shape.push_back(d < 0 ? 4 : d);
      count *= static_cast<size_t>(shape.back());
    }
    std::vector<float> values;
    for (size_t i = 0; i < count; ++i) {
      state = state * 1664525u + 1013904223u;
      // Quarters from -4 to 4, so that clamps and tables are met.
      values.push_back(static_cast<float>(state >> 27) / 4.0f - 4.0f);
    }
    inputs.push_back(Tensor::Floats(std::move(shape), std::move(values)));
  }
  const auto outputs = RunReference(*model, inputs);
  if (!outputs.ok()) return {std::string(outputs.status().message())};
  return {"", (*outputs)[0]};
}

// Equal except for the last bit of a value that one file has as float and the
// importer as double.
bool AreSame(const Tensor& a, const Tensor& b) {
  if (a.shape != b.shape || a.integers != b.integers ||
      a.floats.size() != b.floats.size())
    return false;
  for (size_t i = 0; i < a.floats.size(); ++i) {
    const float x = a.floats[i], y = b.floats[i];
    if (!(std::fabs(x - y) <= 1e-6f * std::max(1.0f, std::fabs(y))))
      return false;
  }
  return true;
}

// Imports the row's operator with that attribute, or without it.
using Try = Answer (*)(const Row&, const std::string& name,
                       const std::optional<std::string>& value);

void CheckAttribute(const Row& row, const Attribute& attribute, Try answer) {
  SCOPED_TRACE(row.op + ": " + attribute.name);
  if (!attribute.other) return;
  const Answer without =
      answer(row, attribute.standard ? attribute.name : "", std::nullopt);
  const Answer with_other = answer(row, attribute.name, attribute.other);
  if (attribute.standard) {
    const Answer with_default = answer(row, attribute.name, attribute.standard);
    // A default may be refused; the other value then is not.
    ASSERT_EQ(without.refusal, with_default.refusal);
    EXPECT_TRUE(without.refusal.empty() || with_other.refusal.empty())
        << with_other.refusal;
    EXPECT_TRUE(AreSame(without.tensor, with_default.tensor))
        << "another default than that of the specification";
  }
  EXPECT_TRUE(!with_other.refusal.empty() ||
              !AreSame(without.tensor, with_other.tensor))
      << "another value changes nothing";
}

// Every operator has a row, or a test of its own; and what translating the rows
// reads is named by them.
void CheckTable(const Table& table, const Names& operators, Try answer) {
  std::map<std::string, Names> named;
  AttributeLog log;
  for (const Row& row : table.rows) {
    if (row.attributes.empty()) answer(row, "", std::nullopt);
    Names& names = named[row.op];
    for (const Attribute& attribute : row.attributes) {
      CheckAttribute(row, attribute, answer);
      names.insert(attribute.name);
    }
  }
  for (const std::string& op : operators)
    EXPECT_NE(named.contains(op), table.elsewhere.contains(op))
        << op << " must have rows or be covered elsewhere, not both";
  size_t read = 0;
  for (const auto& [op, names] : named) {
    const auto observed = log.read().find(op);
    if (observed == log.read().end()) continue;
    read += observed->second.size();
    for (const std::string& name : observed->second)
      EXPECT_TRUE(names.contains(name))
          << op << " reads '" << name << "', which no row names";
  }
  // Otherwise reads are not observed.
  EXPECT_GT(read, named.size() / 2);
}

bool IsInteger(const std::string& value) {
  return !value.empty() &&
         value.find_first_not_of("0123456789", value[0] == '-' ? 1 : 0) ==
             value.npos &&
         value != "-";
}
bool IsFloat(const std::string& value) {
  return !value.empty() && value.find_first_of(".e") != value.npos &&
         value.find_first_not_of("-+.0123456789e") == value.npos;
}
std::string Text(const std::string& value) {
  return value == "\"\"" ? "" : value;
}

// ---- ncnn: values as a .param file has them, list keys less 23300 ----

Answer TryLayer(const Row& row, const std::string& name,
                const std::optional<std::string>& value) {
  std::vector<int64_t> x;  // w, h, c; fewer: a plane, a vector.
  int64_t inputs = 1, outputs = 1;
  std::vector<uint8_t> weights;
  const auto append = [&](float v) {
    uint8_t raw[4];
    std::memcpy(raw, &v, 4);
    weights.insert(weights.end(), raw, raw + 4);
  };
  for (const Input& input : row.inputs) {
    if (input.name == "x") x = input.dims;
    if (input.name == "inputs") inputs = input.count;
    if (input.name == "outputs") outputs = input.count;
    if (input.name != "tagged" && input.name != "plain") continue;
    if (input.name == "tagged") append(0);
    // Small, all different in a row, never 0.
    for (int64_t i = 0; i < input.count; ++i)
      append(0.125f * static_cast<float>(i % 13 + 1));
  }
  const auto size = [&](size_t i) {
    return std::to_string(i < x.size() ? x[i] : 1);
  };
  std::vector<std::string> layers = {"Input in 0 1 p 0=" + size(0) +
                                     " 1=" + size(1) + " 2=" + size(2)};
  std::string layer = row.op + " layer " + std::to_string(inputs) + " " +
                      std::to_string(outputs);
  if (inputs > 0) {
    // Planes and vectors are made by a layer: an input is an image.
    layers.push_back(x.size() == 3 ? "Dropout r 1 1 p x 0=0.5"
                     : x.size() == 2
                         ? "Reshape r 1 1 p x 0=" + size(0) + " 1=" + size(1)
                         : "Reshape r 1 1 p x 0=" + size(0));
    layer += " x";
  }
  if (inputs == 2) {
    layers.emplace_back("AbsVal s 1 1 x x2");
    layer += " x2";
  }
  for (int64_t i = 0; i < outputs; ++i) layer += " y" + std::to_string(i);
  for (const auto& [key, v] : row.With(name, value)) {
    const int id = std::stoi(key);
    const bool is_list = v.find(',') != v.npos;
    layer += " " + std::to_string(is_list ? -23300 - id : id) + "=" + v;
  }
  layers.push_back(layer);
  // A constant alone is no model.
  if (inputs == 0) layers.emplace_back("BinaryOp sum 2 1 p y0 z 0=0");
  std::string text = "7767517\n" + std::to_string(layers.size()) + " 99\n";
  for (const std::string& l : layers) text += l + "\n";
  return AnswerOf(ImportNcnn(text, weights, {}));
}

TEST(NcnnDefaults, EveryParameter_IsAsTheLayerSays) {
  Names layers;
#define NCNN_LAYER(type, ...) layers.insert(#type);
#include "import/ncnn/layers.def"
#undef NCNN_LAYER
  CheckTable(ReadTable("ncnn"), layers, TryLayer);
}

// ---- Paddle: 1, 1.0, true, text, [1,2], [1.0,2.0], []f ----

paddle::Attr MakeAttr(const std::string& key, const std::string& value) {
  const char* name = key.c_str();
  if (IsInteger(value)) return paddle::IntAttr(name, std::stoi(value));
  if (IsFloat(value)) return paddle::FloatAttr(name, std::stof(value));
  if (value == "true" || value == "false")
    return paddle::BoolAttr(name, value == "true");
  const auto list = Between(value, '[', ']');
  if (!list) return paddle::TextAttr(name, Text(value).c_str());
  paddle::Attr attr = paddle::IntsAttr(name, {list->begin(), list->end()});
  if (value.find('.') == value.npos && !value.ends_with('f')) return attr;
  attr = paddle::IntsAttr(name, {});
  attr.set_type(4);
  for (const double v : *list) attr.add_floats(static_cast<float>(v));
  return attr;
}

Answer TryOperator(const Row& row, const std::string& name,
                   const std::optional<std::string>& value) {
  paddle::ProgramFile file(row.inputs.at(0).dims);
  paddle::ProgramFile::Vars inputs = {{row.inputs[0].name.c_str(), "x"}};
  for (size_t i = 1; i < row.inputs.size(); ++i) {
    const Input& p = row.inputs[i];
    file.Parameter(p.name, p.dims, p.values);
    inputs.emplace_back(p.name.c_str(), p.name);
  }
  std::vector<paddle::Attr> attributes;
  for (const auto& [key, v] : row.With(name, value))
    attributes.push_back(MakeAttr(key, v));
  paddle::ProgramFile::Vars outputs = {{row.output.c_str(), "y"}};
  if (row.op == "split") outputs.emplace_back(row.output.c_str(), "z");
  file.Op(row.op.c_str(), inputs, outputs, std::move(attributes));
  // A model whose result is a constant is none.
  if (row.op.starts_with("fill_") || row.op == "assign_value") {
    file.Op("elementwise_add", {{"X", "x"}, {"Y", "y"}}, {{"Out", "sum"}});
    file.Fetch("sum");
  } else {
    file.Fetch("y");
  }
  return AnswerOf(file.Import());
}

TEST(PaddleDefaults, EveryAttribute_IsAsTheDefinitionSays) {
  Names operators;
#define PADDLE_OPERATOR(type, ...) operators.insert(#type);
#define PADDLE_OLD_OPERATOR(type, ...) operators.insert(#type);
#define PADDLE_NEW_NAME(...)
#include "import/paddle/operators.def"
#undef PADDLE_OPERATOR
#undef PADDLE_OLD_OPERATOR
#undef PADDLE_NEW_NAME
  CheckTable(ReadTable("paddle"), operators, TryOperator);
}

// ---- ONNX: 1, 1.0, text, [1,2], [1.0,2.0], {5} for a tensor of one value ----

void SetAttribute(munja::onnx::NodeProto& node, const std::string& key,
                  const std::string& value) {
  const char* name = key.c_str();
  const auto list = Between(value, '[', ']');
  const auto tensor = Between(value, '{', '}');
  if (IsInteger(value)) {
    onnx::SetInt(node, name, std::stoll(value));
  } else if (IsFloat(value)) {
    onnx::SetFloat(node, name, std::stof(value));
  } else if (list && value.find('.') == value.npos) {
    onnx::SetInts(node, name, {list->begin(), list->end()});
  } else if (list || tensor) {
    munja::onnx::AttributeProto* a = node.add_attribute();
    a->set_name(name);
    a->set_type(list ? 6 : 4);
    if (list) {
      for (const double v : *list) a->add_floats(static_cast<float>(v));
    } else {
      a->mutable_t()->set_data_type(1);
      a->mutable_t()->add_dims(1);
      a->mutable_t()->add_float_data(static_cast<float>((*tensor)[0]));
    }
  } else {
    onnx::SetText(node, name, Text(value).c_str());
  }
}

// Inputs: x, or "shape" where the operator has none but constants; f and i are
// constants of floats and of integers.
Answer TryNode(const Row& row, const std::string& name,
               const std::optional<std::string>& value) {
  onnx::File file(row.inputs.at(0).dims, row.set);
  const bool has_x = row.inputs[0].name == "x";
  std::vector<std::string> inputs;
  if (has_x) inputs.emplace_back("x");
  for (size_t i = 1; i < row.inputs.size(); ++i) {
    const Input& input = row.inputs[i];
    inputs.push_back(input.name == "absent" ? "" : "c" + std::to_string(i));
    if (input.name == "f") file.Floats(inputs.back(), input.dims, input.values);
    if (input.name == "i")
      file.Integers(inputs.back(), {input.values.begin(), input.values.end()});
  }
  // A model whose result is a constant is none.
  std::vector<std::string> outputs = {has_x ? "y" : "c"};
  if (row.op == "Split") outputs.emplace_back("z");
  munja::onnx::NodeProto& node = file.Node(row.op, inputs, outputs);
  for (const auto& [key, v] : row.With(name, value)) SetAttribute(node, key, v);
  if (!has_x) file.Node("Add", {"x", "c"}, {"y"});
  return AnswerOf(file.Import());
}

TEST(OnnxDefaults, EveryAttribute_IsAsTheSpecificationSays) {
  Names operators;
#define ONNX_OPERATOR(name, ...) operators.insert(#name);
#include "import/onnx/operators.def"
#undef ONNX_OPERATOR
  CheckTable(ReadTable("onnx"), operators, TryNode);
}

}  // namespace
}  // namespace munja::importer
