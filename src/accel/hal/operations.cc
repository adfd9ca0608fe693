#include "hal/operations.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include "hal/types.h"

namespace munja::hal {
namespace {

// One form of an operation. Its words, one for each operand:
//   x           a tensor of the type that this use of the form is for
//   y           a tensor of any type of the form
//   f32 ...     a tensor of that type
//   any         any tensor
//   i b f       a scalar: INT32, BOOL, FLOAT32
//   r           FLOAT16 where x is TENSOR_FLOAT16, else FLOAT32
//   v           a scalar of x's own kind
//   w           a convolution's filter: as x, or by channel where x has bytes
//   c           its bias: as x, or INT32 where x has bytes; of one dimension
// ":2" behind one: of two dimensions, where their number is known. '?': may
// have no value. [...]: optional, with all after it. "3*i" stands for "i
// i i", "x+" for one or more x. @12: since this version.
struct Form {
  int32_t type;
  int32_t since;
  const char* inputs;
  const char* outputs;
  const char* types;  // Types of x.
};

constexpr auto kAll = "f32 q8 f16@12 q8s@13";
constexpr auto kAllAndInt = "f32 q8 f16@12 q8s@13 i32@13";
constexpr auto kFloat = "f32 f16@12";
constexpr auto kAllLater = "f32 f16@12 q8@12 q8s@13";
constexpr auto kFive = "f32 f16 i32 q8 q8s@13";
constexpr auto kCompared = "b8 f32 f16 i32 q8 q8s@13";
constexpr auto kPool = "x 9*i [b@12]";
constexpr auto kPoolByScheme = "x 6*i [b@12]";
#define MUNJA_NN_LSTM_WEIGHTS "x? x x x x? x x x x? x? x? x? x x x x? x? "
#define MUNJA_NN_BIDIRECTIONAL_LSTM                \
  "x " MUNJA_NN_LSTM_WEIGHTS MUNJA_NN_LSTM_WEIGHTS \
  "x x x x x? 8*x? i r r b b 8*x?"

constexpr Form kForms[] = {
    {MUNJA_NN_ADD, 10, "x x i", "x", kAllAndInt},
    {MUNJA_NN_AVERAGE_POOL_2D, 10, kPool, "x", kAll},
    {MUNJA_NN_AVERAGE_POOL_2D, 10, kPoolByScheme, "x", kAll},
    {MUNJA_NN_CONCATENATION, 10, "x+ i", "x", kAll},
    {MUNJA_NN_CONV_2D, 10, "x w c 7*i [b@12] [i@12 i@12]", "x", kAll},
    {MUNJA_NN_CONV_2D, 10, "x w c 4*i [b@12] [i@12 i@12]", "x", kAll},
    {MUNJA_NN_DEPTHWISE_CONV_2D, 10, "x w c 8*i [b@12] [i@12 i@12]", "x", kAll},
    {MUNJA_NN_DEPTHWISE_CONV_2D, 10, "x w c 5*i [b@12] [i@12 i@12]", "x", kAll},
    {MUNJA_NN_DEPTH_TO_SPACE, 10, "x i [b@12]", "x", kAll},
    {MUNJA_NN_DEQUANTIZE, 10, "x", "f32", "q8 q8y@12 q8c@12 q8s@13"},
    {MUNJA_NN_DEQUANTIZE, 12, "x", "f16", "q8 q8y q8c q8s@13"},
    {MUNJA_NN_EMBEDDING_LOOKUP, 10, "i32:1 x", "x",
     "f32 i32@12 q8@12 f16@13 q8s@13"},
    {MUNJA_NN_FLOOR, 10, "x", "x", kFloat},
    {MUNJA_NN_FULLY_CONNECTED, 10, "x x:2 c i", "x", kAll},
    {MUNJA_NN_HASHTABLE_LOOKUP, 10, "i32:1 i32:1 x", "x q8", "f32 i32 q8"},
    {MUNJA_NN_L2_NORMALIZATION, 10, "x [i@12]", "x", kAllLater},
    {MUNJA_NN_L2_POOL_2D, 10, kPool, "x", kFloat},
    {MUNJA_NN_L2_POOL_2D, 10, kPoolByScheme, "x", kFloat},
    {MUNJA_NN_LOCAL_RESPONSE_NORMALIZATION, 10, "x i r r r [i@12]", "x",
     kFloat},
    {MUNJA_NN_LOGISTIC, 10, "x", "x", kAll},
    {MUNJA_NN_LSH_PROJECTION, 10, "x:2 any x? i", "i32", kFloat},
    {MUNJA_NN_LSTM, 10,
     "x " MUNJA_NN_LSTM_WEIGHTS "x x i r r [x?@12 x?@12 x?@12 x?@12]",
     "x x x x", kFloat},
    {MUNJA_NN_MAX_POOL_2D, 10, kPool, "x", kAll},
    {MUNJA_NN_MAX_POOL_2D, 10, kPoolByScheme, "x", kAll},
    {MUNJA_NN_MUL, 10, "x x i", "x", kAllAndInt},
    {MUNJA_NN_RELU, 10, "x", "x", kAll},
    {MUNJA_NN_RELU1, 10, "x", "x", kAll},
    {MUNJA_NN_RELU6, 10, "x", "x", kAll},
    {MUNJA_NN_RESHAPE, 10, "x i32:1", "x", kAll},
    {MUNJA_NN_RESIZE_BILINEAR, 10, "x i i [b@12] [b@13] [b@13]", "x",
     kAllLater},
    {MUNJA_NN_RESIZE_BILINEAR, 12, "x r r [b] [b@13] [b@13]", "x", kAllLater},
    {MUNJA_NN_RNN, 10, "x:2 x:2 x:2 x:1 x:2 i", "x x", kFloat},
    {MUNJA_NN_SOFTMAX, 10, "x r [i@12]", "x", kAll},
    {MUNJA_NN_SPACE_TO_DEPTH, 10, "x i [b@12]", "x", kAll},
    {MUNJA_NN_SVDF, 10, "x:2 x:2 x:2 x? x:2 i i", "x x", kFloat},
    {MUNJA_NN_TANH, 10, "x", "x", kAllLater},
    {MUNJA_NN_BATCH_TO_SPACE_ND, 11, "x i32:1 [b@12]", "x", kAll},
    {MUNJA_NN_DIV, 11, "x x i", "x", "f32 f16@12 i32@13"},
    {MUNJA_NN_MEAN, 11, "x i32:1 i", "x", kAll},
    {MUNJA_NN_PAD, 11, "x i32:2", "x", kAll},
    {MUNJA_NN_SPACE_TO_BATCH_ND, 11, "x i32:1 i32:2 [b@12]", "x", kAll},
    {MUNJA_NN_SQUEEZE, 11, "x [i32:1?]", "x", kAll},
    {MUNJA_NN_STRIDED_SLICE, 11, "x i32:1 i32:1 i32:1 i i i", "x", kAll},
    {MUNJA_NN_SUB, 11, "x x i", "x", "f32 f16@12 q8@12 q8s@13 i32@13"},
    {MUNJA_NN_TRANSPOSE, 11, "x [i32:1?]", "x", kAll},
    {MUNJA_NN_ABS, 12, "x", "x", "f32 f16 i32@13"},
    {MUNJA_NN_ARGMAX, 12, "x i", "i32", kFive},
    {MUNJA_NN_ARGMIN, 12, "x i", "i32", kFive},
    {MUNJA_NN_AXIS_ALIGNED_BBOX_TRANSFORM, 12, "x:2 x:2 i32:1 x:2", "x",
     kFloat},
    {MUNJA_NN_AXIS_ALIGNED_BBOX_TRANSFORM, 12, "q16a:2 x:2 i32:1 q16a:2",
     "q16a", "q8 q8s@13"},
    {MUNJA_NN_BIDIRECTIONAL_SEQUENCE_LSTM, 12, MUNJA_NN_BIDIRECTIONAL_LSTM,
     "x [x] [x@13 x@13 x@13 x@13]", kFloat},
    {MUNJA_NN_BIDIRECTIONAL_SEQUENCE_LSTM, 13, MUNJA_NN_BIDIRECTIONAL_LSTM,
     "5*x", kFloat},
    {MUNJA_NN_BIDIRECTIONAL_SEQUENCE_RNN, 12, "9*x 3*x? i b b",
     "x [x] [x@13 x@13]", kFloat},
    {MUNJA_NN_BIDIRECTIONAL_SEQUENCE_RNN, 13, "9*x 3*x? i b b", "x x x",
     kFloat},
    {MUNJA_NN_BOX_WITH_NMS_LIMIT, 12, "x:2 x:2 i32:1 r i i r r r",
     "x x i32 i32", kFloat},
    {MUNJA_NN_BOX_WITH_NMS_LIMIT, 12, "x:2 q16a:2 i32:1 f i i f f f",
     "x q16a i32 i32", "q8 q8s@13"},
    {MUNJA_NN_CAST, 12, "x", "y", "f32 f16 i32 q8"},
    {MUNJA_NN_CAST, 13, "x", "x", "b8 i32 q16a q16y q8s q8y"},
    {MUNJA_NN_CHANNEL_SHUFFLE, 12, "x i i", "x", kAll},
    {MUNJA_NN_DETECTION_POSTPROCESSING, 12, "x x x r r r r b i i i r r b",
     "x x i32 i32", kFloat},
    {MUNJA_NN_EQUAL, 12, "x x", "b8", kCompared},
    {MUNJA_NN_EXP, 12, "x", "x", kFloat},
    {MUNJA_NN_EXPAND_DIMS, 12, "x i", "x", kFive},
    {MUNJA_NN_GATHER, 12, "x i i32", "x", kFive},
    {MUNJA_NN_GENERATE_PROPOSALS, 12, "x x x x r r i i r r b", "x x i32",
     kFloat},
    {MUNJA_NN_GENERATE_PROPOSALS, 12, "x x q16y q16a f f i i f f b",
     "x q16a i32", "q8 q8s@13"},
    {MUNJA_NN_GREATER, 12, "x x", "b8", kCompared},
    {MUNJA_NN_GREATER_EQUAL, 12, "x x", "b8", kCompared},
    {MUNJA_NN_GROUPED_CONV_2D, 12, "x w c 8*i b", "x", kAll},
    {MUNJA_NN_GROUPED_CONV_2D, 12, "x w c 5*i b", "x", kAll},
    {MUNJA_NN_HEATMAP_MAX_KEYPOINT, 12, "x x b", "x x", kFloat},
    {MUNJA_NN_HEATMAP_MAX_KEYPOINT, 12, "x q16a b", "x q16a", "q8 q8s@13"},
    {MUNJA_NN_INSTANCE_NORMALIZATION, 12, "x r r r b", "x", kFloat},
    {MUNJA_NN_LESS, 12, "x x", "b8", kCompared},
    {MUNJA_NN_LESS_EQUAL, 12, "x x", "b8", kCompared},
    {MUNJA_NN_LOG, 12, "x", "x", kFloat},
    {MUNJA_NN_LOGICAL_AND, 12, "x x", "x", "b8"},
    {MUNJA_NN_LOGICAL_NOT, 12, "x", "x", "b8"},
    {MUNJA_NN_LOGICAL_OR, 12, "x x", "x", "b8"},
    {MUNJA_NN_LOG_SOFTMAX, 12, "x r i", "x", kFloat},
    {MUNJA_NN_MAXIMUM, 12, "x x", "x", kFive},
    {MUNJA_NN_MINIMUM, 12, "x x", "x", kFive},
    {MUNJA_NN_NEG, 12, "x", "x", "f32 f16 i32"},
    {MUNJA_NN_NOT_EQUAL, 12, "x x", "b8", kCompared},
    {MUNJA_NN_PAD_V2, 12, "x i32:2 r", "x", kFloat},
    {MUNJA_NN_PAD_V2, 12, "x i32:2 i", "x", "q8 q8s@13"},
    {MUNJA_NN_POW, 12, "x x", "x", kFloat},
    {MUNJA_NN_PRELU, 12, "x x", "x", kAll},
    {MUNJA_NN_QUANTIZE, 12, "x", "q8", kFloat},
    {MUNJA_NN_QUANTIZE, 13, "x", "q8s", kFloat},
    {MUNJA_NN_QUANTIZED_16BIT_LSTM, 12, "9*x 4*i32 q16y x", "q16y x", "q8"},
    {MUNJA_NN_RANDOM_MULTINOMIAL, 12, "x:2 i i32:1", "i32", kFloat},
    {MUNJA_NN_REDUCE_ALL, 12, "x i32:1 b", "x", "b8"},
    {MUNJA_NN_REDUCE_ANY, 12, "x i32:1 b", "x", "b8"},
    {MUNJA_NN_REDUCE_MAX, 12, "x i32:1 b", "x", kAll},
    {MUNJA_NN_REDUCE_MIN, 12, "x i32:1 b", "x", kAll},
    {MUNJA_NN_REDUCE_PROD, 12, "x i32:1 b", "x", kFloat},
    {MUNJA_NN_REDUCE_SUM, 12, "x i32:1 b", "x", kFloat},
    {MUNJA_NN_ROI_ALIGN, 12, "x x:2 i32:1 i i r r i i b", "x", kFloat},
    {MUNJA_NN_ROI_ALIGN, 12, "x q16a:2 i32:1 i i f f i i b", "x", "q8 q8s@13"},
    {MUNJA_NN_ROI_POOLING, 12, "x x:2 i32:1 i i r r b", "x", kFloat},
    {MUNJA_NN_ROI_POOLING, 12, "x q16a:2 i32:1 i i f f b", "x", "q8 q8s@13"},
    {MUNJA_NN_RSQRT, 12, "x", "x", kFloat},
    {MUNJA_NN_SELECT, 12, "b8 x x", "x", kFive},
    {MUNJA_NN_SIN, 12, "x", "x", kFloat},
    {MUNJA_NN_SLICE, 12, "x i32:1 i32:1", "x", kFive},
    {MUNJA_NN_SPLIT, 12, "x i i", "x+", kFive},
    {MUNJA_NN_SQRT, 12, "x", "x", kFloat},
    {MUNJA_NN_TILE, 12, "x i32:1", "x", kFive},
    {MUNJA_NN_TOPK_V2, 12, "x i", "x i32", kFive},
    {MUNJA_NN_TRANSPOSE_CONV_2D, 12, "x w c 7*i b", "x", kAll},
    {MUNJA_NN_TRANSPOSE_CONV_2D, 12, "x w c i32:1 4*i b", "x", kAll},
    {MUNJA_NN_UNIDIRECTIONAL_SEQUENCE_LSTM, 12,
     "x " MUNJA_NN_LSTM_WEIGHTS "x x i r r b 4*x?", "x [x@13 x@13]", kFloat},
    {MUNJA_NN_UNIDIRECTIONAL_SEQUENCE_RNN, 12, "x:3 x:2 x:2 x:1 x:2 i i",
     "x [x@13]", kFloat},
    {MUNJA_NN_RESIZE_NEAREST_NEIGHBOR, 12, "x i i b [b@13] [b@13]", "x", kAll},
    {MUNJA_NN_RESIZE_NEAREST_NEIGHBOR, 12, "x r r b [b@13] [b@13]", "x", kAll},
    {MUNJA_NN_QUANTIZED_LSTM, 13,
     "x q8y? q8y q8y q8y q8y? q8y q8y q8y q16y? q16y? q16y? i32? i32 i32 i32 "
     "q8y? i32? x q16y 4*q16y? f? f? f f f f i f",
     "x q16y x", "q8s"},
    {MUNJA_NN_ELU, 13, "x r", "x", kFloat},
    {MUNJA_NN_HARD_SWISH, 13, "x", "x", kAll},
    {MUNJA_NN_FILL, 13, "i32:1 v", "x", "f32 f16 i32"},
    {MUNJA_NN_RANK, 13, "x", "i", "f32 f16 i32 q8 q16y b8 q8c q16a q8y q8s"},
};
#undef MUNJA_NN_BIDIRECTIONAL_LSTM
#undef MUNJA_NN_LSTM_WEIGHTS

constexpr const char* kNames[] = {"ADD",
                                  "AVERAGE_POOL_2D",
                                  "CONCATENATION",
                                  "CONV_2D",
                                  "DEPTHWISE_CONV_2D",
                                  "DEPTH_TO_SPACE",
                                  "DEQUANTIZE",
                                  "EMBEDDING_LOOKUP",
                                  "FLOOR",
                                  "FULLY_CONNECTED",
                                  "HASHTABLE_LOOKUP",
                                  "L2_NORMALIZATION",
                                  "L2_POOL_2D",
                                  "LOCAL_RESPONSE_NORMALIZATION",
                                  "LOGISTIC",
                                  "LSH_PROJECTION",
                                  "LSTM",
                                  "MAX_POOL_2D",
                                  "MUL",
                                  "RELU",
                                  "RELU1",
                                  "RELU6",
                                  "RESHAPE",
                                  "RESIZE_BILINEAR",
                                  "RNN",
                                  "SOFTMAX",
                                  "SPACE_TO_DEPTH",
                                  "SVDF",
                                  "TANH",
                                  "BATCH_TO_SPACE_ND",
                                  "DIV",
                                  "MEAN",
                                  "PAD",
                                  "SPACE_TO_BATCH_ND",
                                  "SQUEEZE",
                                  "STRIDED_SLICE",
                                  "SUB",
                                  "TRANSPOSE",
                                  "ABS",
                                  "ARGMAX",
                                  "ARGMIN",
                                  "AXIS_ALIGNED_BBOX_TRANSFORM",
                                  "BIDIRECTIONAL_SEQUENCE_LSTM",
                                  "BIDIRECTIONAL_SEQUENCE_RNN",
                                  "BOX_WITH_NMS_LIMIT",
                                  "CAST",
                                  "CHANNEL_SHUFFLE",
                                  "DETECTION_POSTPROCESSING",
                                  "EQUAL",
                                  "EXP",
                                  "EXPAND_DIMS",
                                  "GATHER",
                                  "GENERATE_PROPOSALS",
                                  "GREATER",
                                  "GREATER_EQUAL",
                                  "GROUPED_CONV_2D",
                                  "HEATMAP_MAX_KEYPOINT",
                                  "INSTANCE_NORMALIZATION",
                                  "LESS",
                                  "LESS_EQUAL",
                                  "LOG",
                                  "LOGICAL_AND",
                                  "LOGICAL_NOT",
                                  "LOGICAL_OR",
                                  "LOG_SOFTMAX",
                                  "MAXIMUM",
                                  "MINIMUM",
                                  "NEG",
                                  "NOT_EQUAL",
                                  "PAD_V2",
                                  "POW",
                                  "PRELU",
                                  "QUANTIZE",
                                  "QUANTIZED_16BIT_LSTM",
                                  "RANDOM_MULTINOMIAL",
                                  "REDUCE_ALL",
                                  "REDUCE_ANY",
                                  "REDUCE_MAX",
                                  "REDUCE_MIN",
                                  "REDUCE_PROD",
                                  "REDUCE_SUM",
                                  "ROI_ALIGN",
                                  "ROI_POOLING",
                                  "RSQRT",
                                  "SELECT",
                                  "SIN",
                                  "SLICE",
                                  "SPLIT",
                                  "SQRT",
                                  "TILE",
                                  "TOPK_V2",
                                  "TRANSPOSE_CONV_2D",
                                  "UNIDIRECTIONAL_SEQUENCE_LSTM",
                                  "UNIDIRECTIONAL_SEQUENCE_RNN",
                                  "RESIZE_NEAREST_NEIGHBOR",
                                  "QUANTIZED_LSTM",
                                  "IF",
                                  "WHILE",
                                  "ELU",
                                  "HARD_SWISH",
                                  "FILL",
                                  "RANK"};
static_assert(std::size(kNames) == MUNJA_NN_RANK + 1);

struct Code {
  std::string_view word;
  int32_t type;
};
constexpr Code kCodes[] = {
    {"f32", MUNJA_NN_TENSOR_FLOAT32},
    {"f16", MUNJA_NN_TENSOR_FLOAT16},
    {"i32", MUNJA_NN_TENSOR_INT32},
    {"q8", MUNJA_NN_TENSOR_QUANT8_ASYMM},
    {"q8s", MUNJA_NN_TENSOR_QUANT8_ASYMM_SIGNED},
    {"q8y", MUNJA_NN_TENSOR_QUANT8_SYMM},
    {"q8c", MUNJA_NN_TENSOR_QUANT8_SYMM_PER_CHANNEL},
    {"q16y", MUNJA_NN_TENSOR_QUANT16_SYMM},
    {"q16a", MUNJA_NN_TENSOR_QUANT16_ASYMM},
    {"b8", MUNJA_NN_TENSOR_BOOL8},
    {"i", MUNJA_NN_INT32},
    {"b", MUNJA_NN_BOOL},
    {"f", MUNJA_NN_FLOAT32},
};

int32_t TypeOf(std::string_view word) {
  const auto* code = std::ranges::find(kCodes, word, &Code::word);
  return code == std::end(kCodes) ? -1 : code->type;
}

// "x?@12" of a form.
struct Word {
  std::string_view what;
  int32_t since = 0;
  size_t rank = 0;  // 0: any.
  bool may_be_absent = false;
  bool repeats = false;       // One or more.
  bool begins_group = false;  // May end here.
};

// Takes the next word off a form's text.
Word Next(std::string_view& text, int& repeat) {
  Word word;
  while (text.starts_with(' ')) text.remove_prefix(1);
  word.begins_group = text.starts_with('[');
  if (word.begins_group) text.remove_prefix(1);
  const size_t length = std::min(text.find(' '), text.size());
  std::string_view token = text.substr(0, length);
  if (token.size() > 2 && token[1] == '*') {
    if (repeat == 0) repeat = token[0] - '0';
    token.remove_prefix(2);
  } else {
    repeat = 1;
  }
  if (--repeat == 0) text.remove_prefix(length);
  if (token.ends_with(']')) token.remove_suffix(1);
  if (const size_t at = token.find('@'); at != token.npos) {
    word.since = 10 * (token[at + 1] - '0') + (token[at + 2] - '0');
    token = token.substr(0, at);
  }
  if (token.ends_with('?')) {
    word.may_be_absent = true;
    token.remove_suffix(1);
  }
  if (token.ends_with('+')) {
    word.repeats = true;
    token.remove_suffix(1);
  }
  if (const size_t at = token.find(':'); at != token.npos) {
    word.rank = static_cast<size_t>(token[at + 1] - '0');
    token = token.substr(0, at);
  }
  if (token == "c") word.rank = 1;
  word.what = token;
  return word;
}

bool IsByte(int32_t type) {
  return type == MUNJA_NN_TENSOR_QUANT8_ASYMM ||
         type == MUNJA_NN_TENSOR_QUANT8_ASYMM_SIGNED;
}

// The operand fits the word in a form whose x has type `x`.
bool Fits(const Word& word, const Form& form, int32_t type, int32_t x) {
  if (word.what == "x") return type == x;
  if (word.what == "any") return IsTensor(type);
  if (word.what == "w")
    return type == x ||
           (IsByte(x) && type == MUNJA_NN_TENSOR_QUANT8_SYMM_PER_CHANNEL);
  if (word.what == "c") return type == (IsByte(x) ? MUNJA_NN_TENSOR_INT32 : x);
  if (word.what == "r")
    return type ==
           (x == MUNJA_NN_TENSOR_FLOAT16 ? MUNJA_NN_FLOAT16 : MUNJA_NN_FLOAT32);
  if (word.what == "v")
    return type == (x == MUNJA_NN_TENSOR_FLOAT16   ? MUNJA_NN_FLOAT16
                    : x == MUNJA_NN_TENSOR_FLOAT32 ? MUNJA_NN_FLOAT32
                                                   : MUNJA_NN_INT32);
  if (word.what == "y") {
    std::string_view types = form.types;
    for (int repeat = 0; !types.empty();)
      if (TypeOf(Next(types, repeat).what) == type) return true;
    return false;
  }
  return type == TypeOf(word.what);
}

using Operands = std::vector<const Operand*>;

// The version that these operands need, 0 where they do not fit. absent: which
// of them may have no value.
int32_t Match(const Form& form, std::string_view text, const Operands& operands,
              int32_t x, std::vector<bool>* absent) {
  int32_t version = form.since;
  size_t i = 0;
  for (int repeat = 0; !text.empty();) {
    const Word word = Next(text, repeat);
    if (word.begins_group && i == operands.size()) return version;
    size_t count = 1;
    if (word.repeats) {
      // The words behind a repeated one have a fixed number.
      const auto after = static_cast<size_t>(std::ranges::count(text, ' '));
      if (operands.size() < i + 1 + after) return 0;
      count = operands.size() - i - after;
    }
    for (; count > 0; --count, ++i) {
      if (i == operands.size()) return 0;
      const Operand& operand = *operands[i];
      const bool is_absent = operand.lifetime == MUNJA_NN_NO_VALUE;
      if (is_absent && !word.may_be_absent) return 0;
      if (!Fits(word, form, operand.type, x)) return 0;
      const size_t rank = operand.dimensions.size();
      if (word.rank != 0 && rank != 0 && rank != word.rank && !is_absent)
        return 0;
      if (absent != nullptr) absent->push_back(word.may_be_absent);
      version = std::max(version, word.since);
      if (const TypeRow* row = FindType(operand.type); row != nullptr)
        version = std::max(version, row->since);
    }
  }
  return i == operands.size() ? version : 0;
}

Operands Of(const Subgraph& subgraph, const std::vector<uint32_t>& indices) {
  Operands operands;
  for (const uint32_t i : indices) operands.push_back(&subgraph.operands[i]);
  return operands;
}

std::optional<int32_t> Match(const Subgraph& subgraph,
                             const Operation& operation,
                             std::vector<bool>* absent) {
  const Operands inputs = Of(subgraph, operation.inputs);
  const Operands outputs = Of(subgraph, operation.outputs);
  std::optional<int32_t> best;
  for (const Form& form : kForms) {
    if (form.type != operation.type) continue;
    std::string_view types = form.types;
    for (int repeat = 0; !types.empty();) {
      const Word x = Next(types, repeat);
      std::vector<bool> may_be_absent;
      const int32_t in =
          Match(form, form.inputs, inputs, TypeOf(x.what), &may_be_absent);
      const int32_t out =
          in == 0 ? 0 : Match(form, form.outputs, outputs, TypeOf(x.what), {});
      if (out == 0) continue;
      const int32_t version = std::max({in, out, x.since});
      if (best && *best <= version) continue;
      best = version;
      if (absent != nullptr) *absent = may_be_absent;
    }
  }
  return best;
}

// A type that the word takes in a form whose x has type `x`.
int32_t TypeFor(const Word& word, const Form& form, int32_t x) {
  for (int32_t type = 0; type < MUNJA_NN_SUBGRAPH; ++type)
    if (Fits(word, form, type, x)) return type;
  return x;
}

std::vector<Signature::Place> Expand(const Form& form, std::string_view text,
                                     int32_t x) {
  std::vector<Signature::Place> places;
  for (int repeat = 0; !text.empty();) {
    const Word word = Next(text, repeat);
    if (word.begins_group) break;
    places.push_back(
        {Fits(word, form, x, x) ? x : TypeFor(word, form, x), word.rank});
    if (word.repeats) places.push_back(places.back());
  }
  return places;
}

}  // namespace

std::vector<Signature> Signatures() {
  std::vector<Signature> all;
  for (const Form& form : kForms) {
    std::string_view types = form.types;
    for (int repeat = 0; !types.empty();) {
      const Word x = Next(types, repeat);
      Signature& made = all.emplace_back();
      made.type = form.type;
      made.of = TypeOf(x.what);
      made.version = std::max({form.since, x.since, FindType(made.of)->since});
      made.inputs = Expand(form, form.inputs, made.of);
      made.outputs = Expand(form, form.outputs, made.of);
    }
  }
  return all;
}

std::string OperationName(int32_t type) {
  if (type >= 0 && type < static_cast<int32_t>(std::size(kNames)))
    return kNames[type];
  return "operation " + std::to_string(type);
}

std::optional<int32_t> FindOperation(std::string_view name) {
  for (size_t i = 0; i < std::size(kNames); ++i)
    if (name == kNames[i]) return static_cast<int32_t>(i);
  return std::nullopt;
}

std::optional<int32_t> VersionOf(const Subgraph& subgraph,
                                 const Operation& operation) {
  return Match(subgraph, operation, nullptr);
}

bool MayBeAbsent(const Subgraph& subgraph, const Operation& operation,
                 size_t input) {
  std::vector<bool> absent;
  return Match(subgraph, operation, &absent).has_value() &&
         input < absent.size() && absent[input];
}

}  // namespace munja::hal
