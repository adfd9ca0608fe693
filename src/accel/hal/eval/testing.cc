#include "hal/eval/testing.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <utility>

#include "hal/types.h"
#include "tensor/half.h"

namespace munja::hal {
namespace {

// The scale of quantized tensors where an operation does not prescribe another:
// an error of one step stays about one step.
constexpr float kScale = 1.0f / 16.0f;

class RandomModel {
 public:
  RandomModel(Numbers numbers, uint32_t seed) : numbers_(numbers), draw_(seed) {
    example_.model.subgraphs.emplace_back();
    example_.name = "random_" + std::to_string(static_cast<int>(numbers)) +
                    "_" + std::to_string(seed);
    example_.min_version = MUNJA_NN_1_3;
  }

  Case Make(int operations) {
    // Channels last, small enough to be read by people.
    const Dimensions image = {Pick(1, 2), Pick(2, 6), Pick(2, 6), Pick(1, 4)};
    for (int i = 0; i < 2; ++i) tensors_.push_back(Input(image));
    for (int i = 0; i < operations; ++i) {
      if (numbers_ == Numbers::kInt32AndBool)
        AddInteger();
      else
        AddReal();
    }
    Subgraph& main = Main();
    for (uint32_t i = 0; i < main.operands.size(); ++i) {
      Operand& operand = main.operands[i];
      if (operand.lifetime != MUNJA_NN_TEMPORARY_VARIABLE ||
          operand.consumers > 0)
        continue;
      operand.lifetime = MUNJA_NN_SUBGRAPH_OUTPUT;
      main.outputs.push_back(i);
      Expected& output = example_.outputs.emplace_back();
      output.type = operand.type;
      output.dimensions = operand.dimensions;
    }
    return std::move(example_);
  }

 private:
  Subgraph& Main() { return example_.model.subgraphs[0]; }
  uint32_t Pick(uint32_t least, uint32_t most) {
    return least + static_cast<uint32_t>(draw_() % (most - least + 1));
  }
  double Real(double least, double most) {
    return least + (most - least) * static_cast<double>(draw_() >> 8) /
                       static_cast<double>(1 << 24);
  }

  int32_t TensorType() const {
    switch (numbers_) {
      case Numbers::kFloat16:
        return MUNJA_NN_TENSOR_FLOAT16;
      case Numbers::kUnsigned8:
        return MUNJA_NN_TENSOR_QUANT8_ASYMM;
      case Numbers::kSigned8:
        return MUNJA_NN_TENSOR_QUANT8_ASYMM_SIGNED;
      case Numbers::kInt32AndBool:
        return MUNJA_NN_TENSOR_INT32;
      default:
        return MUNJA_NN_TENSOR_FLOAT32;
    }
  }
  bool IsQuantized() const {
    return numbers_ == Numbers::kUnsigned8 || numbers_ == Numbers::kSigned8;
  }

  uint32_t AddOperand(int32_t type, Dimensions dimensions) {
    Operand& operand = Main().operands.emplace_back();
    operand.type = type;
    operand.dimensions = std::move(dimensions);
    if (type == MUNJA_NN_TENSOR_QUANT8_ASYMM ||
        type == MUNJA_NN_TENSOR_QUANT8_ASYMM_SIGNED) {
      operand.scale = kScale;
      operand.zero_point = type == MUNJA_NN_TENSOR_QUANT8_ASYMM ? 128 : 0;
    }
    return static_cast<uint32_t>(Main().operands.size() - 1);
  }

  std::vector<uint8_t> RandomBytes(int32_t type, const Dimensions& of,
                                   double most) {
    std::vector<uint8_t> bytes(SizeOf(type, of).value_or(0));
    const size_t size = FindType(type)->bytes;
    for (size_t i = 0; i < bytes.size() / size; ++i) {
      const double real = Real(-most, most);
      const auto single = static_cast<float>(real);
      const uint16_t half = FloatToHalf(single);
      const auto whole = static_cast<int32_t>(Pick(0, 20)) - 10;
      const auto byte = static_cast<uint8_t>(Pick(0, 255));
      const void* from = size == 1   ? &byte
                         : size == 2 ? static_cast<const void*>(&half)
                         : type == MUNJA_NN_TENSOR_FLOAT32
                             ? static_cast<const void*>(&single)
                             : &whole;
      std::memcpy(bytes.data() + i * size, from, size);
    }
    return bytes;
  }

  uint32_t Input(const Dimensions& dimensions) {
    const uint32_t index = AddOperand(TensorType(), dimensions);
    Main().operands[index].lifetime = MUNJA_NN_SUBGRAPH_INPUT;
    Main().inputs.push_back(index);
    example_.inputs.emplace_back(RandomBytes(TensorType(), dimensions, 2.0));
    return index;
  }

  uint32_t Constant(int32_t type, Dimensions dimensions,
                    const std::vector<uint8_t>& bytes) {
    const uint32_t index = AddOperand(type, std::move(dimensions));
    std::vector<uint8_t>& values = example_.model.operand_values;
    values.resize((values.size() + 3) / 4 * 4);
    Operand& operand = Main().operands[index];
    operand.lifetime = MUNJA_NN_CONSTANT_COPY;
    operand.location = {0, static_cast<uint32_t>(values.size()),
                        static_cast<uint32_t>(bytes.size())};
    values.insert(values.end(), bytes.begin(), bytes.end());
    return index;
  }
  uint32_t Ints(const std::vector<int32_t>& values, bool is_scalar) {
    std::vector<uint8_t> bytes(values.size() * 4);
    if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
    return is_scalar ? Constant(MUNJA_NN_INT32, {}, bytes)
                     : Constant(MUNJA_NN_TENSOR_INT32,
                                {static_cast<uint32_t>(values.size())}, bytes);
  }
  uint32_t Int(int32_t value) { return Ints({value}, true); }

  uint32_t AnyTensor() {
    return tensors_[Pick(0, static_cast<uint32_t>(tensors_.size()) - 1)];
  }
  const Dimensions& DimensionsOf(uint32_t operand) {
    return Main().operands[operand].dimensions;
  }

  // The output is one of the tensors from now on.
  uint32_t Add(int32_t type, std::vector<uint32_t> inputs, int32_t output_type,
               Dimensions dimensions) {
    for (const uint32_t i : inputs) ++Main().operands[i].consumers;
    const uint32_t output = AddOperand(output_type, std::move(dimensions));
    Main().operations.push_back({type, std::move(inputs), {output}});
    return output;
  }
  void AddSame(int32_t type, std::vector<uint32_t> inputs,
               Dimensions dimensions) {
    tensors_.push_back(
        Add(type, std::move(inputs), TensorType(), std::move(dimensions)));
  }

  // Another tensor of the same dimensions, or one to broadcast.
  uint32_t Partner(uint32_t x) {
    std::vector<uint32_t> fit;
    for (const uint32_t t : tensors_)
      if (DimensionsOf(t) == DimensionsOf(x)) fit.push_back(t);
    if (Pick(0, 2) > 0)
      return fit[Pick(0, static_cast<uint32_t>(fit.size()) - 1)];
    const Dimensions row = {DimensionsOf(x).back()};
    return Constant(TensorType(), row, RandomBytes(TensorType(), row, 1.0));
  }

  void AddReal() {
    const uint32_t x = AnyTensor();
    const Dimensions of = DimensionsOf(x);
    const int32_t activation = static_cast<int32_t>(Pick(0, 3));
    switch (Pick(0, 9)) {
      case 0:
        return AddSame(Pick(0, 1) == 0 ? MUNJA_NN_ADD : MUNJA_NN_SUB,
                       {x, Partner(x), Int(activation)}, of);
      case 1:
        return AddSame(Pick(0, 1) == 0 ? MUNJA_NN_MAXIMUM : MUNJA_NN_MINIMUM,
                       {x, Partner(x)}, of);
      case 2:
        return AddSame(Pick(0, 1) == 0 ? MUNJA_NN_RELU : MUNJA_NN_RELU6, {x},
                       of);
      case 3:
        return AddConvolution(x, activation);
      case 4:
        return AddPool(x, activation);
      case 5: {
        Dimensions turned = of;
        std::vector<int32_t> order = {0, 1, 2, 3};
        std::shuffle(order.begin(), order.end(), draw_);
        for (size_t i = 0; i < 4; ++i)
          turned[i] = of[static_cast<size_t>(order[i])];
        return AddSame(MUNJA_NN_TRANSPOSE, {x, Ints(order, false)}, turned);
      }
      case 6: {
        Dimensions joined = of;
        const uint32_t axis = Pick(0, 3);
        joined[axis] *= 2;
        if (joined[axis] > 16) return;
        return AddSame(MUNJA_NN_CONCATENATION,
                       {x, x, Int(static_cast<int32_t>(axis))}, joined);
      }
      case 7: {
        Dimensions padded = of;
        std::vector<int32_t> sides;
        for (size_t i = 0; i < 4; ++i)
          for (int side = 0; side < 2; ++side) {
            sides.push_back(i == 0 ? 0 : static_cast<int32_t>(Pick(0, 1)));
            padded[i] += static_cast<uint32_t>(sides.back());
          }
        const uint32_t paddings = Ints(sides, false);
        Main().operands[paddings].dimensions = {4, 2};
        return AddSame(MUNJA_NN_PAD, {x, paddings}, padded);
      }
      case 8:
        if (IsQuantized()) return;
        return AddSame(Pick(0, 1) == 0 ? MUNJA_NN_TANH : MUNJA_NN_LOGISTIC, {x},
                       of);
      default: {
        Dimensions reduced = of;
        reduced[1] = reduced[2] = 1;
        return AddSame(MUNJA_NN_MEAN, {x, Ints({1, 2}, false), Int(1)},
                       reduced);
      }
    }
  }

  void AddConvolution(uint32_t x, int32_t activation) {
    const Dimensions of = DimensionsOf(x);
    const uint32_t outputs = Pick(1, 5), size = Pick(1, 3);
    const Dimensions weights = {outputs, size, size, of[3]};
    const uint32_t w = Constant(TensorType(), weights,
                                RandomBytes(TensorType(), weights, 0.2));
    uint32_t b = 0;
    if (IsQuantized()) {
      // Products of one step each are small against a step of the output.
      Main().operands[w].scale = 1.0f / 1024.0f;
      std::vector<int32_t> bias;
      for (uint32_t i = 0; i < outputs; ++i)
        bias.push_back(static_cast<int32_t>(Pick(0, 2000)) - 1000);
      b = Ints(bias, false);
      Main().operands[b].scale = kScale / 1024.0f;
    } else {
      const Dimensions bias = {outputs};
      b = Constant(TensorType(), bias, RandomBytes(TensorType(), bias, 0.5));
    }
    AddSame(
        MUNJA_NN_CONV_2D,
        {x, w, b, Int(MUNJA_NN_PADDING_SAME), Int(1), Int(1), Int(activation)},
        {of[0], of[1], of[2], outputs});
  }

  void AddPool(uint32_t x, int32_t activation) {
    const Dimensions of = DimensionsOf(x);
    const uint32_t size = Pick(1, 3), stride = Pick(1, 2);
    const auto Out = [&](uint32_t in) { return (in + stride - 1) / stride; };
    AddSame(Pick(0, 1) == 0 ? MUNJA_NN_MAX_POOL_2D : MUNJA_NN_AVERAGE_POOL_2D,
            {x, Int(MUNJA_NN_PADDING_SAME), Int(static_cast<int32_t>(stride)),
             Int(static_cast<int32_t>(stride)), Int(static_cast<int32_t>(size)),
             Int(static_cast<int32_t>(size)), Int(activation)},
            {of[0], Out(of[1]), Out(of[2]), of[3]});
  }

  void AddInteger() {
    const uint32_t x = AnyTensor();
    const Dimensions of = DimensionsOf(x);
    const auto any_bool = [&] {
      return bools_[Pick(0, static_cast<uint32_t>(bools_.size()) - 1)];
    };
    const uint32_t kind = Pick(0, 3);
    if (kind == 0) {
      AddSame(Pick(0, 1) == 0 ? MUNJA_NN_ADD : MUNJA_NN_SUB,
              {x, Partner(x), Int(0)}, of);
    } else if (kind == 1) {
      AddSame(Pick(0, 1) == 0 ? MUNJA_NN_MAXIMUM : MUNJA_NN_MINIMUM,
              {x, Partner(x)}, of);
    } else if (kind == 2 || bools_.empty()) {
      constexpr int32_t kTypes[] = {MUNJA_NN_EQUAL,   MUNJA_NN_NOT_EQUAL,
                                    MUNJA_NN_LESS,    MUNJA_NN_LESS_EQUAL,
                                    MUNJA_NN_GREATER, MUNJA_NN_GREATER_EQUAL};
      bools_.push_back(
          Add(kTypes[Pick(0, 5)], {x, Partner(x)}, MUNJA_NN_TENSOR_BOOL8, of));
    } else {
      constexpr int32_t kTypes[] = {MUNJA_NN_LOGICAL_AND, MUNJA_NN_LOGICAL_OR,
                                    MUNJA_NN_LOGICAL_NOT, MUNJA_NN_SELECT};
      const int32_t type = kTypes[Pick(0, 3)];
      const uint32_t a = any_bool(), b = any_bool();
      if (type == MUNJA_NN_LOGICAL_NOT)
        bools_.push_back(Add(type, {a}, MUNJA_NN_TENSOR_BOOL8, of));
      else if (type != MUNJA_NN_SELECT)
        bools_.push_back(Add(type, {a, b}, MUNJA_NN_TENSOR_BOOL8, of));
      else
        AddSame(type, {a, x, AnyTensor()}, of);
    }
  }

  const Numbers numbers_;
  std::mt19937 draw_;
  Case example_;
  std::vector<uint32_t> tensors_, bools_;  // Operands.
};

}  // namespace

Case RandomCase(Numbers numbers, uint32_t seed, int operations) {
  return RandomModel(numbers, seed).Make(operations);
}

Status SetExpected(const Device& reference, Case* example) {
  munja_nn_compilation_options how = {};
  how.struct_size = sizeof how;
  how.preference = MUNJA_NN_PREFER_FAST_SINGLE_ANSWER;
  how.priority = MUNJA_NN_PRIORITY_MEDIUM;
  MUNJA_ASSIGN_OR_RETURN(const auto prepared,
                         reference.Prepare(example->model, how));
  Request request;
  std::vector<std::vector<uint8_t>> memories;
  const auto argument = [&](std::vector<uint8_t> memory, size_t bytes) {
    Argument made;
    made.location = {static_cast<uint32_t>(memories.size()), 0,
                     static_cast<uint32_t>(bytes)};
    memories.push_back(std::move(memory));
    return made;
  };
  for (const auto& input : example->inputs)
    request.inputs.push_back(argument(*input, input->size()));
  for (const Expected& output : example->outputs) {
    const size_t bytes = SizeOf(output.type, output.dimensions).value_or(0);
    request.outputs.push_back(argument(std::vector<uint8_t>(bytes), bytes));
  }
  for (std::vector<uint8_t>& memory : memories) {
    Memory& pool = request.pools.emplace_back();
    pool.data = memory.data();
    pool.bytes = memory.size();
  }
  munja_nn_execution_options options = {};
  options.struct_size = sizeof options;
  const Execution execution = prepared->Execute(request, options);
  MUNJA_RETURN_IF_ERROR(FromDriver(execution.status, "the reference"));
  for (size_t i = 0; i < example->outputs.size(); ++i) {
    Expected& output = example->outputs[i];
    const std::vector<uint8_t>& bytes = memories[request.inputs.size() + i];
    for (size_t k = 0; k < bytes.size() / FindType(output.type)->bytes; ++k)
      output.values.push_back(ElementAt(output.type, bytes.data(), k));
  }
  return Status();
}

Case CaseOf(int32_t operation, const std::vector<OperandRow>& inputs,
            const std::vector<OperandRow>& outputs) {
  Case made;
  Subgraph& main = made.model.subgraphs.emplace_back();
  Operation& only = main.operations.emplace_back();
  only.type = operation;
  for (const auto* rows : {&inputs, &outputs})
    for (const OperandRow& row : *rows) {
      const bool is_input = rows == &inputs;
      const auto index = static_cast<uint32_t>(main.operands.size());
      Operand& operand = main.operands.emplace_back();
      operand.type = row.type;
      operand.dimensions = row.dimensions;
      operand.consumers = is_input ? 1 : 0;
      operand.lifetime =
          is_input ? MUNJA_NN_SUBGRAPH_INPUT : MUNJA_NN_SUBGRAPH_OUTPUT;
      (is_input ? only.inputs : only.outputs).push_back(index);
      (is_input ? main.inputs : main.outputs).push_back(index);
      if (!is_input) {
        made.outputs.push_back(
            {row.type, row.dimensions, row.values.empty(), row.values});
        continue;
      }
      auto& input = made.inputs.emplace_back();
      if (row.values.empty()) continue;
      input.emplace();
      for (const double v : row.values) {
        const bool is_real =
            row.type == MUNJA_NN_FLOAT32 || row.type == MUNJA_NN_TENSOR_FLOAT32;
        const auto real = static_cast<float>(v);
        const auto whole = static_cast<int32_t>(v);
        const auto* bytes = is_real ? reinterpret_cast<const uint8_t*>(&real)
                                    : reinterpret_cast<const uint8_t*>(&whole);
        const bool is_byte = row.type == MUNJA_NN_BOOL ||
                             row.type == MUNJA_NN_TENSOR_QUANT8_ASYMM;
        input->insert(input->end(), bytes, bytes + (is_byte ? 1 : 4));
      }
    }
  return made;
}

}  // namespace munja::hal
