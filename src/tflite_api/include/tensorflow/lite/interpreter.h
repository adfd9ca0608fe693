// Interpreter: runs a model, for C++ programs.
#ifndef MUNJA_TFLITE_INTERPRETER_H_
#define MUNJA_TFLITE_INTERPRETER_H_

#include <cassert>  // Sources use it without including it.
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tensorflow/lite/core/api/error_reporter.h"
#include "tensorflow/lite/core/c/c_api_experimental.h"
#include "tensorflow/lite/core/subgraph.h"
#include "tensorflow/lite/external_cpu_backend_context.h"
#include "tensorflow/lite/signature_runner.h"
#include "tensorflow/lite/stderr_reporter.h"

namespace tflite {
namespace internal {

// The type of a tensor whose elements are T.
template <class T>
constexpr TfLiteType kTypeOf = kTfLiteNoType;
template <>
inline constexpr TfLiteType kTypeOf<float> = kTfLiteFloat32;
template <>
inline constexpr TfLiteType kTypeOf<double> = kTfLiteFloat64;
template <>
inline constexpr TfLiteType kTypeOf<int32_t> = kTfLiteInt32;
template <>
inline constexpr TfLiteType kTypeOf<uint32_t> = kTfLiteUInt32;
template <>
inline constexpr TfLiteType kTypeOf<int64_t> = kTfLiteInt64;
template <>
inline constexpr TfLiteType kTypeOf<uint64_t> = kTfLiteUInt64;
template <>
inline constexpr TfLiteType kTypeOf<int16_t> = kTfLiteInt16;
template <>
inline constexpr TfLiteType kTypeOf<uint16_t> = kTfLiteUInt16;
template <>
inline constexpr TfLiteType kTypeOf<int8_t> = kTfLiteInt8;
template <>
inline constexpr TfLiteType kTypeOf<uint8_t> = kTfLiteUInt8;
template <>
inline constexpr TfLiteType kTypeOf<bool> = kTfLiteBool;
template <>
inline constexpr TfLiteType kTypeOf<TfLiteFloat16> = kTfLiteFloat16;

}  // namespace internal

// Made by InterpreterBuilder. One thread at a time.
class Interpreter {
 public:
  // How it was made, for SetNumThreads; the options become the interpreter's.
  struct Origin {
    const TfLiteModel* model = nullptr;
    TfLiteInterpreterOptions* options = nullptr;
    bool with_builtins = true;
    ErrorReporter* reporter = nullptr;
    // The model's bytes, unless they are kept elsewhere.
    std::shared_ptr<void> kept = nullptr;

    TfLiteInterpreter* Make() const {
      return with_builtins
                 ? TfLiteInterpreterCreate(model, options)
                 : TfLiteInterpreterCreateWithSelectedOps(model, options);
    }
  };

  explicit Interpreter(TfLiteInterpreter* interpreter)
      : Interpreter(interpreter, Origin()) {}
  Interpreter(TfLiteInterpreter* interpreter, const Origin& origin)
      : interpreter_(interpreter), origin_(origin) {
    ReadLists();
  }
  ~Interpreter() {
    runners_.clear();
    TfLiteInterpreterDelete(interpreter_);
    TfLiteInterpreterOptionsDelete(origin_.options);
  }
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

  // Numbers of tensors.
  const std::vector<int>& inputs() const { return inputs_; }
  const std::vector<int>& outputs() const { return outputs_; }
  TfLiteTensor* tensor(int index) {
    return TfLiteInterpreterGetTensor(interpreter_, index);
  }
  const TfLiteTensor* tensor(int index) const {
    return TfLiteInterpreterGetTensor(interpreter_, index);
  }
  TfLiteTensor* input_tensor(size_t i) { return tensor(inputs_[i]); }
  TfLiteTensor* output_tensor(size_t i) { return tensor(outputs_[i]); }
  const TfLiteTensor* input_tensor(size_t i) const {
    return tensor(inputs_[i]);
  }
  const TfLiteTensor* output_tensor(size_t i) const {
    return tensor(outputs_[i]);
  }
  const char* GetInputName(int i) const {
    return TfLiteTensorName(tensor(inputs_[static_cast<size_t>(i)]));
  }
  const char* GetOutputName(int i) const {
    return TfLiteTensorName(tensor(outputs_[static_cast<size_t>(i)]));
  }
  // Null when the tensor has elements of another type.
  template <class T>
  T* typed_tensor(int index) {
    TfLiteTensor* t = tensor(index);
    return t != nullptr && t->type == internal::kTypeOf<T>
               ? static_cast<T*>(t->data.data)
               : nullptr;
  }
  template <class T>
  T* typed_input_tensor(int i) {
    return typed_tensor<T>(inputs_[static_cast<size_t>(i)]);
  }
  template <class T>
  T* typed_output_tensor(int i) {
    return typed_tensor<T>(outputs_[static_cast<size_t>(i)]);
  }

  size_t tensors_size() const { return primary_subgraph().tensors_size(); }

  // Null when there is no such subgraph, or it cannot run alone.
  size_t subgraphs_size() const {
    return static_cast<size_t>(
        TfLiteMunjaInterpreterGetSubgraphCount(interpreter_));
  }
  Subgraph* subgraph(int index) {
    return reinterpret_cast<Subgraph*>(
        TfLiteMunjaInterpreterGetSubgraph(interpreter_, index));
  }
  const Subgraph* subgraph(int index) const {
    return reinterpret_cast<const Subgraph*>(
        TfLiteMunjaInterpreterGetSubgraph(interpreter_, index));
  }
  Subgraph& primary_subgraph() { return *subgraph(0); }
  const Subgraph& primary_subgraph() const { return *subgraph(0); }
  // Nodes as the model has them, including those that delegates run.
  size_t nodes_size() const { return primary_subgraph().nodes_size(); }
  const Subgraph::Node* node_and_registration(int index) const {
    return primary_subgraph().node_and_registration(index);
  }
  const Subgraph::Node* node_and_registration(int subgraph_index,
                                              int index) const {
    const Subgraph* of = subgraph(subgraph_index);
    return of != nullptr ? of->node_and_registration(index) : nullptr;
  }
  const std::vector<int>& execution_plan() const {
    return primary_subgraph().execution_plan();
  }
  const std::vector<int>& variables() const {
    return primary_subgraph().variables();
  }

  // For operators and delegates, which find it in their context; stays the
  // caller's.
  void SetExternalContext(TfLiteExternalContextType type,
                          TfLiteExternalContext* external) {
    external_[type] = external;
    TfLiteMunjaInterpreterSetExternalContext(interpreter_, type, external);
  }
  ErrorReporter* error_reporter() const {
    return origin_.reporter != nullptr ? origin_.reporter
                                       : DefaultErrorReporter();
  }
  // Outputs are readable after every run, whatever is asked for.
  void SetAllowBufferHandleOutput(bool allow) { (void)allow; }
  TfLiteStatus EnsureTensorDataIsReadable(int index) {
    return TfLiteInterpreterEnsureTensorDataIsReadable(interpreter_, index);
  }

  // Before tensors are allocated, delegates given or signatures run: the
  // interpreter is made anew, and pointers to tensors are no longer valid.
  TfLiteStatus SetNumThreads(int num_threads) {
    if (num_threads < -1 || origin_.options == nullptr || is_allocated_ ||
        !runners_.empty())
      return kTfLiteError;
    TfLiteInterpreterOptionsSetNumThreads(origin_.options, num_threads);
    TfLiteInterpreter* made = origin_.Make();
    if (made == nullptr) return kTfLiteError;
    TfLiteInterpreterDelete(interpreter_);
    interpreter_ = made;
    for (const auto& [type, external] : external_)
      TfLiteMunjaInterpreterSetExternalContext(made, type, external);
    ReadLists();
    for (const auto& [index, dims] : sizes_)
      if (Resize(index, dims) != kTfLiteOk) return kTfLiteError;
    return kTfLiteOk;
  }

  // By the number of the tensor.
  TfLiteStatus ResizeInputTensor(int index, const std::vector<int>& dims) {
    const TfLiteStatus status = Resize(index, dims);
    if (status == kTfLiteOk) sizes_[index] = dims;
    return status;
  }
  // Changes only sizes that the model leaves open.
  TfLiteStatus ResizeInputTensorStrict(int index,
                                       const std::vector<int>& dims) {
    const TfLiteTensor* t = tensor(index);
    if (t == nullptr) return kTfLiteError;
    const TfLiteIntArray* stated = TfLiteTensorGetDimsSignature(t);
    if (stated == nullptr || static_cast<size_t>(stated->size) != dims.size())
      return kTfLiteError;
    for (size_t i = 0; i < dims.size(); ++i)
      if (stated->data[i] != -1 && stated->data[i] != dims[i])
        return kTfLiteError;
    return ResizeInputTensor(index, dims);
  }
  TfLiteStatus AllocateTensors() {
    is_allocated_ = true;
    return TfLiteInterpreterAllocateTensors(interpreter_);
  }
  TfLiteStatus Invoke() { return TfLiteInterpreterInvoke(interpreter_); }
  TfLiteStatus Cancel() { return TfLiteInterpreterCancel(interpreter_); }
  TfLiteStatus ResetVariableTensors() {
    return TfLiteInterpreterResetVariableTensors(interpreter_);
  }
  TfLiteStatus SetCustomAllocationForTensor(
      int index, const TfLiteCustomAllocation& allocation,
      int64_t flags = kTfLiteCustomAllocationFlagsNone) {
    return TfLiteInterpreterSetCustomAllocationForTensor(interpreter_, index,
                                                         &allocation, flags);
  }
  // The delegate stays the caller's, or becomes the interpreter's.
  TfLiteStatus ModifyGraphWithDelegate(TfLiteDelegate* delegate) {
    is_allocated_ = true;  // It may not be given to another interpreter.
    return TfLiteInterpreterModifyGraphWithDelegate(interpreter_, delegate);
  }
  template <class Deleter>
  TfLiteStatus ModifyGraphWithDelegate(
      std::unique_ptr<TfLiteDelegate, Deleter> delegate) {
    std::shared_ptr<TfLiteDelegate> owned(std::move(delegate));
    const TfLiteStatus status = ModifyGraphWithDelegate(owned.get());
    delegates_.push_back(std::move(owned));
    return status;
  }

  const std::vector<const char*>& signature_keys_c() const { return keys_; }
  std::vector<const std::string*> signature_keys() const {
    std::vector<const std::string*> keys;
    for (const std::string& key : key_texts_) keys.push_back(&key);
    return keys;
  }
  // The interpreter's; null when there is no such signature.
  SignatureRunner* GetSignatureRunner(const char* key) {
    auto& runner = runners_[key != nullptr ? key : ""];
    if (runner == nullptr) {
      TfLiteSignatureRunner* made =
          TfLiteInterpreterGetSignatureRunner(interpreter_, key);
      if (made == nullptr) return nullptr;
      runner = std::make_unique<SignatureRunner>(made);
    }
    return runner.get();
  }
  TfLiteInterpreter* c_interpreter() { return interpreter_; }

 private:
  void ReadLists() {
    const auto list = [](const int* numbers, int32_t count) {
      return std::vector<int>(numbers, numbers + count);
    };
    inputs_ = list(TfLiteInterpreterInputTensorIndices(interpreter_),
                   TfLiteInterpreterGetInputTensorCount(interpreter_));
    outputs_ = list(TfLiteInterpreterOutputTensorIndices(interpreter_),
                    TfLiteInterpreterGetOutputTensorCount(interpreter_));
    keys_.clear();
    key_texts_.clear();
    for (int32_t i = 0; i < TfLiteInterpreterGetSignatureCount(interpreter_);
         ++i) {
      keys_.push_back(TfLiteInterpreterGetSignatureKey(interpreter_, i));
      key_texts_.emplace_back(keys_.back());
    }
  }

  TfLiteStatus Resize(int index, const std::vector<int>& dims) {
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (inputs_[i] == index)
        return TfLiteInterpreterResizeInputTensor(
            interpreter_, static_cast<int32_t>(i), dims.data(),
            static_cast<int32_t>(dims.size()));
    }
    return kTfLiteError;
  }

  // Delegates outlive the interpreter, which the destructor's body ends.
  std::vector<std::shared_ptr<TfLiteDelegate>> delegates_;
  TfLiteInterpreter* interpreter_;
  Origin origin_;
  bool is_allocated_ = false;
  std::map<int, std::vector<int>> sizes_;
  std::map<TfLiteExternalContextType, TfLiteExternalContext*> external_;
  std::vector<int> inputs_, outputs_;
  std::vector<const char*> keys_;
  std::vector<std::string> key_texts_;
  std::map<std::string, std::unique_ptr<SignatureRunner>> runners_;
};

}  // namespace tflite

#endif  // MUNJA_TFLITE_INTERPRETER_H_
