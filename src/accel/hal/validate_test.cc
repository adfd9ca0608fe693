#include "hal/validate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "hal/cases.h"
#include "hal/operations.h"

namespace munja::hal {
namespace {

namespace fs = std::filesystem;

Operand Tensor(int32_t type, int32_t lifetime, Dimensions dimensions,
               float scale = 0.0f, int32_t zero_point = 0) {
  Operand operand;
  operand.type = type;
  operand.lifetime = lifetime;
  operand.dimensions = std::move(dimensions);
  operand.scale = scale;
  operand.zero_point = zero_point;
  return operand;
}

Operand Scalar(Model& model, int32_t type, uint32_t value) {
  Operand operand = Tensor(type, MUNJA_NN_CONSTANT_COPY, {});
  operand.location = {0, static_cast<uint32_t>(model.operand_values.size()), 4};
  const auto* bytes = reinterpret_cast<const uint8_t*>(&value);
  model.operand_values.insert(model.operand_values.end(), bytes, bytes + 4);
  return operand;
}

void CountConsumers(Model& model) {
  for (Subgraph& subgraph : model.subgraphs) {
    for (Operand& operand : subgraph.operands) operand.consumers = 0;
    for (const Operation& operation : subgraph.operations)
      for (const uint32_t i : operation.inputs)
        ++subgraph.operands[i].consumers;
  }
}

// relu(x + y), where y is a constant in a pool: operands x 0, y 1, code 2,
// sum 3, out 4.
Model Plain() {
  Model model;
  Subgraph& main = model.subgraphs.emplace_back();
  main.operands = {
      Tensor(MUNJA_NN_TENSOR_FLOAT32, MUNJA_NN_SUBGRAPH_INPUT, {2, 3}),
      Tensor(MUNJA_NN_TENSOR_FLOAT32, MUNJA_NN_CONSTANT_REFERENCE, {3}),
      Scalar(model, MUNJA_NN_INT32, 0),
      Tensor(MUNJA_NN_TENSOR_FLOAT32, MUNJA_NN_TEMPORARY_VARIABLE, {2, 3}),
      Tensor(MUNJA_NN_TENSOR_FLOAT32, MUNJA_NN_SUBGRAPH_OUTPUT, {2, 3})};
  main.operations = {{MUNJA_NN_ADD, {0, 1, 2}, {3}}, {MUNJA_NN_RELU, {3}, {4}}};
  main.inputs = {0};
  main.outputs = {4};
  auto bytes = std::make_shared<std::vector<uint8_t>>(12);
  Memory pool;
  pool.data = bytes->data();
  pool.bytes = bytes->size();
  pool.owner = std::move(bytes);
  model.pools = {pool};
  main.operands[1].location = {0, 0, 12};
  CountConsumers(model);
  return model;
}

// Quantized, with weights by channel: x 0, w 1, bias 2, scheme 3, strides 4
// and 5, activation 6, out 7.
Model Convolution() {
  Model model;
  Subgraph& main = model.subgraphs.emplace_back();
  main.operands = {Tensor(MUNJA_NN_TENSOR_QUANT8_ASYMM, MUNJA_NN_SUBGRAPH_INPUT,
                          {1, 4, 4, 2}, 0.5f, 128),
                   Tensor(MUNJA_NN_TENSOR_QUANT8_SYMM_PER_CHANNEL,
                          MUNJA_NN_SUBGRAPH_INPUT, {3, 1, 1, 2}),
                   Tensor(MUNJA_NN_TENSOR_INT32, MUNJA_NN_SUBGRAPH_INPUT, {3}),
                   Scalar(model, MUNJA_NN_INT32, 1),
                   Scalar(model, MUNJA_NN_INT32, 1),
                   Scalar(model, MUNJA_NN_INT32, 1),
                   Scalar(model, MUNJA_NN_INT32, 0),
                   Tensor(MUNJA_NN_TENSOR_QUANT8_ASYMM,
                          MUNJA_NN_SUBGRAPH_OUTPUT, {1, 4, 4, 3}, 1.0f, 0)};
  main.operands[1].channels = ChannelScales{0, {0.5f, 0.25f, 1.0f}};
  main.operations = {{MUNJA_NN_CONV_2D, {0, 1, 2, 3, 4, 5, 6}, {7}}};
  main.inputs = {0, 1, 2};
  main.outputs = {7};
  CountConsumers(model);
  return model;
}

// x -> x of one float: a subgraph of FLOOR.
Subgraph Same() {
  Subgraph subgraph;
  subgraph.operands = {
      Tensor(MUNJA_NN_TENSOR_FLOAT32, MUNJA_NN_SUBGRAPH_INPUT, {1}),
      Tensor(MUNJA_NN_TENSOR_FLOAT32, MUNJA_NN_SUBGRAPH_OUTPUT, {1})};
  subgraph.operations = {{MUNJA_NN_FLOOR, {0}, {1}}};
  subgraph.inputs = {0};
  subgraph.outputs = {1};
  return subgraph;
}

Operand Called(uint32_t index) {
  Operand operand = Tensor(MUNJA_NN_SUBGRAPH, MUNJA_NN_LIFETIME_SUBGRAPH, {});
  operand.location.offset = index;
  return operand;
}

// if (condition 0) then 1 else 2 of x 3 -> 4.
Model Branches() {
  Model model;
  model.subgraphs.resize(3);
  Subgraph& main = model.subgraphs[0];
  main.operands = {
      Tensor(MUNJA_NN_TENSOR_BOOL8, MUNJA_NN_SUBGRAPH_INPUT, {1}), Called(0),
      Called(1), Tensor(MUNJA_NN_TENSOR_FLOAT32, MUNJA_NN_SUBGRAPH_INPUT, {1}),
      Tensor(MUNJA_NN_TENSOR_FLOAT32, MUNJA_NN_SUBGRAPH_OUTPUT, {1})};
  main.operations = {{MUNJA_NN_IF, {0, 1, 2, 3}, {4}}};
  main.inputs = {0, 3};
  main.outputs = {4};
  model.subgraphs[1] = Same();
  model.subgraphs[2] = Same();
  CountConsumers(model);
  return model;
}

// while (condition 0) body 1 of x 2 -> 3.
Model Loop() {
  Model model;
  model.subgraphs.resize(3);
  Subgraph& main = model.subgraphs[0];
  main.operands = {
      Called(0), Called(1),
      Tensor(MUNJA_NN_TENSOR_FLOAT32, MUNJA_NN_SUBGRAPH_INPUT, {1}),
      Tensor(MUNJA_NN_TENSOR_FLOAT32, MUNJA_NN_SUBGRAPH_OUTPUT, {1})};
  main.operations = {{MUNJA_NN_WHILE, {0, 1, 2}, {3}}};
  main.inputs = {2};
  main.outputs = {3};
  Subgraph& condition = model.subgraphs[1];
  condition.operands = {
      Tensor(MUNJA_NN_TENSOR_FLOAT32, MUNJA_NN_SUBGRAPH_INPUT, {1}),
      Tensor(MUNJA_NN_TENSOR_BOOL8, MUNJA_NN_SUBGRAPH_OUTPUT, {1})};
  condition.operations = {{MUNJA_NN_LESS, {0, 0}, {1}}};
  condition.inputs = {0};
  condition.outputs = {1};
  model.subgraphs[2] = Same();
  CountConsumers(model);
  return model;
}

struct Mutation {
  const char* name;
  Model (*make)();
  std::function<void(Model&)> change;
  const char* reason;  // Part of the message.
};

Operand& At(Model& model, size_t i) { return model.subgraphs[0].operands[i]; }
Operation& Op(Model& model, size_t i) {
  return model.subgraphs[0].operations[i];
}

const float kNan = std::numeric_limits<float>::quiet_NaN();

const Mutation kMutations[] = {
    {"no subgraph", Plain, [](Model& m) { m.subgraphs.clear(); },
     "without a subgraph"},
    // Operands.
    {"type below", Plain, [](Model& m) { At(m, 0).type = -1; }, "no type -1"},
    {"type above", Plain, [](Model& m) { At(m, 0).type = 16; }, "no type 16"},
    {"type before OEM", Plain, [](Model& m) { At(m, 0).type = 9999; },
     "no type 9999"},
    {"type after OEM", Plain, [](Model& m) { At(m, 0).type = 10002; },
     "no type 10002"},
    {"lifetime", Plain, [](Model& m) { At(m, 3).lifetime = 7; },
     "no lifetime 7"},
    {"scalar of rank 1", Plain, [](Model& m) { At(m, 2).dimensions = {1}; },
     "a scalar with dimensions [1]"},
    {"size", Plain,
     [](Model& m) {
       At(m, 3).dimensions = {1u << 30, 4};
     },
     "32 bits"},
    {"size next to an unknown dimension", Plain,
     [](Model& m) {
       At(m, 3).dimensions = {0, 1u << 30, 4};
     },
     "32 bits"},
    {"scale of floats", Plain, [](Model& m) { At(m, 0).scale = 1.0f; },
     "scale"},
    {"zero point of floats", Plain, [](Model& m) { At(m, 0).zero_point = 1; },
     "zero point 1"},
    {"scale 0", Convolution, [](Model& m) { At(m, 0).scale = 0.0f; },
     "must be above 0"},
    {"scale NaN", Convolution, [](Model& m) { At(m, 0).scale = kNan; },
     "must be above 0"},
    {"scale of int32", Convolution, [](Model& m) { At(m, 2).scale = -1.0f; },
     "must be 0 or more"},
    {"zero point -1", Convolution, [](Model& m) { At(m, 0).zero_point = -1; },
     "0 to 255"},
    {"zero point 256", Convolution, [](Model& m) { At(m, 0).zero_point = 256; },
     "0 to 255"},
    {"no channels", Convolution, [](Model& m) { At(m, 1).channels.reset(); },
     "without scales by channel"},
    {"channels of another type", Convolution,
     [](Model& m) { At(m, 0).channels = At(m, 1).channels; },
     "scales by channel with TENSOR_QUANT8_ASYMM"},
    {"channel dimension", Convolution,
     [](Model& m) { At(m, 1).channels->dimension = 4; },
     "channels along dimension 4"},
    {"too few channels", Convolution,
     [](Model& m) { At(m, 1).channels->scales.pop_back(); },
     "2 scales for 3 channels"},
    {"a channel's scale", Convolution,
     [](Model& m) { At(m, 1).channels->scales[1] = 0.0f; },
     "a channel's scale"},
    {"extension data", Plain,
     [](Model& m) { At(m, 0).extension_data.emplace(); }, "extension"},
    // Locations.
    {"location of a temporary", Plain,
     [](Model& m) { At(m, 3).location.length = 4; }, "only constants have"},
    {"pool", Plain, [](Model& m) { At(m, 1).location.pool = 1; }, "no pool 1"},
    {"pool of a copied constant", Plain,
     [](Model& m) { At(m, 2).location.pool = 1; }, "must be 0"},
    {"end of a pool", Plain, [](Model& m) { At(m, 1).location.offset = 1; },
     "beyond the end"},
    {"end of the values", Plain, [](Model& m) { At(m, 2).location.offset = 1; },
     "beyond the end"},
    {"offset that overflows", Plain,
     [](Model& m) { At(m, 1).location.offset = UINT32_MAX - 3; },
     "beyond the end"},
    {"length of a constant", Plain,
     [](Model& m) { At(m, 1).location.length = 8; }, "has 12"},
    {"unknown dimension of a constant", Plain,
     [](Model& m) { At(m, 1).dimensions = {0}; }, "unknown dimensions"},
    {"unknown rank of a constant", Plain,
     [](Model& m) { At(m, 1).dimensions = {}; }, "unknown dimensions"},
    {"empty pool", Plain, [](Model& m) { m.pools[0].bytes = 0; }, "pool 0"},
    {"pool of a device", Plain, [](Model& m) { m.pools[0].token = 1; },
     "pool 0"},
    // Lists.
    {"no inputs", Plain, [](Model& m) { m.subgraphs[0].inputs.clear(); },
     "no input"},
    {"no outputs", Plain, [](Model& m) { m.subgraphs[0].outputs.clear(); },
     "no output"},
    {"input out of range", Plain, [](Model& m) { m.subgraphs[0].inputs = {5}; },
     "operand 5 of 5"},
    {"input twice", Plain,
     [](Model& m) {
       m.subgraphs[0].inputs = {0, 0};
     },
     "twice"},
    {"constant as input", Plain,
     [](Model& m) {
       m.subgraphs[0].inputs = {0, 1};
     },
     "contradicts"},
    {"input not listed", Convolution,
     [](Model& m) {
       m.subgraphs[0].inputs = {0, 1};
     },
     "is not listed"},
    {"written becomes an input", Plain,
     [](Model& m) {
       At(m, 3).lifetime = MUNJA_NN_SUBGRAPH_INPUT;
       m.subgraphs[0].inputs = {0, 3};
     },
     "has its value already"},
    {"input becomes a temporary", Plain,
     [](Model& m) {
       At(m, 0).lifetime = MUNJA_NN_TEMPORARY_VARIABLE;
       m.subgraphs[0].inputs = {};
     },
     "no input"},
    // Flow.
    {"order", Plain, [](Model& m) { std::swap(Op(m, 0), Op(m, 1)); },
     "before it is written"},
    {"cycle", Plain,
     [](Model& m) {
       Op(m, 0).inputs[0] = 4;
       Op(m, 1) = {MUNJA_NN_ADD, {3, 0, 2}, {4}};
       CountConsumers(m);
     },
     "before it is written"},
    {"written twice", Plain, [](Model& m) { Op(m, 1).outputs = {3}; },
     "has its value already"},
    {"constant written", Plain, [](Model& m) { Op(m, 1).outputs = {1}; },
     "has its value already"},
    {"never written", Plain,
     [](Model& m) {
       At(m, 3).lifetime = MUNJA_NN_TEMPORARY_VARIABLE;
       m.subgraphs[0].operations.erase(m.subgraphs[0].operations.begin());
       m.subgraphs[0].operations[0].inputs = {0};
     },
     "operand 3 is never written"},
    {"consumers", Plain, [](Model& m) { ++At(m, 0).consumers; },
     "read 1 times"},
    {"consumers of none", Plain, [](Model& m) { --At(m, 3).consumers; },
     "read 1 times"},
    // Operations.
    {"operation above", Plain, [](Model& m) { Op(m, 1).type = 102; },
     "no such operation"},
    {"operation before OEM", Plain, [](Model& m) { Op(m, 1).type = 9999; },
     "no such operation"},
    {"operation after OEM", Plain, [](Model& m) { Op(m, 1).type = 10001; },
     "no such operation"},
    {"operation below", Plain, [](Model& m) { Op(m, 1).type = -1; },
     "no such operation"},
    {"input index", Plain, [](Model& m) { Op(m, 0).inputs[1] = 5; },
     "no operand 5"},
    {"output index", Plain, [](Model& m) { Op(m, 0).outputs[0] = 5; },
     "no operand 5"},
    {"an input less", Plain, [](Model& m) { Op(m, 0).inputs.pop_back(); },
     "takes no such operands"},
    {"an input more", Plain, [](Model& m) { Op(m, 0).inputs.push_back(2); },
     "takes no such operands"},
    {"an output less", Plain, [](Model& m) { Op(m, 0).outputs.clear(); },
     "takes no such operands"},
    {"an output more", Plain, [](Model& m) { Op(m, 1).outputs.push_back(3); },
     "takes no such operands"},
    {"another type", Plain,
     [](Model& m) { At(m, 3).type = MUNJA_NN_TENSOR_FLOAT16; },
     "takes no such operands"},
    {"required input omitted", Plain,
     [](Model& m) {
       At(m, 1).lifetime = MUNJA_NN_NO_VALUE;
       At(m, 1).location = {};
     },
     "takes no such operands"},
    // Extensions.
    {"prefix not listed", Plain, [](Model& m) { At(m, 0).type = 0x20001; },
     "prefix 2"},
    {"prefix of an operation", Plain, [](Model& m) { Op(m, 1).type = 0x20001; },
     "prefix 2"},
    {"prefix 0", Plain,
     [](Model& m) {
       m.extensions = {{"a.b", 0}};
     },
     "prefix 0"},
    {"prefix twice", Plain,
     [](Model& m) {
       m.extensions = {{"a.b", 1}, {"a.c", 1}};
     },
     "two extensions"},
    {"extension twice", Plain,
     [](Model& m) {
       m.extensions = {{"a.b", 1}, {"a.b", 2}};
     },
     "listed twice"},
    {"extension's name", Plain,
     [](Model& m) {
       m.extensions = {{"A.b", 1}};
     },
     "no name"},
    {"extension without a dot", Plain,
     [](Model& m) {
       m.extensions = {{"ab", 1}};
     },
     "no name"},
    // Control flow.
    {"subgraph out of range", Branches,
     [](Model& m) { At(m, 1).location.offset = 2; },
     "no referenced subgraph 2"},
    {"subgraph with a length", Branches,
     [](Model& m) { At(m, 1).location.length = 1; }, "must be 0"},
    {"subgraph's lifetime", Branches,
     [](Model& m) { At(m, 1).lifetime = MUNJA_NN_CONSTANT_COPY; },
     "go together"},
    {"subgraph's type", Branches,
     [](Model& m) { At(m, 1).type = MUNJA_NN_TENSOR_FLOAT32; }, "go together"},
    {"condition", Branches,
     [](Model& m) { At(m, 0).type = MUNJA_NN_TENSOR_INT32; }, "condition"},
    {"condition's size", Branches, [](Model& m) { At(m, 0).dimensions = {2}; },
     "condition"},
    {"branch's input", Branches,
     [](Model& m) {
       m.subgraphs[2].operands[0].dimensions = {2};
       m.subgraphs[2].operands[1].dimensions = {2};
     },
     "inside"},
    {"branch's type", Branches,
     [](Model& m) {
       m.subgraphs[2].operands[0].type = MUNJA_NN_TENSOR_FLOAT16;
       m.subgraphs[2].operands[1].type = MUNJA_NN_TENSOR_FLOAT16;
     },
     "inside"},
    {"values of a branch", Branches,
     [](Model& m) {
       Op(m, 0).inputs.push_back(3);
       CountConsumers(m);
     },
     "number of inputs"},
    {"no branch", Branches,
     [](Model& m) {
       Op(m, 0).inputs[1] = 3;
       CountConsumers(m);
     },
     "no subgraph"},
    {"subgraph in itself", Branches,
     [](Model& m) {
       Subgraph inner = m.subgraphs[0];
       m.subgraphs[1] = inner;
     },
     "contains itself"},
    {"error inside", Branches,
     [](Model& m) { m.subgraphs[2].operations[0].outputs = {0}; },
     "subgraph 2"},
    {"loop's condition", Loop,
     [](Model& m) { m.subgraphs[1].operands[1].dimensions = {2}; },
     "condition"},
    {"loop's body", Loop,
     [](Model& m) { m.subgraphs[2].operands[1].dimensions = {2}; }, "inside"},
    {"loop without values", Loop,
     [](Model& m) {
       Op(m, 0).inputs.pop_back();
       CountConsumers(m);
     },
     "needs two subgraphs"},
};

TEST(ValidateModel, ValidModel_IsAccepted) {
  for (auto* make : {Plain, Convolution, Branches, Loop}) {
    const Status status = ValidateModel(make());
    EXPECT_TRUE(status.ok()) << status.message();
  }
}

TEST(ValidateModel, Mutation_IsRefusedWithItsReason) {
  for (const Mutation& mutation : kMutations) {
    Model model = mutation.make();
    mutation.change(model);
    const Status status = ValidateModel(model);
    EXPECT_EQ(status.code(), Code::kInvalidArgument) << mutation.name;
    EXPECT_NE(status.message().find(mutation.reason), std::string::npos)
        << mutation.name << ": " << status.message();
  }
}

TEST(ValidateModel, Extensions_AreAccepted) {
  Model model = Plain();
  model.extensions = {{"com.example.fibonacci", 2}};
  At(model, 3).type = 0x20001;
  At(model, 3).extension_data = std::vector<uint8_t>{1, 2};
  Op(model, 0).type = Op(model, 1).type = 0x20000;
  Status status = ValidateModel(model);
  EXPECT_TRUE(status.ok()) << status.message();
  model = Plain();
  At(model, 3).type = MUNJA_NN_TENSOR_OEM_BYTE;
  Op(model, 0).type = Op(model, 1).type = MUNJA_NN_OEM_OPERATION;
  status = ValidateModel(model);
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST(CompliantWith, Feature_NeedsItsVersion) {
  EXPECT_EQ(MinimumVersion(Plain()), MUNJA_NN_1_0);
  Model model = Plain();
  model.is_relaxed = true;
  EXPECT_FALSE(CompliantWithV1_0(model));
  EXPECT_TRUE(CompliantWithV1_1(model));
  model = Plain();
  Op(model, 1).type = MUNJA_NN_TRANSPOSE;
  EXPECT_EQ(MinimumVersion(model), MUNJA_NN_1_1);
  Op(model, 1).type = MUNJA_NN_EXP;
  EXPECT_EQ(MinimumVersion(model), MUNJA_NN_1_2);
  Op(model, 1).type = MUNJA_NN_HARD_SWISH;
  EXPECT_EQ(MinimumVersion(model), MUNJA_NN_1_3);
  EXPECT_TRUE(CompliantWithV1_3(model));
  model = Plain();
  At(model, 4).dimensions.clear();
  EXPECT_EQ(MinimumVersion(model), MUNJA_NN_1_2);
  model = Plain();
  model.extensions = {{"a.b", 1}};
  EXPECT_EQ(MinimumVersion(model), MUNJA_NN_1_2);
  EXPECT_EQ(MinimumVersion(Convolution()), MUNJA_NN_1_2);
  EXPECT_EQ(MinimumVersion(Branches()), MUNJA_NN_1_3);
  EXPECT_FALSE(ValidateModel(Plain(), 14).ok());
}

// Every operation's name is known both ways.
TEST(Operations, Operation_HasAName) {
  for (int32_t type = MUNJA_NN_ADD; type <= MUNJA_NN_RANK; ++type)
    EXPECT_EQ(FindOperation(OperationName(type)), type);
  EXPECT_EQ(OperationName(MUNJA_NN_RANK), "RANK");
  EXPECT_EQ(OperationName(MUNJA_NN_WHILE), "WHILE");
  EXPECT_EQ(OperationName(MUNJA_NN_TRANSPOSE_CONV_2D), "TRANSPOSE_CONV_2D");
  EXPECT_EQ(OperationName(MUNJA_NN_SELECT), "SELECT");
  EXPECT_EQ(OperationName(102), "operation 102");
  EXPECT_FALSE(FindOperation("BATCH_MATMUL"));
}

// A request of a model's one input and one output, both in one pool.
struct Asked {
  std::vector<uint8_t> memory = std::vector<uint8_t>(64);
  Request request;
  explicit Asked(const Model& model) {
    Memory pool;
    pool.data = memory.data();
    pool.bytes = memory.size();
    request.pools = {pool};
    request.inputs.resize(model.main().inputs.size());
    request.outputs.resize(model.main().outputs.size());
    request.inputs[0].location = {0, 0, 24};
    request.outputs[0].location = {0, 24, 24};
  }
};

struct WrongRequest {
  const char* name;
  std::function<void(Request&)> change;
  const char* reason;
};

const WrongRequest kWrongRequests[] = {
    {"an input less", [](Request& r) { r.inputs.clear(); }, "0 inputs"},
    {"an output more", [](Request& r) { r.outputs.resize(2); }, "2 outputs"},
    {"pool", [](Request& r) { r.inputs[0].location.pool = 1; }, "no pool 1"},
    {"end", [](Request& r) { r.inputs[0].location.offset = 41; },
     "beyond the end"},
    {"overflow", [](Request& r) { r.inputs[0].location.offset = UINT32_MAX; },
     "beyond the end"},
    {"length", [](Request& r) { r.outputs[0].location.length = 20; }, "has 24"},
    {"rank", [](Request& r) { r.inputs[0].dimensions = {6}; },
     "the model says [2, 3]"},
    {"dimension",
     [](Request& r) {
       r.inputs[0].dimensions = {3, 2};
     },
     "the model says [2, 3]"},
    {"no value with a location",
     [](Request& r) { r.inputs[0].has_no_value = true; }, "without value"},
    {"output without value",
     [](Request& r) {
       r.outputs[0] = {};
       r.outputs[0].has_no_value = true;
     },
     "nowhere to go"},
    {"overlap", [](Request& r) { r.outputs[0].location.offset = 20; },
     "overlaps input 0"},
    {"overlap by another mapping",
     [](Request& r) {
       r.pools.push_back(r.pools[0]);
       r.outputs[0].location = {1, 8, 24};
     },
     "overlaps input 0"},
    {"empty pool", [](Request& r) { r.pools[0].data = nullptr; }, "pool 0"},
    {"length in a device's memory",
     [](Request& r) {
       r.pools.push_back({});
       r.pools[1].token = 3;
       r.outputs[0].location = {1, 0, 24};
     },
     "driver's buffer"},
    {"device's memory as input and output",
     [](Request& r) {
       r.pools[0].token = 3;
       r.inputs[0].location = r.outputs[0].location = {};
     },
     "overlaps input 0"},
};

TEST(ValidateRequest, Mutation_IsRefusedWithItsReason) {
  const Model model = Plain();
  EXPECT_TRUE(ValidateRequest(model, Asked(model).request).ok());
  for (const WrongRequest& wrong : kWrongRequests) {
    Asked asked(model);
    wrong.change(asked.request);
    const Status status = ValidateRequest(model, asked.request);
    EXPECT_EQ(status.code(), Code::kInvalidArgument) << wrong.name;
    EXPECT_NE(status.message().find(wrong.reason), std::string::npos)
        << wrong.name << ": " << status.message();
  }
}

TEST(ValidateRequest, OutputInConstants_IsRefused) {
  const Model model = Plain();
  Asked asked(model);
  asked.request.pools.push_back(model.pools[0]);
  asked.request.pools[1].bytes = 24;
  asked.request.outputs[0].location = {1, 0, 24};
  const Status status = ValidateRequest(model, asked.request);
  EXPECT_NE(status.message().find("a constant"), std::string::npos)
      << status.message();
}

TEST(ValidateRequest, UnknownOutputs_AreAcceptedUnlessRequired) {
  Model model = Plain();
  At(model, 4).dimensions = {0, 3};
  Asked asked(model);
  EXPECT_TRUE(ValidateRequest(model, asked.request).ok());
  EXPECT_FALSE(ValidateRequest(model, asked.request, true).ok());
  asked.request.outputs[0].dimensions = {2, 0};
  EXPECT_TRUE(ValidateRequest(model, asked.request, true).ok());
  // Inputs never may.
  At(model, 0).dimensions = {0, 3};
  EXPECT_FALSE(ValidateRequest(model, asked.request).ok());
  asked.request.inputs[0].dimensions = {2, 3};
  EXPECT_TRUE(ValidateRequest(model, asked.request).ok());
}

// External models that must run are valid, and so are their signed variants.
TEST(ValidateModel, ExternalCases_AreValid) {
  const fs::path folder =
      fs::path(MUNJA_SOURCE_DIR) / "../shared/conformance/nn";
  if (!fs::exists(folder)) GTEST_SKIP() << "no cases here";
  size_t count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".gz") continue;
    const auto cases = ReadCases(entry.path());
    ASSERT_TRUE(cases.ok()) << cases.status().message();
    for (const Case& example : *cases) {
      if (example.expects_failure) continue;
      ++count;
      Status status = ValidateModel(example.model);
      EXPECT_TRUE(status.ok())
          << entry.path() << " " << example.name << ": " << status.message();
      if (!CanBeSigned(example)) continue;
      status = ValidateModel(Signed(example).model);
      EXPECT_TRUE(status.ok())
          << entry.path() << " " << example.name << ": " << status.message();
    }
  }
  EXPECT_GT(count, 5000u);
}

}  // namespace
}  // namespace munja::hal
