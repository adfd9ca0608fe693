#include "capi/tools/testing.h"

#include <gtest/gtest.h>

#include <cstring>
#include <regex>
#include <set>
#include <utility>

#include "base/file.h"

namespace munja::capi {

ControlHandle CancelledControl() {
  munja_control* control = nullptr;
  EXPECT_EQ(munja_control_create(nullptr, &control), MUNJA_OK);
  munja_control_cancel(control);
  return ControlHandle(control);
}

std::vector<std::string> FieldsOf(const std::string& header,
                                  const std::string& name) {
  const auto bytes =
      ReadFile(MUNJA_SOURCE_DIR "/include/munja/" + header, 1 << 20);
  EXPECT_TRUE(bytes.ok()) << header;
  if (!bytes.ok()) return {};
  std::string text(bytes->begin(), bytes->end());
  for (size_t at = 0; (at = text.find("/*", at)) != text.npos;)
    text.erase(at, text.find("*/", at) + 2 - at);
  const size_t begin = text.find("typedef struct " + name + " {");
  EXPECT_NE(begin, text.npos) << name;
  if (begin == text.npos) return {};
  text = text.substr(begin, text.find("} " + name, begin) - begin);
  std::vector<std::string> fields;
  // "int32_t a, b;", "const char* const* c;", "int32_t d[4];"
  static const std::regex kField(R"((\w+)(?:\[\w+\])?\s*[;,])");
  for (std::sregex_iterator it(text.begin(), text.end(), kField), end;
       it != end; ++it)
    fields.push_back((*it)[1]);
  return fields;
}

void CheckAll(const std::string& header, const std::string& name,
              const std::map<std::string, std::function<void()>>& rows,
              const std::function<void()>& begin) {
  std::set<std::string> fields;
  for (const std::string& field : FieldsOf(header, name)) {
    fields.insert(field);
    // Errors_BelongToTheCall tries the error of each call.
    if (field == "struct_size" || field == "error") continue;
    EXPECT_TRUE(rows.contains(field))
        << name << "." << field << " is tried by no row";
  }
  for (const auto& named : rows) {
    const std::string& field = named.first;
    const std::function<void()>& row = named.second;
    SCOPED_TRACE(name + "." + field);
    EXPECT_TRUE(fields.contains(field));
    begin();
    row();
  }
}

graph::ValueId AddValue(graph::Subgraph& g, const char* name, Shape shape,
                        const std::vector<float>& data) {
  graph::Value value;
  value.name = name;
  value.shape = std::move(shape);
  if (!data.empty()) {
    std::vector<uint8_t> bytes(4 * data.size());
    std::memcpy(bytes.data(), data.data(), bytes.size());
    value.constant = graph::MakeConstant(std::move(bytes));
  }
  return g.AddValue(value);
}

void AddNode(graph::Subgraph& g, const char* op,
             std::vector<graph::ValueId> inputs, graph::ValueId output) {
  graph::Node& node = g.nodes.emplace_back();
  node.op = op;
  node.inputs = std::move(inputs);
  node.outputs = {output};
}

}  // namespace munja::capi
