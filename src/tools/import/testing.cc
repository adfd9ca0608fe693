#include "import/testing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <regex>

#include "base/file.h"

namespace munja::foreign::testing {
namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

struct Function {
  std::string text;
  Names reads, calls;
};

std::string ReadSource(const fs::path& path) {
  const auto bytes = ReadFile(path.string(), size_t{1} << 24);
  EXPECT_TRUE(bytes.ok()) << path;
  return bytes.ok() ? std::string(bytes->begin(), bytes->end()) : "";
}

// The functions of a source by their names: each begins with a line that is
// not indented and ends with a brace alone.
void FindFunctions(const std::string& source,
                   std::map<std::string, Function>* functions) {
  static const std::regex kName(R"((\w+)\()");
  size_t at = 0;
  while (at < source.size()) {
    const size_t end = std::min(source.find('\n', at), source.size());
    const std::string line = source.substr(at, end - at);
    std::smatch name;
    const bool begins = !line.empty() && std::isalpha(line[0]) != 0 &&
                        line.find(';') == line.npos &&
                        std::regex_search(line, name, kName);
    if (!begins) {
      at = end + 1;
      continue;
    }
    const size_t close = std::min(source.find("\n}\n", end), source.size());
    (*functions)[name[1]].text += source.substr(at, close - at);
    at = close;
  }
}

// The groups of all matches; each may hold several quoted names.
void Collect(const std::string& text, const std::regex& pattern, bool is_list,
             Names* names) {
  static const std::regex kQuoted(R"re("(\w+)")re");
  for (std::sregex_iterator it(text.begin(), text.end(), pattern), end;
       it != end; ++it) {
    for (size_t group = 1; group < it->size(); ++group) {
      const std::string found = (*it)[group];
      if (!is_list) {
        names->insert(found);
        continue;
      }
      for (std::sregex_iterator name(found.begin(), found.end(), kQuoted);
           name != std::sregex_iterator(); ++name)
        names->insert((*name)[1]);
    }
  }
}

void FindReads(Function* function) {
  struct Form {
    std::regex pattern;
    bool is_list;
  };
  static const std::vector<Form> kForms = [] {
    const auto one = [](const char* p) { return Form{std::regex(p), false}; };
    const auto list = [](const char* p) { return Form{std::regex(p), true}; };
    return std::vector<Form>{
        one(R"re(attributes\s*\.\s*(?!Set)\w+\(\s*"(\w+)")re"),
        one(R"re(attributes\.(?!Set)\w+\([^"()]*\?\s*"(\w+)"\s*:\s*"(\w+)")re"),
        one(R"re(Has\("\w+"\)\s*\?\s*"(\w+)"\s*:\s*"(\w+)")re"),
        one(R"re((?:Ints|Number)\(\s*op,\s*"(\w+)")re"),
        one(R"re(Scalar\(\s*context,\s*op,\s*"\w+",\s*"(\w+)")re"),
        one(R"re(tensors\.find\("(\w+)")re"),
        list(R"re(Ints\(\s*op,\s*\{[^}]*\},\s*\{([^}]*)\})re"),
        list(R"re((?:Flag|FindFirst)\(\s*op,\s*\{([^}]*)\})re"),
        list(R"re(char\* name\s*:\s*\{([^}]*)\}\)[^;]*)re"
             R"re((?:attributes\.\w+\(name|Flag\(op, \{name\}))re"),
        one(R"re(layer\.(?:Int|Float|Ints|Floats)\(\s*(\d+))re"),
        one(R"re((?:Refuse|parameters\.contains)\((?:layer,\s*)?(\d+))re"),
    };
  }();
  for (const Form& form : kForms)
    Collect(function->text, form.pattern, form.is_list, &function->reads);
}

}  // namespace

std::map<std::string, Names> AttributesRead(const std::string& folder) {
  const fs::path root = fs::path(MUNJA_SOURCE_DIR "/src/tools/import") / folder;
  std::map<std::string, Function> functions;
  for (const auto& entry : fs::directory_iterator(root)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".cc") || name.ends_with("_test.cc") ||
        name.ends_with("_fuzz.cc") || name == "testing.cc")
      continue;
    const std::string source = ReadSource(entry.path());
    // Those of operators.def are compared with the operators' own tests.
    if (source.find("onnx/writer.h") != source.npos &&
        name != "operators_elementwise.cc")
      continue;
    FindFunctions(source, &functions);
  }
  // Members that steps are written with bear the names of operators, too.
  static const std::regex kCall(R"((?:^|[^.>\w])(\w+)\()");
  for (auto& [name, function] : functions) {
    FindReads(&function);
    Collect(function.text, kCall, false, &function.calls);
  }
  // ONNX has some rows in operators.def, too, which are left out as above.
  const char* const file = folder == "onnx"     ? "context.cc"
                           : folder == "paddle" ? "operators.def"
                                                : "layers.def";
  const std::string rows = ReadSource(root / file);
  static const std::regex kRow(
      R"re(\{"(\w+)",[^}]*?(\w+)\})re"
      R"re(|\nPADDLE_(?:OLD_)?OPERATOR\((\w+),\s*(\w+)[,)])re"
      R"re(|\nNCNN_LAYER\((\w+),[^)]*?(\w+)\))re");
  std::map<std::string, Names> read;
  for (std::sregex_iterator it(rows.begin(), rows.end(), kRow), end; it != end;
       ++it) {
    const size_t group = (*it)[1].matched ? 1 : (*it)[3].matched ? 3 : 5;
    Names& names = read[(*it)[group]];
    Names seen;
    std::vector<std::string> open = {(*it)[group + 1]};
    EXPECT_TRUE(functions.contains(open[0])) << open[0];
    while (!open.empty()) {
      const std::string name = open.back();
      open.pop_back();
      const auto function = functions.find(name);
      if (function == functions.end() || !seen.insert(name).second) continue;
      names.insert(function->second.reads.begin(),
                   function->second.reads.end());
      for (const std::string& call : function->second.calls)
        open.push_back(call);
    }
  }
  EXPECT_FALSE(read.empty());
  return read;
}

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
    std::vector<float> numbers;
    for (size_t i = 0; i < count; ++i) {
      state = state * 1664525u + 1013904223u;
      // Quarters from -4 to 4, so that clamps and tables are met.
      numbers.push_back(static_cast<float>(state >> 27) / 4.0f - 4.0f);
    }
    inputs.push_back(Tensor::Floats(std::move(shape), std::move(numbers)));
  }
  const auto outputs = RunReference(*model, inputs);
  if (!outputs.ok()) return {std::string(outputs.status().message())};
  return {"", (*outputs)[0]};
}

namespace {

// The same but for the last bit of a number that one file has as float and the
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

}  // namespace

void CheckAttribute(const Tried& tried) {
  SCOPED_TRACE(tried.what);
  if (tried.with_default) {
    // A default may be what is refused; the other value then is not.
    ASSERT_EQ(tried.without.refusal, tried.with_default->refusal);
    EXPECT_TRUE(tried.without.refusal.empty() ||
                tried.with_other.refusal.empty())
        << tried.with_other.refusal;
    EXPECT_TRUE(AreSame(tried.without.tensor, tried.with_default->tensor))
        << "another default than that of the specification";
  }
  EXPECT_TRUE(!tried.with_other.refusal.empty() ||
              !AreSame(tried.without.tensor, tried.with_other.tensor))
      << "another value changes nothing";
}

void CheckAllAreListed(const std::string& folder,
                       const std::map<std::string, Names>& listed) {
  size_t attributes = 0;
  const auto read = AttributesRead(folder);
  for (const auto& [op, names] : read) {
    const auto row = listed.find(op);
    if (row == listed.end()) {
      ADD_FAILURE() << op << " has no row";
      continue;
    }
    for (const std::string& name : names)
      EXPECT_TRUE(row->second.contains(name))
          << op << " reads '" << name << "', which no row has";
    attributes += names.size();
  }
  // Else the text is not what AttributesRead() looks for.
  EXPECT_GT(attributes, read.size() / 2);
}

}  // namespace munja::foreign::testing
