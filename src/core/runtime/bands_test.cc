// By bands = step by step, bit for bit.
#include "runtime/bands.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "runtime/region_network_fuzz.h"

namespace munja::runtime {
namespace {

using graph::ValueId;
using testing::Network;

// Step by step, then by bands.
void Compare(Network& net, size_t max_bytes, const std::string& what,
             double max_repeated = 1000) {
  EXPECT_EQ(net.Compare(max_bytes, max_repeated), "") << what;
}

constexpr size_t kPlenty = size_t{64} << 20;

// The beginning of a text detector: two branches, one of them pooled, whose
// convolutions are added.
TEST(Bands, BranchesThatMeetAgain_MatchWholeMaps) {
  for (const int threads : {1, 2, 4}) {
    for (const int32_t h : {1, 2, 5, 16, 37, 64, 131}) {
      for (const int32_t w : {3, 70, 150}) {
        Network net(threads, ElementType::kFloat32, h % 3 == 1);
        ValueId x = net.Conv(net.Input({1, h, w, 3}), 16, 3, 2, "SAME");
        ValueId a = net.Conv(x, 8, 2, 1, "SAME");
        a = net.Conv(a, 16, 2, 1, "SAME");
        const ValueId b = net.Pool(x, "MAX_POOL_2D", 2, 1, "SAME");
        a = net.Conv(a, 16, 3, 2, "SAME");
        a = net.Conv(b, 16, 3, 2, "SAME", a);
        a = net.Conv(a, 32, 1, 1, "SAME");
        net.Depthwise(a, 3, 1, "SAME");
        Compare(net, kPlenty,
                std::to_string(h) + " x " + std::to_string(w) + ", threads " +
                    std::to_string(threads));
        EXPECT_GT(net.bands(), 0);
      }
    }
  }
}

TEST(Bands, WindowsOfAllKinds_MatchWholeMaps) {
  for (const int threads : {1, 2}) {
    for (const char* padding : {"SAME", "VALID"}) {
      for (const int32_t stride : {1, 2, 3}) {
        for (const int32_t kernel : {1, 2, 3, 5}) {
          for (const int32_t h : {31, 90}) {
            Network net(threads);
            ValueId x = net.Input({1, h, 33, 16});
            x = net.Depthwise(x, kernel, stride, padding);
            x = net.Pool(x, "AVERAGE_POOL_2D", kernel, 1, padding);
            x = net.Conv(x, 8, kernel, stride, padding);
            if (net.shape(x)[1] < kernel || net.shape(x)[2] < kernel) continue;
            net.Depthwise(x, kernel, 1, padding);
            Compare(net, kPlenty,
                    std::string(padding) + ", stride " +
                        std::to_string(stride) + ", kernel " +
                        std::to_string(kernel) + ", height " +
                        std::to_string(h));
          }
        }
      }
    }
  }
}

// 3x3 convolutions of many channels are made in rows of squares.
TEST(Bands, WinogradConvolutions_MatchWholeMaps) {
  for (const int threads : {1, 2, 4}) {
    for (const int32_t h : {2, 7, 40, 101}) {
      // Memory for bands of many rows, and of few.
      for (const size_t memory : {kPlenty, kPlenty >> 7}) {
        Network net(threads);
        ValueId x = net.Input({1, h, 30, 16});
        x = net.Conv(x, 32, 3, 1, "SAME");
        x = net.Conv(x, 40, 3, 1, "SAME");
        x = net.Conv(x, 40, 3, 1, "SAME", x);
        net.Conv(x, 32, 3, 1, "SAME");
        Compare(net, memory, std::to_string(h));
        EXPECT_GT(net.bands(), 0);
      }
    }
  }
}

TEST(Bands, GatesAndResiduals_MatchWholeMaps) {
  for (const int threads : {1, 2, 4}) {
    for (const int32_t h : {1, 7, 100, 101}) {
      Network net(threads, ElementType::kFloat32, h % 2 == 0);
      ValueId x = net.Input({1, h, 40, 32});
      x = net.Binary("MUL", x, net.Input({1, 1, 1, 32}));
      x = net.Conv(net.Conv(x, 64, 1, 1, "SAME"), 32, 1, 1, "SAME", x);
      const ValueId y = net.Depthwise(x, 3, 1, "SAME");
      x = net.Conv(net.Conv(y, 64, 1, 1, "SAME"), 32, 1, 1, "SAME", y);
      x = net.Binary("ADD", x, y);
      net.Depthwise(x, 3, 2, "SAME");
      Compare(net, kPlenty, std::to_string(h));
      EXPECT_GT(net.bands(), 0);
    }
  }
}

TEST(Bands, PyramidLevels_MatchWholeMaps) {
  for (const int threads : {1, 2, 4}) {
    for (const int32_t h : {2, 3, 14, 90, 91}) {
      Network net(threads, ElementType::kFloat32, h % 2 == 0);
      const ValueId level = net.Input({1, h / 2, 20, 64});
      const ValueId gate = net.Input({1, 1, 1, 64});
      ValueId x = net.Input({1, h, 40, 32});
      x = net.Lateral(x, 64, gate, level);
      x = net.Depthwise(x, 5, 1, "SAME");
      net.Conv(x, 16, 1, 1, "SAME");
      Compare(net, kPlenty, std::to_string(h));
      EXPECT_GT(net.bands(), 0);
    }
  }
}

TEST(Bands, TransposedConvolutions_MatchWholeMaps) {
  for (const int threads : {1, 2}) {
    for (const int32_t kernel : {2, 3}) {
      for (const int32_t h : {1, 6, 41, 42}) {
        Network net(threads, ElementType::kFloat32, h % 2 == 0);
        ValueId x = net.Input({1, h, 30, 16});
        x = net.Transposed(x, 16, kernel);
        net.Transposed(x, 1, kernel);
        Compare(net, kPlenty, std::to_string(h));
        EXPECT_GT(net.bands(), 0);
      }
    }
  }
}

// Little memory: bands of two rows; less: none.
TEST(Bands, RowTiles_FitTheGivenMemory) {
  const auto bands = [](size_t max_bytes) {
    Network net(1);
    ValueId x = net.Input({1, 400, 40, 16});
    x = net.Depthwise(x, 3, 1, "SAME");
    net.Depthwise(x, 3, 1, "SAME");
    Compare(net, max_bytes, std::to_string(max_bytes));
    return net.bands();
  };
  const size_t row = 40 * 16 * sizeof(float);
  EXPECT_EQ(bands(6 * row - 1), 0);
  EXPECT_EQ(bands(6 * row), 200);
  EXPECT_GT(bands(20 * row), 1);
  EXPECT_LT(bands(20 * row), 200);
}

TEST(Bands, VeryHighMaps_HaveFewTiles) {
  Network net(2);
  ValueId x = net.Input({1, 140000, 1, 16});
  x = net.Depthwise(x, 3, 1, "SAME");
  net.Depthwise(x, 3, 1, "SAME");
  Compare(net, kPlenty, "high");
  EXPECT_GT(net.bands(), 1000);
  EXPECT_LE(net.bands(), 4096);
}

// Where threads meet, both make the rows that the windows of both cover.
TEST(Bands, HaloRows_AreFew) {
  const auto bands = [](int threads, double max_repeated) {
    Network net(threads);
    ValueId x = net.Input({1, 96, 20, 16});
    x = net.Depthwise(x, 3, 1, "SAME");
    net.Depthwise(x, 5, 1, "SAME");
    Compare(net, kPlenty, std::to_string(max_repeated), max_repeated);
    return net.bands();
  };
  EXPECT_EQ(bands(2, 3.9 / 48), 0);
  EXPECT_GT(bands(2, 4.1 / 48), 0);
  EXPECT_EQ(bands(4, 4.1 / 48), 0);
  EXPECT_GT(bands(1, 0), 0);
}

// Layers of quantized networks, for each type.
TEST(Bands, Integers_MatchWholeMaps) {
  for (const ElementType type :
       {ElementType::kInt8, ElementType::kUInt8, ElementType::kInt16}) {
    for (const int threads : {1, 2, 4}) {
      for (const int32_t h : {1, 2, 7, 38, 101}) {
        for (const int32_t w : {3, 34}) {
          Network net(threads, type);
          ValueId x = net.Quantize(net.RealInput({1, h, w, 3}));
          const ValueId first = net.Conv(x, 16, 3, 2, "SAME");
          x = net.Conv(first, 8, 2, 1, "SAME");
          x = net.Conv(x, 16, 2, 1, "SAME");
          x = net.Join({net.Pool(first, "MAX_POOL_2D", 2, 1, "SAME"), x});
          x = net.Conv(x, 32, 3, 2, "SAME");
          x = net.Binary("MUL", x, net.Input({1, 1, 1, 32}));
          ValueId y = net.Conv(x, 64, 1, 1, "SAME");
          y = net.Activation("GELU", y);
          y = net.Conv(y, 32, 1, 1, "SAME");
          x = net.Binary("ADD", x, y);
          x = net.Depthwise(x, 5, 1, "SAME");
          x = net.Enlarge(x, 2);
          x = net.Pool(x, "AVERAGE_POOL_2D", 3, 1, "SAME");
          x = net.Activation("RELU", x);
          x = net.Transposed(x, 16, 2);
          x = net.Transposed(x, 1, 2);
          net.Dequantize(x);
          Compare(net, kPlenty,
                  std::string(ElementTypeName(type)) + " " + std::to_string(h) +
                      " x " + std::to_string(w) + ", threads " +
                      std::to_string(threads));
          EXPECT_GT(net.bands(), 0);
        }
      }
    }
  }
}

// Maps of several sizes that one convolution reads.
TEST(Bands, JoinedIntegerMaps_MatchWholeMaps) {
  for (const ElementType type : {ElementType::kInt8, ElementType::kUInt8}) {
    for (const int threads : {1, 3}) {
      for (const int32_t h : {4, 20, 84}) {
        Network net(threads, type);
        const ValueId small = net.Input({1, h / 4, 9, 16});
        ValueId x = net.Input({1, h, 36, 8});
        x = net.Conv(x, 16, 3, 1, "SAME");
        const ValueId half = net.Depthwise(x, 3, 2, "SAME");
        x = net.ConvOfMaps({small, half, x}, h, 36, 8, 3);
        net.Depthwise(x, 3, 1, "SAME");
        Compare(net, kPlenty, std::to_string(h));
        EXPECT_GT(net.bands(), 0);
      }
    }
  }
}

TEST(Bands, RandomNetworks_MatchWholeMaps) {
  int several = 0;
  for (uint32_t seed = 0; seed < 400; ++seed) {
    std::mt19937 random(seed);
    std::vector<uint8_t> bytes(60);
    for (uint8_t& b : bytes) b = static_cast<uint8_t>(random());
    int32_t bands = 0;
    EXPECT_EQ(testing::CompareRandomNetwork(bytes.data(), bytes.size(), &bands),
              "")
        << seed;
    if (bands > 1) ++several;
  }
  EXPECT_GT(several, 200);
}

}  // namespace
}  // namespace munja::runtime
