// By bands = step by step, bit for bit.
#include "runtime/bands.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "runtime/node_context.h"
#include "runtime/testing.h"

namespace munja::runtime {
namespace {

using graph::kNoValue;
using graph::ValueId;
using testing::GraphBuilder;

Buffer Memory(size_t bytes) {
  auto buffer = Buffer::Allocate(bytes);
  EXPECT_TRUE(buffer.ok());
  return std::move(*buffer);
}

// Float operators on maps of one image, prepared and with memory.
class Network {
 public:
  explicit Network(int threads, bool is_reduced = false) : pool_(threads) {
    make_options_.reduced_precision = is_reduced;
  }

  ValueId Input(Shape shape) {
    const ValueId v = b_.Input(shape);
    views_.resize(b_.sub().values.size());
    views_[v] = NewView(shape, true);
    inputs_.push_back(v);
    return v;
  }
  ValueId Constant(Shape shape) {
    const std::vector<float> data = Numbers(shape.elements());
    return b_.Constant(shape, data);
  }
  ValueId Sizes(std::vector<int32_t> sizes) {
    return b_.Constant({static_cast<int32_t>(sizes.size())}, sizes);
  }

  ValueId Conv(ValueId x, int32_t out_c, int32_t kernel, int32_t stride,
               const char* padding, ValueId residual = kNoValue) {
    const int32_t in_c = views_[x].shape[3];
    std::vector<ValueId> inputs = {x, Constant({out_c, kernel, kernel, in_c}),
                                   Constant({out_c})};
    if (residual != kNoValue) inputs.push_back(residual);
    return Node("CONV_2D", std::move(inputs),
                {{"padding", std::string(padding)},
                 {"stride_h", int64_t{stride}},
                 {"stride_w", int64_t{stride}},
                 {"has_residual", residual != kNoValue},
                 {"fused_activation_function", std::string("RELU")}});
  }
  ValueId Depthwise(ValueId x, int32_t kernel, int32_t stride,
                    const char* padding) {
    const int32_t c = views_[x].shape[3];
    return Node("DEPTHWISE_CONV_2D",
                {x, Constant({1, kernel, kernel, c}), Constant({c})},
                {{"padding", std::string(padding)},
                 {"stride_h", int64_t{stride}},
                 {"stride_w", int64_t{stride}}});
  }
  ValueId Pool(ValueId x, const char* op, int32_t kernel, int32_t stride,
               const char* padding) {
    return Node(op, {x},
                {{"padding", std::string(padding)},
                 {"filter_height", int64_t{kernel}},
                 {"filter_width", int64_t{kernel}},
                 {"stride_h", int64_t{stride}},
                 {"stride_w", int64_t{stride}}});
  }
  ValueId Pair(ValueId x, int32_t middle, int32_t out_c, ValueId residual) {
    const int32_t in_c = views_[x].shape[3];
    return Node("CONV_2D_PAIR",
                {x, Constant({middle, 1, 1, in_c}), Constant({middle}),
                 Constant({out_c, 1, 1, middle}), kNoValue, residual},
                {{"first_fused_activation_function", std::string("GELU")}});
  }
  ValueId Transposed(ValueId x, int32_t out_c, int32_t kernel) {
    const Shape& in = views_[x].shape;
    return Node(
        "TRANSPOSE_CONV",
        {Sizes({1, in[1] * kernel, in[2] * kernel, out_c}),
         Constant({out_c, kernel, kernel, in[3]}), x, Constant({out_c})},
        {{"padding", std::string("VALID")},
         {"stride_h", int64_t{kernel}},
         {"stride_w", int64_t{kernel}},
         {"fused_activation_function", std::string("LOGISTIC")}});
  }
  ValueId Lateral(ValueId x, int32_t out_c, ValueId gate, ValueId level) {
    const Shape& in = views_[x].shape;
    return Node("LATERAL_CONV_2D",
                {x, Constant({out_c, 1, 1, in[3]}), Constant({out_c}), gate,
                 level, Sizes({in[1], in[2]})},
                {});
  }
  ValueId Binary(const char* op, ValueId a, ValueId b) {
    return Node(op, {a, b}, {});
  }

  // Step by step, then by bands: nothing if there are none.
  void Compare(size_t max_bytes, const std::string& what,
               double max_repeated = 1000) {
    SCOPED_TRACE(what);
    std::vector<Bands::Stage> stages;
    std::vector<Buffer> scratch;
    for (size_t n = 0; n < contexts_.size(); ++n) {
      NodeContext& context = *contexts_[n];
      scratch.push_back(Memory(scratch_bytes_[n] + 64));
      context.scratch_data = scratch.back().data();
      Bind(context);
      ASSERT_TRUE(kernels_[n]->Eval(context).ok());
      Bands::Stage stage{n, kernels_[n]->by_rows(), &context, {}};
      ASSERT_NE(stage.kernel, nullptr);
      ASSERT_TRUE(stage.kernel->CanSplitRows(context)) << n;
      for (int i = 0; i < context.inputs(); ++i) {
        int source =
            context.has_input(i) && stage.kernel->IsRowInput(context, i)
                ? Bands::kWholeMap
                : Bands::kNoRows;
        for (size_t p = 0; p < n; ++p)
          if (contexts_[p]->node().outputs[0] == context.node().inputs[i])
            source = static_cast<int>(p);
        stage.sources.push_back(source);
      }
      stages.push_back(std::move(stage));
    }
    auto bands = Bands::Make(std::move(stages), {.bytes = max_bytes,
                                                 .threads = pool_.threads(),
                                                 .repeated = max_repeated});
    bands_ = bands == nullptr ? 0 : bands->count();
    if (bands == nullptr) return;
    // Only the last map has memory now.
    NodeContext& last = *contexts_.back();
    const Buffer whole = std::move(buffers_.back());
    for (size_t n = 0; n + 1 < contexts_.size(); ++n)
      contexts_[n]->output_views[0].data = nullptr;
    const size_t bytes = last.output_views[0].bytes;
    Buffer made = Memory(bytes);
    constexpr size_t kBehind = 64;
    Buffer memory = Memory(bands->bytes() + kBehind);
    last.output_views[0].data = made.data();
    bands->Bind(memory.data());
    for (int run = 0; run < 2; ++run) {
      std::memset(made.data(), 0xff, bytes);
      std::memset(memory.data(), 0xff, memory.size());
      bands->Run(pool_, nullptr);
      EXPECT_EQ(std::memcmp(made.data(), whole.data(), bytes), 0);
      for (size_t i = 0; i < kBehind; ++i)
        ASSERT_EQ(memory.data()[bands->bytes() + i], 0xff);
    }
  }
  int32_t bands() const { return bands_; }
  const Shape& shape(ValueId v) const { return views_[v].shape; }

 private:
  using Options = std::vector<std::pair<std::string, graph::AttributeValue>>;

  std::vector<float> Numbers(int64_t count) {
    std::vector<float> out(static_cast<size_t>(count));
    for (float& x : out)
      x = static_cast<float>(random_() % 2001) / 1000.0f - 1.0f;
    return out;
  }
  TensorView NewView(const Shape& shape, bool is_filled) {
    TensorView view;
    view.shape = shape;
    view.bytes = static_cast<size_t>(shape.elements()) * sizeof(float);
    buffers_.push_back(Memory(view.bytes));
    view.data = buffers_.back().data();
    if (is_filled) {
      const std::vector<float> numbers = Numbers(shape.elements());
      std::memcpy(view.data, numbers.data(), view.bytes);
    }
    return view;
  }
  ValueId Node(const char* op, std::vector<ValueId> inputs,
               const Options& options) {
    const ValueId v = b_.Add(op, std::move(inputs));
    graph::Subgraph& sub = b_.sub();
    graph::Node& node = sub.nodes.back();
    for (const auto& [name, value] : options) node.attributes.Set(name, value);
    views_.resize(sub.values.size());
    for (const ValueId in : node.inputs) {
      if (in == kNoValue || !sub.values[in].constant) continue;
      views_[in].type = sub.values[in].type;
      views_[in].shape = sub.values[in].shape;
      views_[in].data =
          const_cast<uint8_t*>(sub.values[in].constant->bytes.data());
    }
    nodes_.push_back(std::make_unique<graph::Node>(node));
    const ops::OpImpl* impl = ops::FindOp(op);
    EXPECT_NE(impl, nullptr) << op;
    auto kernel = impl->make({sub, *nodes_.back(), make_options_});
    EXPECT_TRUE(kernel.ok()) << op << kernel.status().message();
    kernels_.push_back(std::move(*kernel));
    contexts_.push_back(
        std::make_unique<NodeContext>(*nodes_.back(), views_, pool_));
    Preparation preparation(*contexts_.back());
    const Status status = preparation.Run(*kernels_.back());
    EXPECT_TRUE(status.ok()) << op << status.message();
    scratch_bytes_.push_back(preparation.scratch_bytes());
    views_[v] = NewView(contexts_.back()->output_views[0].shape, false);
    return v;
  }
  void Bind(NodeContext& context) {
    const graph::Node& node = context.node();
    for (size_t i = 0; i < node.inputs.size(); ++i)
      if (node.inputs[i] != kNoValue)
        context.input_views[i].data = views_[node.inputs[i]].data;
    context.output_views[0].data = views_[node.outputs[0]].data;
  }

  ThreadPool pool_;
  ops::MakeOptions make_options_;
  GraphBuilder b_;
  std::mt19937 random_{7};
  std::vector<TensorView> views_;  // By value.
  std::vector<ValueId> inputs_;
  std::vector<Buffer> buffers_;  // The last one: of the last output.
  std::vector<std::unique_ptr<graph::Node>> nodes_;
  std::vector<std::unique_ptr<ops::Kernel>> kernels_;
  std::vector<std::unique_ptr<NodeContext>> contexts_;
  std::vector<size_t> scratch_bytes_;
  int32_t bands_ = 0;
};

constexpr size_t kPlenty = size_t{64} << 20;

// The beginning of a text detector: two branches, one of them pooled, whose
// convolutions are added.
TEST(Bands, BranchesMeetAgain) {
  for (const int threads : {1, 2, 4}) {
    for (const int32_t h : {1, 2, 5, 16, 37, 64, 131}) {
      for (const int32_t w : {3, 70, 150}) {
        Network net(threads, h % 3 == 1);
        ValueId x = net.Conv(net.Input({1, h, w, 3}), 16, 3, 2, "SAME");
        ValueId a = net.Conv(x, 8, 2, 1, "SAME");
        a = net.Conv(a, 16, 2, 1, "SAME");
        const ValueId b = net.Pool(x, "MAX_POOL_2D", 2, 1, "SAME");
        a = net.Conv(a, 16, 3, 2, "SAME");
        a = net.Conv(b, 16, 3, 2, "SAME", a);
        a = net.Conv(a, 32, 1, 1, "SAME");
        net.Depthwise(a, 3, 1, "SAME");
        net.Compare(kPlenty, std::to_string(h) + " x " + std::to_string(w) +
                                 ", threads " + std::to_string(threads));
        EXPECT_GT(net.bands(), 0);
      }
    }
  }
}

TEST(Bands, WindowsOfAllKinds) {
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
            net.Compare(kPlenty, std::string(padding) + ", stride " +
                                     std::to_string(stride) + ", kernel " +
                                     std::to_string(kernel) + ", height " +
                                     std::to_string(h));
          }
        }
      }
    }
  }
}

TEST(Bands, GatesResidualsAndPairs) {
  for (const int threads : {1, 2, 4}) {
    for (const int32_t h : {1, 7, 100, 101}) {
      Network net(threads, h % 2 == 0);
      ValueId x = net.Input({1, h, 40, 32});
      x = net.Binary("MUL", x, net.Input({1, 1, 1, 32}));
      x = net.Pair(x, 64, 32, x);
      const ValueId y = net.Depthwise(x, 3, 1, "SAME");
      x = net.Pair(y, 64, 32, y);
      x = net.Binary("ADD", x, y);
      net.Depthwise(x, 3, 2, "SAME");
      net.Compare(kPlenty, std::to_string(h));
      EXPECT_GT(net.bands(), 0);
    }
  }
}

TEST(Bands, LevelsOfAPyramid) {
  for (const int threads : {1, 2, 4}) {
    for (const int32_t h : {2, 3, 14, 90, 91}) {
      Network net(threads, h % 2 == 0);
      const ValueId level = net.Input({1, h / 2, 20, 64});
      const ValueId gate = net.Input({1, 1, 1, 64});
      ValueId x = net.Input({1, h, 40, 32});
      x = net.Lateral(x, 64, gate, level);
      x = net.Depthwise(x, 5, 1, "SAME");
      net.Conv(x, 16, 1, 1, "SAME");
      net.Compare(kPlenty, std::to_string(h));
      EXPECT_GT(net.bands(), 0);
    }
  }
}

TEST(Bands, TransposedConvolutions) {
  for (const int threads : {1, 2}) {
    for (const int32_t kernel : {2, 3}) {
      for (const int32_t h : {1, 6, 41, 42}) {
        Network net(threads, h % 2 == 0);
        ValueId x = net.Input({1, h, 30, 16});
        x = net.Transposed(x, 16, kernel);
        net.Transposed(x, 1, kernel);
        net.Compare(kPlenty, std::to_string(h));
        EXPECT_GT(net.bands(), 0);
      }
    }
  }
}

// Little memory: bands of two rows; less: none.
TEST(Bands, FitTheMemoryThatTheyAreGiven) {
  const auto bands = [](size_t max_bytes) {
    Network net(1);
    ValueId x = net.Input({1, 400, 40, 16});
    x = net.Depthwise(x, 3, 1, "SAME");
    net.Depthwise(x, 3, 1, "SAME");
    net.Compare(max_bytes, std::to_string(max_bytes));
    return net.bands();
  };
  const size_t row = 40 * 16 * sizeof(float);
  EXPECT_EQ(bands(6 * row - 1), 0);
  EXPECT_EQ(bands(6 * row), 200);
  EXPECT_GT(bands(20 * row), 1);
  EXPECT_LT(bands(20 * row), 200);
}

TEST(Bands, OfAVeryHighMapAreNotManyMore) {
  Network net(2);
  ValueId x = net.Input({1, 140000, 1, 16});
  x = net.Depthwise(x, 3, 1, "SAME");
  net.Depthwise(x, 3, 1, "SAME");
  net.Compare(kPlenty, "high");
  EXPECT_GT(net.bands(), 1000);
  EXPECT_LE(net.bands(), 4096);
}

// Where threads meet, both make the rows that the windows of both cover.
TEST(Bands, FewRowsAreMadeTwice) {
  const auto bands = [](int threads, double max_repeated) {
    Network net(threads);
    ValueId x = net.Input({1, 96, 20, 16});
    x = net.Depthwise(x, 3, 1, "SAME");
    net.Depthwise(x, 5, 1, "SAME");
    net.Compare(kPlenty, std::to_string(max_repeated), max_repeated);
    return net.bands();
  };
  EXPECT_EQ(bands(2, 3.9 / 48), 0);
  EXPECT_GT(bands(2, 4.1 / 48), 0);
  EXPECT_EQ(bands(4, 4.1 / 48), 0);
  EXPECT_GT(bands(1, 0), 0);
}

}  // namespace
}  // namespace munja::runtime
