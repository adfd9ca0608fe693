// The part of ONNX Runtime's C interface that the comparison needs, loaded from
// the shared library at run time.
//
// The library gives one table of functions, in an order that never changes: a
// new version only appends. onnx_runtime.cc says where in it the functions
// stand.
#ifndef MUNJA_BENCH_COMPARE_ONNX_RUNTIME_H_
#define MUNJA_BENCH_COMPARE_ONNX_RUNTIME_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace munja::compare {

class OnnxRuntime {
 public:
  // Ends the program when the library is none.
  explicit OnnxRuntime(const std::string& library);
  std::string version() const;

 private:
  friend class OnnxSession;
  const void* const* table_ = nullptr;
  const char* (*version_)() = nullptr;
  void* environment_ = nullptr;
  void* memory_info_ = nullptr;
};

// A model with one float input and one float output. May run on several
// threads at once. Failures end the program.
class OnnxSession {
 public:
  // Threads inside a run. They stop spinning when it ends.
  OnnxSession(const OnnxRuntime& runtime, const std::string& model,
              int threads);

  class Output {
   public:
    Output() = default;
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;
    Output(Output&& other) noexcept { *this = std::move(other); }
    Output& operator=(Output&& other) noexcept;
    ~Output();
    const float* data = nullptr;
    std::vector<int64_t> shape;

   private:
    friend class OnnxSession;
    const void* const* table_ = nullptr;
    void* value_ = nullptr;
  };
  Output Run(float* input, const std::vector<int64_t>& shape) const;

 private:
  const OnnxRuntime& runtime_;
  void* session_ = nullptr;
  char* input_name_ = nullptr;
  char* output_name_ = nullptr;
};

}  // namespace munja::compare

#endif  // MUNJA_BENCH_COMPARE_ONNX_RUNTIME_H_
