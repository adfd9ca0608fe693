// What stands for a parameter that a layer leaves out: the defaults below are
// those of ncnn's layers, and each is compared with a layer that gives it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "import/import.h"
#include "import/testing.h"

namespace munja::foreign::ncnn {
namespace {

// As a .param file writes it: "1" or, of lists with their ids less 23300,
// "2,0,1" (the length comes first).
struct TriedParameter {
  int id;
  const char* standard;  // Null: it must be given, or is not there at all.
  const char* other;     // Null: what it means is in other rows.
};

struct Case {
  const char* layer;
  std::vector<int64_t> x;  // w, h, c of the input; fewer: a plane, a vector.
  std::vector<std::pair<int, const char*>> given;
  std::vector<TriedParameter> parameters;
  // Weights in the order of the file; a tag before each list that has one.
  std::vector<std::pair<bool, size_t>> weights = {};
  int inputs = 1, outputs = 1;
};

std::string Written(int id, const char* value) {
  const bool is_list = std::strchr(value, ',') != nullptr;
  return " " + std::to_string(is_list ? -23300 - id : id) + "=" + value;
}

// Numbers of the weights: small and none the same, never 0.
std::vector<uint8_t> Weights(const Case& c) {
  std::vector<uint8_t> bytes;
  const auto add = [&](float v) {
    uint8_t raw[4];
    std::memcpy(raw, &v, 4);
    bytes.insert(bytes.end(), raw, raw + 4);
  };
  for (const auto& [has_tag, count] : c.weights) {
    if (has_tag) add(0);
    for (size_t i = 0; i < count; ++i)
      add(0.125f * static_cast<float>(i % 13 + 1));
  }
  return bytes;
}

testing::Answer Try(const Case& c, int id, const char* value) {
  std::string layer = std::string(c.layer) + " layer " +
                      std::to_string(c.inputs) + " " +
                      std::to_string(c.outputs);
  std::string before = "Input in 0 1 p 0=" + std::to_string(c.x[0]);
  if (c.x.size() > 1) before += " 1=" + std::to_string(c.x[1]);
  if (c.x.size() > 2) before += " 2=" + std::to_string(c.x[2]);
  before += "\n";
  int layers = 3;
  if (c.inputs == 0) {
    before += "";
  } else {
    // A plane or a vector by a layer of its own: an input is a picture.
    if (c.x.size() < 3) {
      before = "Input in 0 1 p 0=" + std::to_string(c.x[0]) +
               " 1=" + std::to_string(c.x.size() > 1 ? c.x[1] : 1) + " 2=1\n";
      before += "Reshape r 1 1 p x 0=" + std::to_string(c.x[0]) +
                (c.x.size() > 1 ? " 1=" + std::to_string(c.x[1]) : "") + "\n";
    } else {
      before += "Dropout r 1 1 p x 0=0.5\n";
    }
    layer += " x";
    if (c.inputs == 2) {
      before += "AbsVal s 1 1 x x2\n";
      // Both are read once only.
      layer += " x2";
    }
  }
  for (int i = 0; i < c.outputs; ++i) layer += " y" + std::to_string(i);
  for (const auto& [given, v] : c.given)
    if (given != id) layer += Written(given, v);
  if (value != nullptr) layer += Written(id, value);
  std::string after;
  if (c.inputs == 0) {  // A constant alone is no model.
    after = "BinaryOp sum 2 1 p y0 z 0=0\n";
  }
  layers = static_cast<int>(std::count(before.begin(), before.end(), '\n') + 1 +
                            std::count(after.begin(), after.end(), '\n'));
  const std::string text = "7767517\n" + std::to_string(layers) + " 99\n" +
                           before + layer + "\n" + after;
  return testing::AnswerOf(ImportNcnn(text, Weights(c), {}));
}

std::vector<Case> Cases() {
  // Kernel, dilation and stride go together: the second of each follows the
  // first, and the paddings one another.
  const std::vector<TriedParameter> window = {
      {11, "2", "3"},    {2, "1", "2"},  {12, "1", "2"},
      {3, "1", "2"},     {13, "1", "2"}, {4, "0", "1"},
      {14, "0", "1"},    {15, "0", "1"}, {16, "0", "1"},
      {5, "0", nullptr}, {9, "0", "1"},  {10, nullptr, nullptr},
      {7, "1", nullptr}};
  const auto with = [](std::vector<TriedParameter> a,
                       std::vector<TriedParameter> b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  };
  const std::vector<TriedParameter> sizes = {
      {0, nullptr, nullptr}, {1, nullptr, nullptr}, {6, nullptr, nullptr}};
  // A convolution along rows reads the other direction's for nothing.
  const std::vector<TriedParameter> along = {
      {0, nullptr, nullptr},  {1, nullptr, nullptr},  {6, nullptr, nullptr},
      {2, "1", "2"},          {3, "1", "2"},          {4, "0", "1"},
      {15, "0", "1"},         {5, "0", "1"},          {9, "0", "1"},
      {10, nullptr, nullptr}, {11, nullptr, nullptr}, {12, nullptr, nullptr},
      {13, nullptr, nullptr}, {14, nullptr, nullptr}, {16, nullptr, nullptr},
      {18, "0", "1"},         {8, "0", "1"},          {19, "0", "1"}};
  std::vector<Case> cases = {
      {"Convolution",
       {6, 7, 2},
       {{0, "1"}, {1, "2"}, {6, "8"}},
       with(with(window, sizes),
            {{18, "0", "1"}, {8, "0", "1"}, {19, "0", "1"}}),
       {{true, 8}}},
      // What follows another number when it is not given itself.
      {"Convolution",
       {6, 7, 2},
       {{0, "1"}, {1, "2"}, {6, "8"}, {2, "2"}, {3, "2"}},
       {{12, "2", "1"}, {13, "2", "1"}},
       {{true, 8}}},
      {"Convolution",
       {6, 7, 2},
       {{0, "1"}, {1, "2"}, {6, "8"}, {4, "1"}},
       {{14, "1", "0"}, {15, "1", "0"}, {16, "1", "0"}},
       {{true, 8}}},
      {"Convolution",
       {6, 7, 2},
       {{0, "1"}, {1, "2"}, {6, "8"}, {4, "1"}, {14, "2"}},
       {{16, "2", "1"}},
       {{true, 8}}},
      {"Convolution",
       {6, 7, 2},
       {{0, "1"}, {1, "2"}, {6, "8"}, {5, "0"}},
       {{5, "0", "1"}},
       {{true, 8}}},
      // Activations with parameters of their own.
      {"Convolution",
       {6, 7, 2},
       {{0, "1"}, {1, "1"}, {6, "2"}, {9, "2"}},
       {{10, "1,0.0", "1,0.5"}},
       {{true, 2}}},
      {"Convolution",
       {6, 7, 2},
       {{0, "1"}, {1, "1"}, {6, "2"}, {9, "3"}, {10, "2,-1.0,0.25"}},
       {{10, nullptr, "2,-1.0,0.5"}},
       {{true, 2}}},
      {"ConvolutionDepthWise",
       {6, 7, 2},
       {{0, "2"}, {1, "2"}, {6, "8"}, {7, "2"}},
       with(with(window, sizes),
            {{18, "0", "1"}, {8, "0", "1"}, {19, "0", "1"}}),
       {{true, 8}}},
      {"Deconvolution",
       {6, 7, 2},
       {{0, "1"}, {1, "2"}, {6, "8"}},
       with(with(window, sizes), {{20, "0", "9"},
                                  {21, "0", "9"},
                                  {28, "0", "1"},
                                  {18, "0", "1"},
                                  {19, "0", "1"}}),
       {{true, 8}}},
      {"DeconvolutionDepthWise",
       {6, 7, 2},
       {{0, "2"}, {1, "2"}, {6, "8"}, {7, "2"}},
       with(with(window, sizes), {{20, "0", "9"},
                                  {21, "0", "9"},
                                  {28, "0", "1"},
                                  {18, "0", "1"},
                                  {19, "0", "1"}}),
       {{true, 8}}},
      {"InnerProduct",
       {1, 1, 4},
       {{0, "2"}, {2, "8"}},
       {{0, nullptr, "4"},
        {2, nullptr, "4"},
        {1, "0", "1"},
        {8, "0", "1"},
        {9, "0", "1"},
        {10, nullptr, nullptr}},
       {{true, 8}}},
      {"Gemm",
       {3, 3},
       {{5, "1"}, {6, "1"}, {8, "3"}, {9, "3"}},
       {{0, "1", "2"},
        {1, "1", "2"},
        {2, "0", "1"},
        {3, "0", "1"},
        {4, "0", "1"},
        {5, nullptr, "0"},
        {6, nullptr, "0"},
        {8, nullptr, "9"},
        {9, nullptr, "9"},
        {10, "0", "4"},
        {11, "0", "1"},
        {13, "0", "1"},
        {14, "0", "1"},
        {18, "0", "1"}},
       {{true, 9}, {true, 1}}},
      {"MatMul", {3, 3}, {}, {{0, "0", "1"}}, {}, 2},
      {"Pooling",
       {6, 7, 2},
       {{1, "2"}, {5, "1"}},
       {{0, "0", "1"},
        {1, nullptr, "3"},
        {11, "2", "3"},
        {2, "1", "2"},
        {12, "1", "2"},
        {3, "0", "1"},
        {13, "0", "1"},
        {14, "0", "1"},
        {15, "0", "1"},
        {4, "0", "1"},
        {7, "0", "1"},
        {8, "0", nullptr},
        {18, "0", nullptr}}},
      {"Pooling", {6, 7, 2}, {{1, "2"}, {5, "1"}, {2, "2"}}, {{12, "2", "1"}}},
      // Mode 0 covers a rest.
      {"Pooling", {6, 7, 2}, {{1, "2"}, {2, "2"}}, {{5, "0", "1"}}},
      {"Pooling",
       {6, 6, 2},
       {{0, "1"}, {1, "3"}, {3, "1"}, {5, "1"}},
       {{6, "0", "1"}}},
      {"Pooling", {6, 7, 2}, {{7, "1"}, {8, "1"}}, {{18, "1", "2"}}},
      {"BatchNorm",
       {2, 2, 3},
       {{0, "3"}},
       {{0, nullptr, "2"}, {1, "0", "1"}},
       {{false, 3}, {false, 3}, {false, 3}, {false, 3}}},
      {"Scale",
       {2, 2, 3},
       {{0, "3"}},
       {{0, nullptr, "2"}, {1, "0", "1"}},
       {{false, 3}}},
      {"LayerNorm",
       {3, 2},
       {{0, "3"}},
       {{0, nullptr, "2"}, {1, "0.001", "1"}, {2, "1", "0"}},
       {{false, 3}, {false, 3}}},
      {"Reduction",
       {2, 3, 4},
       {{1, "0"}, {3, "2,1,2"}, {5, "1"}},
       {{0, "0", "3"},
        {2, "1", "2"},
        {3, nullptr, "1,2"},
        {4, "0", "1"},
        {5, nullptr, "0"}}},
      // All axes; the result then has one number.
      {"Reduction", {2, 3, 4}, {{4, "1"}}, {{1, "1", "0"}}},
      {"Softmax", {3, 4}, {{1, "1"}}, {{0, "0", "1"}, {1, nullptr, nullptr}}},
      {"Softmax", {3, 4}, {{0, "1"}}, {{1, "0", "1"}}},
      {"Interp",
       {2, 3, 1},
       {{0, "2"}, {1, "2"}, {2, "2"}},
       {{0, nullptr, "1"}, {1, "1", "3"}, {2, "1", "3"}, {5, "0", "1"}}},
      // A size counts where both are given.
      {"Interp",
       {2, 3, 1},
       {{0, "2"}, {1, "2"}, {2, "2"}, {4, "6"}},
       {{3, "0", "9"}}},
      {"Interp",
       {2, 3, 1},
       {{0, "2"}, {1, "2"}, {2, "2"}, {3, "9"}},
       {{4, "0", "6"}}},
      {"Interp",
       {2, 3, 1},
       {{0, "2"}, {3, "6"}, {4, "6"}},
       {{6, "0", "1"}, {3, nullptr, "9"}, {4, nullptr, "8"}}},
      {"LSTM",
       {1, 3},
       {{0, "1"}, {1, "4"}},
       {{0, nullptr, "2"},
        {1, nullptr, "8"},
        {2, "0", "1"},
        {3, "1", "2"},
        {8, "0", "1"}},
       {{true, 4}, {true, 4}, {true, 4}}},
      {"ReLU", {2, 3, 2}, {}, {{0, "0", "0.5"}}},
      {"GELU", {2, 3, 2}, {}, {{0, "0", "1"}}},
      {"HardSigmoid", {2, 3, 2}, {}, {{0, "0.2", "0.5"}, {1, "0.5", "0.25"}}},
      {"HardSwish", {2, 3, 2}, {}, {{0, "0.2", "0.5"}, {1, "0.5", "0.25"}}},
      {"Clip",
       {2, 3, 2},
       {},
       {{0, "-3.402823e38", "0"}, {1, "3.402823e38", "0"}}},
      {"ELU", {2, 3, 2}, {}, {{0, "0.1", "1"}}},
      {"Exp", {2, 3, 2}, {}, {{0, "-1", "2"}, {1, "1", "2"}, {2, "0", "1"}}},
      // Of numbers that have a logarithm.
      {"Log",
       {2, 3, 2},
       {{1, "0"}, {2, "3"}},
       {{0, "-1", "2"}, {1, nullptr, nullptr}, {2, nullptr, nullptr}}},
      {"GroupNorm",
       {2, 3, 2},
       {{1, "2"}},
       {{0, "1", "2"}, {1, nullptr, "1"}, {2, "0.001", "1"}, {3, "1", "0"}},
       {{false, 2}, {false, 2}}},
      {"SELU",
       {2, 3, 2},
       {},
       {{0, "1.67326324", "1"}, {1, "1.050700987", "2"}}},
      {"PReLU", {2, 3, 2}, {{0, "2"}}, {{0, nullptr, "1"}}, {{false, 2}}},
      {"BinaryOp", {2, 3, 2}, {}, {{0, "0", "1"}}, {}, 2},
      {"BinaryOp",
       {2, 3, 2},
       {{1, "1"}, {0, "1"}},
       {{2, "0", "1"}, {1, nullptr, "0"}}},
      {"BinaryOp", {2, 3, 2}, {}, {{1, "0", "1"}}, {}, 2},
      {"UnaryOp", {2, 3, 2}, {}, {{0, "0", "1"}}},
      {"Eltwise",
       {2, 3, 2},
       {},
       {{0, "0", "1"}, {1, nullptr, "2,2.0,3.0"}},
       {},
       2},
      {"MemoryData",
       {2, 3, 2},
       {{0, "2"}, {1, "3"}, {2, "2"}},
       {{0, nullptr, "3"},
        {1, nullptr, "4"},
        {2, nullptr, "0"},
        {11, "0", "1"},
        {21, "1", "0"}},
       {{false, 12}},
       0},
      {"Dropout", {2, 3, 2}, {{0, "0.5"}}, {{0, nullptr, "0.25"}}},
      {"Concat", {2, 3, 2}, {}, {{0, "0", "1"}}, {}, 2},
      {"Slice",
       {2, 2, 2},
       {{0, "2,-233,-233"}},
       {{0, nullptr, "2,2,-233"}, {1, "0", "1"}},
       {},
       1,
       2},
      {"Crop",
       {4, 4, 4},
       {{9, "1,1"}, {10, "1,3"}},
       {{9, nullptr, "1,2"}, {10, nullptr, "1,4"}, {11, "1,0", "1,1"}}},
      {"Padding",
       {3, 3, 2},
       {{0, "1"}},
       {{0, nullptr, "2"},
        {1, "0", "1"},
        {2, "0", "1"},
        {3, "0", "1"},
        {4, "0", "2"},
        {5, "0", "1"},
        {6, "0", "1"},
        {7, "0", "1"},
        {8, "0", "1"}}},
      {"Permute", {3, 4}, {}, {{0, "0", "1"}}},
      {"Reshape",
       {2, 3, 2},
       {{0, "3"}, {1, "2"}, {2, "2"}},
       {{0, nullptr, "2"},
        {1, nullptr, "4"},
        {2, nullptr, "4"},
        {11, "-233", "1"},
        {3, "0", "1"},
        {6, nullptr, "1"}}},
      {"Squeeze", {1, 1, 4}, {{3, "2,1,2"}}, {{3, nullptr, "1,1"}}},
      {"ShuffleChannel", {2, 3, 6}, {{0, "2"}}, {{0, "1", "2"}, {1, "0", "1"}}},
      {"PixelShuffle", {2, 3, 8}, {{0, "2"}}, {{0, "1", "2"}, {1, "0", "1"}}},
      {"Power", {2, 3, 2}, {}, {{0, "1", "2"}, {1, "1", "3"}, {2, "0", "1"}}},
      {"Bias", {2, 3, 2}, {{0, "2"}}, {{0, nullptr, "1"}}, {{false, 2}}},
      {"ExpandDims", {3, 4}, {{3, "1,0"}}, {{3, nullptr, "1,2"}}},
      {"InstanceNorm",
       {2, 3, 2},
       {{0, "2"}},
       {{0, nullptr, "1"}, {1, "0.001", "0.5"}},
       {{false, 4}}},
      {"InstanceNorm", {2, 3, 2}, {{0, "2"}}, {{2, "1", "0"}}, {{false, 4}}},
      {"Normalize",
       {2, 3, 2},
       {{3, "2"}},
       {{0, "0", "1"},
        {1, "0", "1"},
        {2, "0.0001", "0.5"},
        {3, nullptr, "1"},
        {4, "1", "0"},
        {9, "0", "1"}},
       {{false, 2}}},
      {"LRN",
       {2, 3, 4},
       {},
       {{0, "0", "1"},
        {1, "5", "3"},
        {2, "1", "2"},
        {3, "0.75", "0.5"},
        {4, "1", "2"}}},
      {"Threshold", {2, 3, 2}, {}, {{0, "0", "2"}}},
      {"CELU", {2, 3, 2}, {}, {{0, "1", "2"}}},
      {"Reorg", {4, 6, 2}, {{0, "2"}}, {{0, nullptr, "1"}, {1, "0", "1"}}},
      {"Tile",
       {2, 3, 2},
       {{1, "2"}},
       {{0, "0", "1"}, {1, "1", "3"}, {2, nullptr, "1,2"}}},
      {"Convolution1D",
       {6, 2},
       {{0, "1"}, {1, "2"}, {6, "4"}},
       with(along, {{7, nullptr, nullptr}}),
       {{true, 4}}},
      {"ConvolutionDepthWise1D",
       {6, 2},
       {{0, "2"}, {1, "2"}, {6, "4"}, {7, "2"}},
       with(along, {{7, "1", nullptr}}),
       {{true, 4}}},
      {"Pooling1D",
       {6, 4},
       {{1, "2"}, {5, "1"}},
       {{0, "0", "1"},
        {1, nullptr, "3"},
        {2, "1", "2"},
        {3, "0", "1"},
        {14, "0", "1"},
        {4, "0", "1"},
        {7, "0", "1"},
        {8, "0", nullptr},
        {11, nullptr, nullptr},
        {12, nullptr, nullptr},
        {13, nullptr, nullptr},
        {15, nullptr, nullptr},
        {18, nullptr, nullptr}}},
      {"Pooling1D", {7, 4}, {{1, "2"}, {2, "2"}}, {{5, "0", "1"}}},
      {"Pooling1D",
       {6, 4},
       {{0, "1"}, {1, "3"}, {3, "1"}, {5, "1"}},
       {{6, "0", "1"}}},
      {"GRU",
       {1, 3},
       {{0, "1"}, {1, "3"}},
       {{0, nullptr, "2"}, {1, nullptr, "4"}, {2, "0", "1"}, {8, "0", "1"}},
       {{true, 3}, {true, 4}, {true, 3}}},
      {"RNN",
       {1, 3},
       {{0, "1"}, {1, "1"}},
       {{0, nullptr, "2"}, {1, nullptr, "4"}, {2, "0", "1"}, {8, "0", "1"}},
       {{true, 1}, {true, 1}, {true, 1}}},
      {"MultiHeadAttention",
       {4, 3},
       {{0, "4"}, {2, "16"}},
       {{0, nullptr, "2"},
        {1, "1", "2"},
        {2, nullptr, "8"},
        {3, "4", "2"},
        {4, "4", "2"},
        {5, "0", "1"},
        {6, "0.5", "2"},
        {7, "0", "1"},
        {18, "0", "1"}},
       {{true, 16},
        {false, 4},
        {true, 16},
        {false, 4},
        {true, 16},
        {false, 4},
        {true, 16},
        {false, 4}}},
      {"RMSNorm",
       {3, 2},
       {{0, "3"}},
       {{0, nullptr, "2"}, {1, "0.001", "1"}, {2, "1", "0"}},
       {{false, 3}}},
      {"CumulativeSum", {3, 2}, {}, {{0, "0", "1"}}},
      {"GLU", {4, 2}, {}, {{0, "0", "1"}}},
      {"Shrink", {2, 3, 2}, {}, {{0, "0", "1"}, {1, "0.5", "9"}}},
      {"GridSample",
       {2, 3, 4},
       {},
       {{0, "1", "3"}, {1, "1", "2"}, {2, "0", "1"}, {3, "0", "1"}},
       {},
       2},
      {"Unfold",
       {6, 7, 2},
       {{1, "2"}},
       {{1, nullptr, "3"},
        {11, "2", "3"},
        {2, "1", "2"},
        {12, "1", "2"},
        {3, "1", "2"},
        {13, "1", "2"},
        {4, "0", "1"},
        {14, "0", "1"},
        {15, "0", "1"},
        {16, "0", "1"}}},
      {"Unfold",
       {6, 7, 2},
       {{1, "2"}, {4, "1"}},
       {{14, "1", "0"}, {15, "1", "0"}, {16, "1", "0"}, {18, "0", "1"}}},
      {"DeformableConv2D",
       {3, 3, 2},
       {{0, "1"}, {1, "1"}, {6, "2"}},
       {{0, nullptr, "2"},
        {1, nullptr, "2"},
        {11, "1", "2"},
        {2, "1", nullptr},
        {12, "1", nullptr},
        {3, "1", "2"},
        {13, "1", "2"},
        {4, "0", "1"},
        {14, "0", "1"},
        {15, "0", "1"},
        {16, "0", "1"},
        {5, "0", "1"},
        {6, nullptr, "4"},
        {9, "0", "4"},
        {10, nullptr, nullptr}},
       {{true, 2}},
       2},
      {"Crop",
       {4, 4, 4},
       {{3, "2"}, {4, "2"}, {5, "2"}},
       {{0, "0", "1"},
        {1, "0", "1"},
        {2, "0", "1"},
        {3, nullptr, "3"},
        {4, nullptr, "3"},
        {5, nullptr, "3"},
        {6, "0", "3"},
        {7, "0", "3"},
        {8, "0", "3"},
        {13, "0", "1"},
        {14, "0", "1"},
        {15, "0", "1"},
        {19, nullptr, "1"},
        {20, nullptr, "1"}}},
  };
  return cases;
}

TEST(NcnnDefaults, WhatIsLeftOutIsAsTheLayersSay) {
  for (const Case& c : Cases()) {
    for (const TriedParameter& parameter : c.parameters) {
      if (parameter.other == nullptr) continue;
      testing::Tried tried;
      tried.what = std::string(c.layer) + ": " + std::to_string(parameter.id);
      tried.without = parameter.standard != nullptr
                          ? Try(c, parameter.id, nullptr)
                          : Try(c, -1, nullptr);
      if (parameter.standard != nullptr)
        tried.with_default = Try(c, parameter.id, parameter.standard);
      tried.with_other = Try(c, parameter.id, parameter.other);
      testing::CheckAttribute(tried);
    }
  }
}

TEST(NcnnDefaults, EveryParameterThatIsReadHasARow) {
  std::map<std::string, std::set<std::string>> listed;
  for (const Case& c : Cases())
    for (const TriedParameter& parameter : c.parameters)
      listed[c.layer].insert(std::to_string(parameter.id));
  // Layers without parameters, and what is read of others in their place.
  for (const char* layer : {"Split", "Noop", "Flatten", "Mish", "Softplus",
                            "BNLL", "Erf", "Cast", "Packing"})
    listed[layer];
  // By the numbers of sequence_test.cc and other_test.cc.
  listed["Embed"] = {"0", "1", "2", "3", "18"};  // By int8_test.cc.
  listed["SDPA"] = {"5", "6", "7", "18"};
  listed["CopyTo"] = {"0", "1", "2", "9", "11", "13"};
  // By the numbers of detection_test.cc: what they say has no place here.
  listed["PriorBox"] = {"0", "1", "2", "3",  "4",  "5",  "6",
                        "7", "8", "9", "10", "11", "12", "13"};
  listed["DetectionOutput"] = {"0", "1", "2", "3", "4"};
  listed["Yolov3DetectionOutput"] = {"0", "1", "2", "3", "4", "5", "6"};
  for (const char* layer : {"ReLU", "Sigmoid", "TanH", "GELU", "HardSigmoid",
                            "HardSwish", "Swish", "Clip", "ELU", "AbsVal"})
    listed[layer].insert({"0", "1"});
  testing::CheckAllAreListed("ncnn", listed);
}

}  // namespace
}  // namespace munja::foreign::ncnn
