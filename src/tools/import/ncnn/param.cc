#include "import/ncnn/param.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <utility>

#include "import/compose/source_attributes.h"

namespace munja::importer::ncnn {
namespace {

constexpr std::string_view kMagic = "7767517";
constexpr int kArrayBase = -23300;  // Key -23300 - id: an array.
constexpr int kMaxParameters = 64;

// Splits off the next word of a line; empty at its end.
std::string_view NextWord(std::string_view* line) {
  constexpr std::string_view kBlank = " \t\r";
  const size_t begin = line->find_first_not_of(kBlank);
  if (begin == std::string_view::npos) {
    *line = {};
    return {};
  }
  size_t end = line->find_first_of(kBlank, begin);
  if (end == std::string_view::npos) end = line->size();
  const std::string_view word = line->substr(begin, end - begin);
  line->remove_prefix(end);
  return word;
}

bool ParseInt(std::string_view word, int* out) {
  const auto [end, error] =
      std::from_chars(word.data(), word.data() + word.size(), *out);
  return error == std::errc() && end == word.data() + word.size();
}

bool ParseNumber(std::string_view word, double* out) {
  if (!word.empty() && word[0] == '+') word.remove_prefix(1);
  const auto [end, error] =
      std::from_chars(word.data(), word.data() + word.size(), *out);
  return error == std::errc() && end == word.data() + word.size();
}

Status Bad(int line, const std::string& what) {
  return Malformed("line ", line, ": ", what);
}

Status ParseParameter(std::string_view word, Layer* layer) {
  const size_t equals = word.find('=');
  int key = 0;
  if (equals == std::string_view::npos ||
      !ParseInt(word.substr(0, equals), &key))
    return Bad(layer->line, "'" + std::string(word) + "' is not key=value");
  std::string_view text = word.substr(equals + 1);
  Parameter parameter;
  if (key <= kArrayBase) {
    key = kArrayBase - key;
    parameter.is_array = true;
  }
  if (key < 0 || key >= kMaxParameters)
    return Bad(layer->line, "parameter " + std::to_string(key) +
                                " is outside 0.." +
                                std::to_string(kMaxParameters - 1));
  while (true) {
    const size_t comma = text.find(',');
    double value = 0;
    if (!ParseNumber(text.substr(0, comma), &value))
      return Bad(layer->line, "'" + std::string(word) + "' is not a number");
    parameter.values.push_back(value);
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  if (parameter.is_array) {
    const double count = parameter.values[0];
    parameter.values.erase(parameter.values.begin());
    if (count != static_cast<double>(parameter.values.size()))
      return Bad(layer->line, "the array in '" + std::string(word) +
                                  "' is not as long as it says");
  } else if (parameter.values.size() != 1) {
    return Bad(layer->line, "'" + std::string(word) + "' holds many numbers");
  }
  layer->parameters[key] = std::move(parameter);
  return {};
}

Status ParseLayer(std::string_view line, Layer* layer) {
  layer->type = NextWord(&line);
  layer->name = NextWord(&line);
  int inputs = 0, outputs = 0;
  if (!ParseInt(NextWord(&line), &inputs) ||
      !ParseInt(NextWord(&line), &outputs) || inputs < 0 || outputs < 0)
    return Bad(layer->line, "type, name, input count, output count expected");
  for (int i = 0; i < inputs + static_cast<int64_t>(outputs); ++i) {
    const std::string_view blob = NextWord(&line);
    if (blob.empty()) return Bad(layer->line, "fewer blobs than announced");
    (i < inputs ? layer->inputs : layer->outputs).emplace_back(blob);
  }
  while (true) {
    const std::string_view word = NextWord(&line);
    if (word.empty()) return {};
    MUNJA_RETURN_IF_ERROR(ParseParameter(word, layer));
  }
}

}  // namespace

std::string Describe(const Layer& layer) {
  return "line " + std::to_string(layer.line) + " (" + layer.type + " '" +
         layer.name + "')";
}

const Parameter* Layer::Find(int id) const {
  AttributeLog::Note(std::to_string(id));
  const auto it = parameters.find(id);
  return it == parameters.end() ? nullptr : &it->second;
}

Result<double> Layer::Float(int id, double fallback) const {
  const Parameter* p = Find(id);
  if (p == nullptr) return fallback;
  if (p->is_array) return Malformed(*this, ": parameter ", id, " is an array");
  return p->values[0];
}

Result<int> Layer::Int(int id, int fallback) const {
  MUNJA_ASSIGN_OR_RETURN(const double value, Float(id, fallback));
  if (!(std::fabs(value) < 2147483648.0) || value != std::floor(value))
    return Malformed(*this, ": parameter ", id, " is not an integer");
  return static_cast<int>(value);
}

Result<std::vector<double>> Layer::Floats(int id) const {
  const Parameter* p = Find(id);
  if (p == nullptr) return std::vector<double>();
  if (!p->is_array)
    return Malformed(*this, ": parameter ", id, " is not an array");
  return p->values;
}

Result<std::vector<int64_t>> Layer::Ints(int id) const {
  MUNJA_ASSIGN_OR_RETURN(const std::vector<double> values, Floats(id));
  std::vector<int64_t> out;
  for (const double v : values) {
    if (!(std::fabs(v) < 2147483648.0) || v != std::floor(v))
      return Malformed(*this, ": parameter ", id, " holds no integers");
    out.push_back(static_cast<int64_t>(v));
  }
  return out;
}

Result<ParamFile> ParseParam(std::string_view text) {
  ParamFile file;
  int number = 0, layers = -1, blobs = 0;
  bool magic = false;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    if (!magic) {
      if (NextWord(&line) != kMagic)
        return Bad(number, "not the magic number 7767517 of a .param file");
      magic = true;
    } else if (layers < 0) {
      if (!ParseInt(NextWord(&line), &layers) ||
          !ParseInt(NextWord(&line), &blobs) || layers < 1 || blobs < 1)
        return Bad(number, "layer count and blob count expected");
    } else {
      Layer layer;
      layer.line = number;
      MUNJA_RETURN_IF_ERROR(ParseLayer(line, &layer));
      file.layers.push_back(std::move(layer));
    }
  }
  if (static_cast<int64_t>(file.layers.size()) != layers)
    return Malformed("the file announces ", layers, " layers and has ",
                     file.layers.size());
  return file;
}

}  // namespace munja::importer::ncnn
