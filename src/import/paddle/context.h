// What the translation of each Paddle operator works on.
#ifndef MUNJA_IMPORT_PADDLE_CONTEXT_H_
#define MUNJA_IMPORT_PADDLE_CONTEXT_H_

#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "import/builder.h"
#include "import/paddle/program.h"

namespace munja::foreign::paddle {

class Context {
 public:
  explicit Context(ModelBuilder* model) : builder(*model) {}

  ModelBuilder& builder;
  // What each variable holds now: operators may write to one again.
  std::map<std::string, ValueId> values;

  const Dims& ShapeOf(ValueId id) const { return builder.value(id).shape; }
  // All values of a parameter; empty when it is not given.
  Result<std::vector<ValueId>> All(const Operation& op,
                                   const char* parameter) const;
  // The one value of a parameter: kMalformed unless there is one.
  Result<ValueId> One(const Operation& op, const char* parameter) const;
  // The same, kNoValue when it is not given.
  Result<ValueId> Optional(const Operation& op, const char* parameter) const;
  // The same for a constant; null when it is not given. kUnsupported when it
  // is computed at run time.
  Result<const Tensor*> Constant(const Operation& op,
                                 const char* parameter) const;

  // Adds a node whose result is the first variable of `output`.
  Status Emit(const Operation& op, const char* output, std::string name,
              std::vector<ValueId> inputs, graph::Attributes attributes = {});
  // Adds a node in the middle of an operator.
  Result<ValueId> Step(const Operation& op, const char* what, std::string name,
                       std::vector<ValueId> inputs,
                       graph::Attributes attributes = {});
  // The i-th variable of `output` stands for that value from now on.
  Status Bind(const Operation& op, const char* output, ValueId value,
              size_t i = 0);
  ValueId Number(double value) {
    return builder.AddConstant("",
                               Tensor::Floats({}, {static_cast<float>(value)}));
  }
  // The name of the first variable of `output`, or the operator's own.
  std::string OutputName(const Operation& op, const char* output) const;

  // Integers given by a constant tensor, several constant tensors of one
  // number, or an attribute: the first of these that is there. `present` says
  // whether one is.
  Result<std::vector<int64_t>> Ints(
      const Operation& op, std::initializer_list<const char*> parameters,
      std::initializer_list<const char*> attributes, bool* present) const;
};

// The first of these attributes that is there.
const graph::AttributeValue* FindFirst(
    const Operation& op, std::initializer_list<const char*> names);
// Truth values come as such, or as integers.
Result<bool> Flag(const Operation& op, std::initializer_list<const char*> names,
                  bool fallback);
// kUnsupported unless the layout is absent, NCHW or does not matter.
Status NeedChannelsFirst(const Operation& op);

using Handler = Status (*)(Context&, const Operation&);
// Null when the operator is not supported.
Handler FindHandler(const std::string& type);

// operators_elementwise.cc
Status Plain(Context&, const Operation&);  // One to one, no attributes.
Status Alias(Context&, const Operation&);
Status Dropout(Context&, const Operation&);
Status Cast(Context&, const Operation&);
Status Activation(Context&, const Operation&);
Status Swish(Context&, const Operation&);
Status PRelu(Context&, const Operation&);
Status Clip(Context&, const Operation&);
Status Power(Context&, const Operation&);
Status Scale(Context&, const Operation&);
Status Binary(Context&, const Operation&);
// y beside x as the operator's axis says.
Result<ValueId> AlignSecond(Context& context, const Operation& op, ValueId x,
                            ValueId y);
// operators_select.cc
Status Compare(Context&, const Operation&);
Status Logical(Context&, const Operation&);
Status Where(Context&, const Operation&);
Status TopK(Context&, const Operation&);
Status GatherNd(Context&, const Operation&);
Status MulticlassNms(Context&, const Operation&);
Status DeformableConvolution(Context&, const Operation&);
// operators_index.cc
Status Range(Context&, const Operation&);
Status Meshgrid(Context&, const Operation&);
Status FillAnyLike(Context&, const Operation&);
Status Flip(Context&, const Operation&);
Status CumulativeSum(Context&, const Operation&);
Status OneHot(Context&, const Operation&);
Status Unstack(Context&, const Operation&);
Status IndexSelect(Context&, const Operation&);
Status ExpandAs(Context&, const Operation&);
Status GridSampler(Context&, const Operation&);
Status Norm(Context&, const Operation&);
Status Modulo(Context&, const Operation&);
Status Sign(Context&, const Operation&);
// operators_constant.cc
// Whether the operator's dtype is one of integers.
Result<bool> IsIntegerConstant(const Operation& op);
Status FillConstant(Context&, const Operation&);
Status FillLike(Context&, const Operation&);
Status AssignValue(Context&, const Operation&);
// operators_window.cc
Status Convolution(Context&, const Operation&);
Status ConvolutionTranspose(Context&, const Operation&);
Status Pool(Context&, const Operation&);
Status Interpolate(Context&, const Operation&);
// operators_more.cc
Status Softplus(Context&, const Operation&);
Status Mish(Context&, const Operation&);
Status LogSoftmax(Context&, const Operation&);
Status AddAll(Context&, const Operation&);
Status PixelShuffle(Context&, const Operation&);
Status ChannelShuffle(Context&, const Operation&);
Status GroupNorm(Context&, const Operation&);
Status Repeat(Context&, const Operation&);
// operators_sums.cc
Status BatchNorm(Context&, const Operation&);
Status LayerNorm(Context&, const Operation&);
Status MatMul(Context&, const Operation&);
Status Mul(Context&, const Operation&);
Status FullyConnected(Context&, const Operation&);
Status Reduce(Context&, const Operation&);
Status ArgMax(Context&, const Operation&);
Status Softmax(Context&, const Operation&);
// operators_recurrent.cc
Status Rnn(Context&, const Operation&);
// operators_movement.cc
Status Concat(Context&, const Operation&);
Status Stack(Context&, const Operation&);
Status Split(Context&, const Operation&);
Status Slice(Context&, const Operation&);
Status Squeeze(Context&, const Operation&);
Status Reshape(Context&, const Operation&);
Status Flatten(Context&, const Operation&);
Status Transpose(Context&, const Operation&);
Status Pad(Context&, const Operation&);
Status Gather(Context&, const Operation&);
Status ShapeOp(Context&, const Operation&);

}  // namespace munja::foreign::paddle

#endif  // MUNJA_IMPORT_PADDLE_CONTEXT_H_
