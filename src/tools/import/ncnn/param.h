// The text of an ncnn .param file: layers, their blobs and parameters.
#ifndef MUNJA_IMPORT_NCNN_PARAM_H_
#define MUNJA_IMPORT_NCNN_PARAM_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace munja::importer::ncnn {

// A parameter as written: one number, or an array of them, kept as double,
// which holds every int32 exactly.
struct Parameter {
  std::vector<double> values;
  bool is_array = false;
};

struct Layer {
  std::string type, name;
  int line = 0;  // In the file, from 1.
  std::vector<std::string> inputs, outputs;
  std::map<int, Parameter> parameters;

  // Null when it is not written.
  const Parameter* Find(int id) const;
  bool Has(int id) const { return Find(id) != nullptr; }
  // The value of parameter `id`, or `fallback` when it is not written.
  // kMalformed when it is an array, or (Int) no 32-bit integer.
  Result<int> Int(int id, int fallback) const;
  Result<double> Float(int id, double fallback) const;
  // Empty when not written.
  Result<std::vector<double>> Floats(int id) const;
  Result<std::vector<int64_t>> Ints(int id) const;
};

struct ParamFile {
  std::vector<Layer> layers;
};

// kMalformed names the line.
Result<ParamFile> ParseParam(std::string_view text);

// "line 12 (Convolution 'conv_4')".
std::string Describe(const Layer& layer);

}  // namespace munja::importer::ncnn

#endif  // MUNJA_IMPORT_NCNN_PARAM_H_
