// Layers on rows: their numbers by the formulas of ncnn, in plain loops.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "import/ncnn/testing.h"

namespace munja::importer::ncnn {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;
using Floats = std::vector<float>;

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// Numbers between -1 and 1, none the same as its neighbors.
Floats Drawn(size_t count, int seed) {
  Floats v;
  for (size_t i = 0; i < count; ++i)
    v.push_back(static_cast<float>(
        std::sin(1.7 * static_cast<double>(i + 1) + 0.9 * seed)));
  return v;
}

// Rows of `width` values from an image of one channel.
std::vector<std::string> Rows(int steps, int width, const std::string& layer) {
  const std::string w = std::to_string(width), h = std::to_string(steps);
  return {"Input in 0 1 x 0=" + w + " 1=" + h + " 2=1",
          "Reshape r 1 1 x a 0=" + w + " 1=" + h, layer};
}

TEST(NcnnSequence, Gru_Bidirectional) {
  constexpr int kSteps = 3, kIn = 2, kHidden = 2;
  const Floats x = Drawn(kSteps * kIn, 1);
  const Floats wx = Drawn(2 * 3 * kHidden * kIn, 2);
  const Floats b = Drawn(2 * 4 * kHidden, 3);
  const Floats wh = Drawn(2 * 3 * kHidden * kHidden, 4);
  Bin bin;
  bin.Tag().Floats(wx).Tag().Floats(b).Tag().Floats(wh);
  const Floats y = RunTflite(Rows(kSteps, kIn, "GRU g 1 1 a y 0=2 1=24 2=2"),
                             bin, {1, kSteps, kIn, 1}, x);
  Floats expected(kSteps * 2 * kHidden);
  for (int d = 0; d < 2; ++d) {
    double h[kHidden] = {0, 0};
    const auto sum = [&](int t, int gate, int q, bool state) {
      const int row = (d * 3 + gate) * kHidden + q;
      double s = 0;
      for (int i = 0; i < (state ? kHidden : kIn); ++i)
        s += state ? wh[row * kHidden + i] * h[i]
                   : wx[row * kIn + i] * x[t * kIn + i];
      return s;
    };
    const auto bias = [&](int i, int q) {
      return b[(d * 4 + i) * kHidden + q];
    };
    for (int step = 0; step < kSteps; ++step) {
      const int t = d == 0 ? step : kSteps - 1 - step;
      double next[kHidden];
      for (int q = 0; q < kHidden; ++q) {
        const double r =
            Sigmoid(sum(t, 0, q, false) + sum(t, 0, q, true) + bias(0, q));
        const double u =
            Sigmoid(sum(t, 1, q, false) + sum(t, 1, q, true) + bias(1, q));
        const double n = std::tanh(sum(t, 2, q, false) + bias(2, q) +
                                   r * (sum(t, 2, q, true) + bias(3, q)));
        next[q] = (1 - u) * n + u * h[q];
      }
      for (int q = 0; q < kHidden; ++q) {
        h[q] = next[q];
        expected[static_cast<size_t>((t * 2 + d) * kHidden + q)] =
            static_cast<float>(h[q]);
      }
    }
  }
  EXPECT_THAT(y, Pointwise(FloatNear(1e-6f), expected));
}

TEST(NcnnSequence, Rnn_Reverse) {
  // h = tanh(w x + b + r h), from the last row to the first.
  Bin bin;
  bin.Tag().Floats({0.5f}).Tag().Floats({0.1f}).Tag().Floats({-0.3f});
  const Floats x = {0.2f, -0.4f, 0.9f};
  const double c = std::tanh(0.5 * 0.9 + 0.1);
  const double b = std::tanh(0.5 * -0.4 + 0.1 - 0.3 * c);
  const double a = std::tanh(0.5 * 0.2 + 0.1 - 0.3 * b);
  EXPECT_THAT(
      RunTflite(Rows(3, 1, "RNN r 1 1 a y 0=1 1=1 2=1"), bin, {1, 3, 1, 1}, x),
      ElementsAre(FloatNear(static_cast<float>(a), 1e-6f),
                  FloatNear(static_cast<float>(b), 1e-6f),
                  FloatNear(static_cast<float>(c), 1e-6f)));
}

// Two channels of four elements: 1 x 3 kernels, stride 2, padding 1.
TEST(NcnnSequence, Convolution1D_ByHand) {
  const Floats x = {1, 2, 3, 4, 10, 20, 30, 40};
  Bin bin;
  bin.Tag().Floats({1, 0, -1, 0.5f, 0, 0}).Floats({7});
  // Places -1 0 1 and 1 2 3 of both channels.
  EXPECT_THAT(RunTflite(Rows(2, 4,
                             "Convolution1D c 1 1 a y 0=1 1=3 3=2 4=1 "
                             "5=1 6=6"),
                        bin, {1, 2, 4, 1}, x),
              ElementsAre(0 - 2 + 0 + 7, 2 - 4 + 0.5f * 20 + 7));
  Bin apart;
  apart.Tag().Floats({1, 2, 3, -1});
  EXPECT_THAT(RunTflite(Rows(2, 4,
                             "ConvolutionDepthWise1D c 1 1 a y 0=2 1=2 6=4 7=2 "
                             "9=1"),
                        apart, {1, 2, 4, 1}, x),
              ElementsAre(5, 8, 11, 10, 30, 50));
}

TEST(NcnnSequence, Pooling1D_ByHand) {
  const Floats x = {1, 5, 2, 4, 3, -1, -5, -2, -4, -3};
  EXPECT_THAT(RunTflite(Rows(2, 5, "Pooling1D p 1 1 a y 0=0 1=2 2=2 5=1"), {},
                        {1, 2, 5, 1}, x),
              ElementsAre(5, 4, -1, -2));
  EXPECT_THAT(
      RunTflite(Rows(2, 5, "Pooling1D p 1 1 a y 0=1 4=1"), {}, {1, 2, 5, 1}, x),
      ElementsAre(3, -3));
  // Parts 0 1, 1 2 3, 3 4 of five elements.
  EXPECT_THAT(RunTflite(Rows(2, 5, "Pooling1D p 1 1 a y 0=0 7=1 8=3"), {},
                        {1, 2, 5, 1}, x),
              ElementsAre(5, 5, 4, -1, -2, -3));
  EXPECT_THAT(RunTflite(Rows(2, 5, "Pooling1D p 1 1 a y 0=1 7=1 8=1"), {},
                        {1, 2, 5, 1}, x),
              ElementsAre(3, -3));
}

// Rows times a matrix of [outputs, width], plus a bias.
std::vector<Floats> Product(const std::vector<Floats>& rows, const Floats& w,
                            const Floats& bias) {
  std::vector<Floats> y;
  for (const Floats& row : rows) {
    Floats out;
    for (size_t o = 0; o < bias.size(); ++o) {
      double sum = bias[o];
      for (size_t i = 0; i < row.size(); ++i)
        sum += w[o * row.size() + i] * row[i];
      out.push_back(static_cast<float>(sum));
    }
    y.push_back(out);
  }
  return y;
}

// Columns [first, first + width) of one head.
std::vector<Floats> Head(const std::vector<Floats>& q,
                         const std::vector<Floats>& k,
                         const std::vector<Floats>& v, size_t first,
                         size_t width, double scale) {
  std::vector<Floats> y;
  for (const Floats& row : q) {
    std::vector<double> weights;
    double sum = 0;
    for (const Floats& key : k) {
      double dot = 0;
      for (size_t i = first; i < first + width; ++i) dot += row[i] * key[i];
      weights.push_back(std::exp(dot * scale));
      sum += weights.back();
    }
    Floats out;
    for (size_t i = first; i < first + width; ++i) {
      double value = 0;
      for (size_t j = 0; j < v.size(); ++j) value += weights[j] / sum * v[j][i];
      out.push_back(static_cast<float>(value));
    }
    y.push_back(out);
  }
  return y;
}

TEST(NcnnSequence, MultiHeadAttention_TwoHeads) {
  const Floats x = Drawn(3 * 4, 1);
  std::vector<Floats> rows;
  for (size_t t = 0; t < 3; ++t)
    rows.emplace_back(x.begin() + static_cast<long>(4 * t),
                      x.begin() + static_cast<long>(4 * t + 4));
  Floats w[4], b[4];
  Bin bin;
  for (int i = 0; i < 4; ++i) {
    w[i] = Drawn(16, 10 + i);
    b[i] = Drawn(4, 20 + i);
    bin.Tag().Floats(w[i]).Floats(b[i]);
  }
  const auto q = Product(rows, w[0], b[0]), k = Product(rows, w[1], b[1]),
             v = Product(rows, w[2], b[2]);
  const double scale = 1 / std::sqrt(2.0);
  auto both = Head(q, k, v, 0, 2, scale);
  const auto second = Head(q, k, v, 2, 2, scale);
  for (size_t t = 0; t < both.size(); ++t)
    both[t].insert(both[t].end(), second[t].begin(), second[t].end());
  Floats expected;
  for (const Floats& row : Product(both, w[3], b[3]))
    expected.insert(expected.end(), row.begin(), row.end());
  EXPECT_THAT(RunTflite(Rows(3, 4, "MultiHeadAttention m 1 1 a y 0=4 1=2 2=16"),
                        bin, {1, 3, 4, 1}, x),
              Pointwise(FloatNear(1e-5f), expected));
}

// Two heads of the query share one of key and value.
TEST(NcnnSequence, Sdpa_SharedHeads) {
  const Floats x = Drawn(2 * 3 * 2, 5);  // NHWC: 3 rows, 2 columns, 2 heads.
  const auto heads = [&](size_t c) {
    std::vector<Floats> rows;
    for (size_t t = 0; t < 3; ++t)
      rows.push_back({x[(t * 2) * 2 + c], x[(t * 2 + 1) * 2 + c]});
    return rows;
  };
  const std::vector<std::string> layers = {
      "Input in 0 1 x 0=2 1=3 2=2", "Split s 1 3 x q k v",
      "Crop a 1 1 k k0 -23309=1,0 -23310=1,1 -23311=1,0",
      "Crop b 1 1 v v1 -23309=1,1 -23310=1,2 -23311=1,0",
      "SDPA m 3 1 q k0 v1 y 6=0.5"};
  Floats expected;
  const auto first = Head(heads(0), heads(0), heads(1), 0, 2, 0.5),
             second = Head(heads(1), heads(0), heads(1), 0, 2, 0.5);
  for (size_t t = 0; t < 3; ++t)
    for (size_t i = 0; i < 2; ++i) {
      expected.push_back(first[t][i]);
      expected.push_back(second[t][i]);
    }
  EXPECT_THAT(RunTflite(layers, {}, {1, 3, 2, 2}, x),
              Pointwise(FloatNear(1e-6f), expected));
}

TEST(NcnnSequence, OtherForms_AreRefused) {
  const auto refusal = [](const std::string& layer) {
    const auto model = ImportNcnn(Param(Rows(3, 4, layer)), {}, {});
    EXPECT_FALSE(model.ok()) << layer;
    return model.ok() ? std::string() : std::string(model.status().message());
  };
  EXPECT_THAT(refusal("GRU g 1 1 a y 0=2 1=24 8=1"), HasSubstr("int8"));
  EXPECT_THAT(refusal("GRU g 1 1 a y 0=2 1=25"), HasSubstr("25 weights"));
  EXPECT_THAT(refusal("GRU g 1 1 a y 0=-2 1=24"), HasSubstr("outputs"));
  EXPECT_THAT(refusal("MultiHeadAttention m 1 1 a y 0=4 1=2 2=16 7=1"),
              HasSubstr("cache"));
  EXPECT_THAT(refusal("MultiHeadAttention m 1 1 a y 0=4 1=3 2=16"),
              HasSubstr("3 heads"));
  EXPECT_THAT(refusal("Convolution c 1 1 a y 0=1 1=1 6=4"), HasSubstr("rank"));
}

}  // namespace
}  // namespace munja::importer::ncnn
