// For tests: models of ncnn, written by hand, and what they compute.
#ifndef MUNJA_IMPORT_NCNN_TESTING_H_
#define MUNJA_IMPORT_NCNN_TESTING_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "import/import.h"
#include "import/run_converted.h"

namespace munja::importer::ncnn {

class Bin {
 public:
  Bin& Tag() { return Add(0.0f); }
  Bin& Floats(std::vector<float> values) {
    for (const float v : values) Add(v);
    return *this;
  }
  // With their tag.
  Bin& Int8(std::vector<int8_t> values) {
    for (const int b : {0x38, 0x4B, 0x0D, 0x00})
      bytes_.push_back(static_cast<uint8_t>(b));
    values.resize((values.size() + 3) / 4 * 4);
    for (const int8_t v : values) bytes_.push_back(static_cast<uint8_t>(v));
    return *this;
  }
  const std::vector<uint8_t>& bytes() const { return bytes_; }

 private:
  Bin& Add(float v) {
    uint8_t raw[4];
    std::memcpy(raw, &v, 4);
    bytes_.insert(bytes_.end(), raw, raw + 4);
    return *this;
  }
  std::vector<uint8_t> bytes_;
};

inline std::string Param(std::vector<std::string> layers) {
  std::string text = "7767517\n" + std::to_string(layers.size()) + " 99\n";
  for (const std::string& l : layers) text += l + "\n";
  return text;
}

// The first output for one input in NHWC.
inline std::vector<float> Evaluate(const std::vector<std::string>& layers,
                                   const Bin& bin, Dims shape,
                                   std::vector<float> x,
                                   Dims* result = nullptr) {
  const auto model = ImportNcnn(Param(layers), bin.bytes(), {});
  EXPECT_TRUE(model.ok()) << model.status().message();
  if (!model.ok()) return {};
  const Tensor input = Tensor::Floats(std::move(shape), std::move(x));
  const auto y = RunReference(*model, std::span<const Tensor>(&input, 1));
  EXPECT_TRUE(y.ok()) << y.status().message();
  if (!y.ok()) return {};
  if (result != nullptr) *result = (*y)[0].shape;
  return (*y)[0].floats;
}

// The same computed by the .tflite model.
inline std::vector<float> RunTflite(const std::vector<std::string>& layers,
                                    const Bin& bin, const Shape& shape,
                                    std::vector<float> x) {
  return RunConverted(ImportNcnn(Param(layers), bin.bytes(), {}), shape,
                      std::move(x));
}

}  // namespace munja::importer::ncnn

#endif  // MUNJA_IMPORT_NCNN_TESTING_H_
