#include "runtime/testing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "tensor/half.h"

namespace munja::runtime::testing {
namespace {

using ops::EvalContext;
using ops::Kernel;
using ops::NodeInfo;
using ops::PrepareContext;

struct Neg : Kernel {
  Status Prepare(PrepareContext& c) const override {
    c.AllowInPlace(0, 0);
    return c.SetOutputShape(0, c.input(0).shape);
  }
  Status Eval(EvalContext& c) const override {
    // Some machines would not read it.
    if (reinterpret_cast<uintptr_t>(c.input(0).data) % alignof(float) != 0)
      return InvalidArgument("the input is not aligned");
    const size_t n = c.output(0).bytes / sizeof(float);
    for (size_t i = 0; i < n; ++i)
      c.output(0).mutable_as<float>()[i] = -c.input(0).as<float>()[i];
    return Status();
  }
  int64_t MultiplyAccumulates(
      std::span<const TensorView>,
      std::span<const TensorView> outputs) const override {
    return outputs[0].shape.elements();
  }
  size_t packed_bytes() const override { return 10; }
};

struct Add : Kernel {
  Status Prepare(PrepareContext& c) const override {
    if (c.input(0).shape != c.input(1).shape)
      return InvalidArgument("operands differ in shape");
    c.AllowInPlace(0, 0);
    c.AllowInPlace(0, 1);
    return c.SetOutputShape(0, c.input(0).shape);
  }
  Status Eval(EvalContext& c) const override {
    const size_t n = c.output(0).bytes / sizeof(float);
    for (size_t i = 0; i < n; ++i) {
      c.output(0).mutable_as<float>()[i] =
          c.input(0).as<float>()[i] + c.input(1).as<float>()[i];
    }
    return Status();
  }
};

struct Roll : Kernel {
  Status Prepare(PrepareContext& c) const override {
    c.RequestScratch(c.input(0).bytes);
    return c.SetOutputShape(0, c.input(0).shape);
  }
  Status Eval(EvalContext& c) const override {
    const size_t n = c.output(0).bytes / sizeof(float);
    for (size_t i = 0; i < n; ++i) {
      c.output(0).mutable_as<float>()[i] = c.input(0).as<float>()[(i + 1) % n];
      static_cast<float*>(c.scratch())[i] =
          std::numeric_limits<float>::quiet_NaN();
    }
    return Status();
  }
};

struct Split : Kernel {
  Status Prepare(PrepareContext& c) const override {
    Shape half = c.input(0).shape;
    half[0] /= 2;
    MUNJA_RETURN_IF_ERROR(c.SetOutputShape(0, half));
    return c.SetOutputShape(1, half);
  }
  Status Eval(EvalContext& c) const override {
    for (int o = 0; o < 2; ++o) {
      std::memcpy(c.output(o).data,
                  c.input(0).as<uint8_t>() + o * c.output(0).bytes,
                  c.output(o).bytes);
    }
    return Status();
  }
};

struct ShapeOf : Kernel {
  Status Prepare(PrepareContext& c) const override {
    return c.SetOutputShape(0, Shape{c.input(0).shape.rank()});
  }
  Status Eval(EvalContext& c) const override {
    for (int d = 0; d < c.input(0).shape.rank(); ++d)
      c.output(0).mutable_as<int32_t>()[d] = c.input(0).shape[d];
    return Status();
  }
};

struct Mul : Kernel {
  Status Prepare(PrepareContext& c) const override {
    return c.SetOutputShape(0, c.input(0).shape);
  }
  Status Eval(EvalContext& c) const override {
    const size_t n = c.output(0).bytes / sizeof(int32_t);
    for (size_t i = 0; i < n; ++i) {
      c.output(0).mutable_as<int32_t>()[i] =
          c.input(0).as<int32_t>()[i] * c.input(1).as<int32_t>()[0];
    }
    return Status();
  }
};

struct Fill : Kernel {
  Status Prepare(PrepareContext& c) const override {
    if (c.input(0).data == nullptr)
      return NeedsValues("the dimensions must be known before the run");
    return c.SetOutputShape(
        0, Shape({c.input(0).as<int32_t>(),
                  static_cast<size_t>(c.input(0).shape.elements())}));
  }
  Status Eval(EvalContext& c) const override {
    const size_t n = c.output(0).bytes / sizeof(float);
    for (size_t i = 0; i < n; ++i) c.output(0).mutable_as<float>()[i] = 7;
    return Status();
  }
};

struct Dequantize : Kernel {
  Status Prepare(PrepareContext& c) const override {
    return c.SetOutputShape(0, c.input(0).shape);
  }
  Status Eval(EvalContext& c) const override {
    const size_t n = c.output(0).bytes / sizeof(float);
    for (size_t i = 0; i < n; ++i) {
      c.output(0).mutable_as<float>()[i] =
          HalfToFloat(c.input(0).as<uint16_t>()[i]);
    }
    return Status();
  }
};

struct Accumulate : Kernel {
  Status Prepare(PrepareContext& c) const override {
    return c.SetOutputShape(0, c.input(0).shape);
  }
  Status Eval(EvalContext& c) const override {
    const size_t n = c.output(0).bytes / sizeof(float);
    float* sum = c.input(1).mutable_as<float>();
    for (size_t i = 0; i < n; ++i) {
      sum[i] += c.input(0).as<float>()[i];
      c.output(0).mutable_as<float>()[i] = sum[i];
    }
    return Status();
  }
};

struct Positive : Kernel {
  Status Prepare(PrepareContext& c) const override {
    c.DeferOutputShape(0);
    return Status();
  }
  Status Eval(EvalContext& c) const override {
    const float* in = c.input(0).as<float>();
    std::vector<float> kept;
    for (size_t i = 0; i < c.input(0).bytes / sizeof(float); ++i)
      if (in[i] > 0) kept.push_back(in[i]);
    MUNJA_RETURN_IF_ERROR(
        c.ResizeOutput(0, Shape{static_cast<int32_t>(kept.size())}));
    if (!kept.empty())
      std::memcpy(c.output(0).data, kept.data(), c.output(0).bytes);
    return Status();
  }
};

struct Check : Neg {
  Status Eval(EvalContext& c) const override {
    if (c.input(0).as<float>()[0] < 0)
      return InvalidArgument("the first element is negative");
    std::memmove(c.output(0).data, c.input(0).data, c.output(0).bytes);
    return Status();
  }
};

class Invoke : public Kernel {
 public:
  Invoke(int callee, int outputs) : callee_(callee), outputs_(outputs) {}
  bool needs_host() const override { return true; }
  Status Prepare(PrepareContext& c) const override {
    for (int i = 0; i < outputs_; ++i) c.DeferOutputShape(i);
    return Status();
  }
  Status Eval(EvalContext& c) const override {
    std::vector<TensorView> inputs;
    for (int i = 0; i < c.inputs(); ++i) inputs.push_back(c.input(i));
    MUNJA_ASSIGN_OR_RETURN(const auto outputs, c.host()->Call(callee_, inputs));
    for (int i = 0; i < outputs_; ++i) {
      MUNJA_RETURN_IF_ERROR(c.ResizeOutput(i, outputs[i].shape));
      if (outputs[i].bytes > 0)
        std::memcpy(c.output(i).data, outputs[i].data, outputs[i].bytes);
    }
    return Status();
  }

 private:
  int callee_, outputs_;
};

struct Tally : Kernel {
  struct Count : ops::State {
    float runs = 0;
  };
  bool needs_host() const override { return true; }
  Status Prepare(PrepareContext& c) const override {
    return c.SetOutputShape(0, Shape());
  }
  Status Eval(EvalContext& c) const override {
    ops::Resources& resources = c.host()->resources();
    auto& content = *resources.Find(resources.Id("tally"));
    if (content == nullptr) content = std::make_unique<Count>();
    *c.output(0).mutable_as<float>() =
        ++static_cast<Count*>(content.get())->runs;
    return Status();
  }
};

struct Broken : Neg {
  Status Prepare(PrepareContext&) const override {
    return InvalidArgument("cannot be prepared");
  }
};

struct Fail : Neg {
  Status Eval(EvalContext&) const override {
    return InvalidArgument("an index is out of range");
  }
};

template <class K>
Result<std::unique_ptr<Kernel>> Make(const NodeInfo&) {
  return std::unique_ptr<Kernel>(std::make_unique<K>());
}

Result<std::unique_ptr<Kernel>> MakeInvoke(const NodeInfo& info) {
  MUNJA_ASSIGN_OR_RETURN(const int64_t callee,
                         info.attributes().Int("subgraph_index", -1));
  return std::unique_ptr<Kernel>(
      std::make_unique<Invoke>(static_cast<int>(callee), info.outputs()));
}

Result<std::unique_ptr<Kernel>> Refuse(const NodeInfo&) {
  return Unsupported("stride 3 is not supported");
}

constexpr ops::OpImpl kOps[] = {
    {"NEG", 1, 2, Make<Neg>},
    {"ADD", 1, 2, Make<Add>},
    {"ROLL", 1, 1, Make<Roll>},
    {"SPLIT", 1, 1, Make<Split>},
    {"SHAPE", 1, 1, Make<ShapeOf>},
    {"MUL", 1, 1, Make<Mul>},
    {"FILL", 1, 1, Make<Fill>},
    {"DEQUANTIZE", 1, 1, Make<Dequantize>},
    {"ACCUMULATE", 1, 1, Make<Accumulate>},
    {"POSITIVE", 1, 1, Make<Positive>},
    {"CHECK", 1, 1, Make<Check>},
    {"INVOKE", 1, 1, MakeInvoke},
    {"TALLY", 1, 1, Make<Tally>},
    {"REFUSE", 1, 1, Refuse},
    {"BROKEN", 1, 1, Make<Broken>},
    {"FAIL", 1, 1, Make<Fail>},
};

template <class T>
graph::Constant Bytes(const std::vector<T>& data) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(data.data());
  return graph::MakeConstant({bytes, bytes + data.size() * sizeof(T)});
}

}  // namespace

Result<std::unique_ptr<Session>> CreateSessionWith(
    std::shared_ptr<const graph::Graph> graph, SessionOptions options,
    Resolver::Table table) {
  options.resolver = std::make_shared<const Resolver>(table);
  return CreateSession(std::move(graph), options);
}

const ops::OpImpl* FindFakeOp(std::string_view name) {
  for (const ops::OpImpl& op : kOps)
    if (op.name == name) return &op;
  return nullptr;
}

graph::ValueId GraphBuilder::Input(Shape shape, ElementType type) {
  graph::Value value;
  value.name = "in" + std::to_string(sub().inputs.size());
  value.type = type;
  value.shape = shape;
  const graph::ValueId v = sub().AddValue(std::move(value));
  sub().inputs.push_back(v);
  return v;
}

graph::ValueId GraphBuilder::Constant(Shape shape,
                                      const std::vector<float>& data) {
  graph::Value value;
  value.shape = shape;
  value.constant = Bytes(data);
  return sub().AddValue(std::move(value));
}

graph::ValueId GraphBuilder::Constant(Shape shape,
                                      const std::vector<int32_t>& data) {
  graph::Value value;
  value.type = ElementType::kInt32;
  value.shape = shape;
  value.constant = Bytes(data);
  return sub().AddValue(std::move(value));
}

graph::ValueId GraphBuilder::Variable(Shape shape) {
  graph::Value value;
  value.name = "variable";
  value.shape = shape;
  value.is_variable = true;
  return sub().AddValue(std::move(value));
}

graph::ValueId GraphBuilder::Add(std::string op,
                                 std::vector<graph::ValueId> inputs,
                                 ElementType type, int outputs) {
  graph::Node node;
  node.op = std::move(op);
  node.inputs = std::move(inputs);
  for (int o = 0; o < outputs; ++o) {
    graph::Value value;
    value.name = "t" + std::to_string(sub().values.size());
    value.type = type;
    value.has_shape = false;
    node.outputs.push_back(sub().AddValue(std::move(value)));
  }
  sub().nodes.push_back(std::move(node));
  return sub().nodes.back().outputs[0];
}

graph::ValueId GraphBuilder::Invoke(int subgraph,
                                    std::vector<graph::ValueId> inputs,
                                    int outputs) {
  const graph::ValueId v =
      Add("INVOKE", std::move(inputs), ElementType::kFloat32, outputs);
  sub().nodes.back().attributes.Set("subgraph_index", int64_t{subgraph});
  return v;
}

TensorView View(const std::vector<float>& data, Shape shape) {
  TensorView view;
  view.shape = shape;
  view.data = const_cast<float*>(data.data());
  view.bytes = data.size() * sizeof(float);
  return view;
}

std::vector<float> Floats(const TensorView& view) {
  return {view.as<float>(), view.as<float>() + view.bytes / sizeof(float)};
}

std::unique_ptr<Session> MustCreate(GraphBuilder& builder,
                                    const SessionOptions& options) {
  auto session = CreateSessionWith(builder.Take(), options, FindFakeOp);
  EXPECT_TRUE(session.ok()) << session.status().message();
  return session.ok() ? std::move(*session) : nullptr;
}

}  // namespace munja::runtime::testing
