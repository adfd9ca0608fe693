#include "onnx_runtime.h"

#include <dlfcn.h>

#include <functional>
#include <numeric>

#include "job.h"

namespace munja::compare {
namespace {

// Everything behind these pointers belongs to the library.
using Handle = void*;
using Status = void*;  // Null: all went well.
using Table = const void* const*;

// The interface's version whose functions are asked for; any later library
// still has them.
constexpr uint32_t kVersion = 14;

// A function of the table: where it stands and its type.
template <size_t kPosition, class Function>
struct Entry;
template <size_t kPosition, class Result, class... Arguments>
struct Entry<kPosition, Result(Arguments...)> {
  static Result Call(Table table, Arguments... arguments) {
    using Pointer = Result (*)(Arguments...);
    return reinterpret_cast<Pointer>(const_cast<void*>(table[kPosition]))(
        arguments...);
  }
};

using GetErrorMessage = Entry<2, const char*(Status)>;
using CreateEnv = Entry<3, Status(int log_level, const char*, Handle*)>;
using CreateSession =
    Entry<7, Status(Handle env, const char* path, Handle options, Handle*)>;
using RunSession =
    Entry<9, Status(Handle session, Handle options, const char* const* inputs,
                    const Handle* values, size_t count,
                    const char* const* outputs, size_t output_count, Handle*)>;
using CreateSessionOptions = Entry<10, Status(Handle*)>;
using SetIntraOpThreads = Entry<24, Status(Handle options, int)>;
using InputName =
    Entry<36, Status(Handle session, size_t, Handle allocator, char**)>;
using OutputName =
    Entry<37, Status(Handle session, size_t, Handle allocator, char**)>;
using CreateTensor =
    Entry<49, Status(Handle memory, void* data, size_t bytes,
                     const int64_t* shape, size_t rank, int type, Handle*)>;
using TensorData = Entry<51, Status(Handle value, void**)>;
using DimensionCount = Entry<61, Status(Handle shape, size_t*)>;
using Dimensions = Entry<62, Status(Handle shape, int64_t*, size_t)>;
using TypeAndShape = Entry<65, Status(Handle value, Handle*)>;
using CpuMemoryInfo = Entry<69, Status(int allocator, int memory, Handle*)>;
using DefaultAllocator = Entry<78, Status(Handle*)>;
using ReleaseValue = Entry<96, void(Handle)>;
using ReleaseShape = Entry<99, void(Handle)>;
using ReleaseSessionOptions = Entry<100, void(Handle)>;
using AddSessionConfig =
    Entry<130, Status(Handle options, const char* key, const char* value)>;

constexpr int kLogErrors = 3, kFloat = 1, kDeviceAllocator = 0,
              kDefaultMemory = 0;

struct ApiBase {
  Table (*table)(uint32_t version);
  const char* (*version)();
};

void Check(Table table, Status status) {
  if (status != nullptr)
    Die(std::string("ONNX Runtime: ") + GetErrorMessage::Call(table, status));
}

}  // namespace

OnnxRuntime::OnnxRuntime(const std::string& library) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) Die(dlerror());
  void* symbol = dlsym(handle, "OrtGetApiBase");
  if (symbol == nullptr) Die(library + " is no ONNX Runtime");
  const ApiBase* base = reinterpret_cast<const ApiBase* (*)()>(symbol)();
  version_ = base->version;
  table_ = base->table(kVersion);
  if (table_ == nullptr) Die(library + " is too old");
  Check(table_, CreateEnv::Call(table_, kLogErrors, "compare", &environment_));
  Check(table_, CpuMemoryInfo::Call(table_, kDeviceAllocator, kDefaultMemory,
                                    &memory_info_));
}

std::string OnnxRuntime::version() const { return version_(); }

OnnxSession::OnnxSession(const OnnxRuntime& runtime, const std::string& model,
                         int threads)
    : runtime_(runtime) {
  const Table table = runtime.table_;
  Handle options = nullptr, allocator = nullptr;
  Check(table, CreateSessionOptions::Call(table, &options));
  Check(table, SetIntraOpThreads::Call(table, options, threads));
  // Else the threads of one network take the processors from the next one.
  Check(table, AddSessionConfig::Call(table, options,
                                      "session.force_spinning_stop", "1"));
  Check(table, CreateSession::Call(table, runtime.environment_, model.c_str(),
                                   options, &session_));
  ReleaseSessionOptions::Call(table, options);
  Check(table, DefaultAllocator::Call(table, &allocator));
  Check(table, InputName::Call(table, session_, 0, allocator, &input_name_));
  Check(table, OutputName::Call(table, session_, 0, allocator, &output_name_));
}

OnnxSession::Output OnnxSession::Run(float* input,
                                     const std::vector<int64_t>& shape) const {
  const Table table = runtime_.table_;
  const int64_t elements = std::accumulate(
      shape.begin(), shape.end(), int64_t{1}, std::multiplies<int64_t>());
  Handle value = nullptr, type = nullptr;
  Check(table, CreateTensor::Call(table, runtime_.memory_info_, input,
                                  static_cast<size_t>(elements) * sizeof(float),
                                  shape.data(), shape.size(), kFloat, &value));
  Output output;
  output.table_ = table;
  const char* inputs[] = {input_name_};
  const char* outputs[] = {output_name_};
  Check(table, RunSession::Call(table, session_, nullptr, inputs, &value, 1,
                                outputs, 1, &output.value_));
  ReleaseValue::Call(table, value);
  void* data = nullptr;
  Check(table, TensorData::Call(table, output.value_, &data));
  output.data = static_cast<const float*>(data);
  Check(table, TypeAndShape::Call(table, output.value_, &type));
  size_t rank = 0;
  Check(table, DimensionCount::Call(table, type, &rank));
  output.shape.resize(rank);
  Check(table, Dimensions::Call(table, type, output.shape.data(), rank));
  ReleaseShape::Call(table, type);
  return output;
}

OnnxSession::Output& OnnxSession::Output::operator=(Output&& other) noexcept {
  std::swap(data, other.data);
  std::swap(shape, other.shape);
  std::swap(table_, other.table_);
  std::swap(value_, other.value_);
  return *this;
}

OnnxSession::Output::~Output() {
  if (value_ != nullptr) ReleaseValue::Call(table_, value_);
}

}  // namespace munja::compare
