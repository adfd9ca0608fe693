#include "delegates/opencl/plan.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>
#include <utility>

#include "kernels/quant/half_numbers.h"

namespace munja::delegates::opencl {
namespace {

// Some drivers begin with nothing before they are told to.
constexpr size_t kLaunchesToFlush = 16;

// Releases objects on the thread that made them.
void ReleaseLater(Device& device, std::vector<cl_mem> memory,
                  std::vector<cl_kernel> kernels) {
  if (memory.empty() && kernels.empty()) return;
  device.worker().Post([&api = device.api(), memory = std::move(memory),
                        kernels = std::move(kernels)] {
    for (const cl_kernel k : kernels) api.clReleaseKernel(k);
    for (const cl_mem m : memory) api.clReleaseMemObject(m);
    return Status();
  });
}

}  // namespace

DeviceMemory::~DeviceMemory() {
  std::vector<cl_mem> all;
  for (const cl_mem m : slots_)
    if (m != nullptr) all.push_back(m);
  for (const auto& [key, m] : constants_) all.push_back(m);
  ReleaseLater(*device_, std::move(all), {});
}

Result<cl_mem> DeviceMemory::Make(size_t bytes, const void* data) {
  if (bytes > device_->info().max_allocation)
    return OutOfMemory("the device gives at most " +
                       std::to_string(device_->info().max_allocation) +
                       " bytes at once, not " + std::to_string(bytes));
  cl_int error = CL_SUCCESS;
  const cl_mem memory = device_->api().clCreateBuffer(
      device_->context(),
      data == nullptr ? cl_mem_flags{CL_MEM_READ_WRITE}
                      : CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
      bytes, const_cast<void*>(data), &error);
  MUNJA_RETURN_IF_ERROR(ClStatus(error, "clCreateBuffer"));
  return memory;
}

Status DeviceMemory::Grow(const std::vector<size_t>& slots) {
  if (slots_.size() < slots.size()) {
    slots_.resize(slots.size());
    sizes_.resize(slots.size());
  }
  for (size_t i = 0; i < slots.size(); ++i) {
    if (sizes_[i] >= slots[i]) continue;
    if (slots_[i] != nullptr) device_->api().clReleaseMemObject(slots_[i]);
    slots_[i] = nullptr;
    sizes_[i] = 0;
    ++version_;
    MUNJA_ASSIGN_OR_RETURN(slots_[i], Make(slots[i], nullptr));
    sizes_[i] = slots[i];
  }
  return Status();
}

size_t DeviceMemory::bytes() const {
  size_t sum = 0;
  for (const size_t s : sizes_) sum += s;
  return sum;
}

cl_mem DeviceMemory::Find(const std::string& key) const {
  const auto found = constants_.find(key);
  return found == constants_.end() ? nullptr : found->second;
}

DevicePlan::DevicePlan(std::shared_ptr<DeviceMemory> memory,
                       Recording recording, PlanOptions options)
    : memory_(std::move(memory)),
      recording_(std::move(recording)),
      options_(std::move(options)),
      constants_(recording_.buffers.size()) {
  AssignSlots();
  for (const int b : recording_.inputs) inputs_.emplace_back(BytesOf(b));
  for (const int b : recording_.outputs) outputs_.emplace_back(BytesOf(b));
}

DevicePlan::~DevicePlan() {
  std::vector<cl_kernel> kernels;
  for (const Step& step : steps_) kernels.push_back(step.kernel);
  ReleaseLater(memory_->device(), std::move(own_), std::move(kernels));
}

size_t DevicePlan::BytesOf(int buffer) const {
  const BufferSpec& spec = recording_.buffers[buffer];
  const bool is_half = options_.is_half && spec.storage == BufferSpec::kReal;
  const size_t element = spec.kind == BufferSpec::kTable     ? sizeof(int32_t)
                         : spec.storage == BufferSpec::kByte ? sizeof(int8_t)
                         : is_half                           ? sizeof(uint16_t)
                                                             : sizeof(float);
  return static_cast<size_t>(spec.elements) * element;
}

// Each value into the smallest free slot that is large enough, else the largest
// one, which grows; a new one where none is free.
void DevicePlan::AssignSlots() {
  const int end = static_cast<int>(recording_.launches.size());
  const size_t buffers = recording_.buffers.size();
  std::vector<int> first(buffers, end + 1), last(buffers, -1);
  const auto use = [&](int buffer, int at) {
    first[buffer] = std::min(first[buffer], at);
    last[buffer] = std::max(last[buffer], at);
  };
  for (const int b : recording_.inputs) use(b, -1);
  for (int k = 0; k < end; ++k)
    for (const Argument& a : recording_.launches[k].arguments)
      if (const auto* const b = std::get_if<BufferArgument>(&a))
        use(b->buffer, k);
  for (const int b : recording_.outputs) use(b, end);
  slot_of_.assign(buffers, -1);
  std::vector<int> order;
  for (size_t b = 0; b < buffers; ++b) {
    const auto kind = recording_.buffers[b].kind;
    if (kind == BufferSpec::kInput || kind == BufferSpec::kValue)
      order.push_back(static_cast<int>(b));
  }
  std::ranges::stable_sort(order, {}, [&](int b) { return first[b]; });
  std::vector<int> busy_until;  // By slot.
  for (const int b : order) {
    const size_t bytes = BytesOf(b);
    int best = -1;
    for (size_t s = 0; s < slots_.size() && options_.shares_memory; ++s) {
      if (busy_until[s] >= first[b]) continue;
      const bool fits = slots_[s] >= bytes;
      const auto at = static_cast<size_t>(best);
      if (best < 0 || (fits ? slots_[at] < bytes || slots_[s] < slots_[at]
                            : slots_[at] < bytes && slots_[s] > slots_[at]))
        best = static_cast<int>(s);
    }
    if (best < 0) {
      best = static_cast<int>(slots_.size());
      slots_.push_back(0);
      busy_until.push_back(0);
    }
    const auto at = static_cast<size_t>(best);
    slots_[at] = std::max(slots_[at], bytes);
    busy_until[at] = last[b];
    slot_of_[b] = best;
  }
}

cl_mem DevicePlan::MemoryOf(int buffer) const {
  return slot_of_[buffer] < 0
             ? constants_[buffer]
             : memory_->slot(static_cast<size_t>(slot_of_[buffer]));
}

void DevicePlan::SetInput(size_t i, const float* numbers) {
  Store(numbers, inputs_[i]);
}

void DevicePlan::Store(const float* numbers, std::vector<uint8_t>& to) const {
  if (options_.is_half) {
    kernels::FloatsToHalves(numbers, to.size() / sizeof(uint16_t), to.data());
  } else {
    std::memcpy(to.data(), numbers, to.size());
  }
}

void DevicePlan::GetOutput(size_t i, float* numbers) const {
  const std::vector<uint8_t>& from = outputs_[i];
  if (options_.is_half) {
    kernels::HalvesToFloats(from.data(), from.size() / sizeof(uint16_t),
                            numbers);
  } else {
    std::memcpy(numbers, from.data(), from.size());
  }
}

Status DevicePlan::MakeConstants() {
  for (size_t b = 0; b < recording_.buffers.size(); ++b) {
    const BufferSpec& spec = recording_.buffers[b];
    if (spec.kind == BufferSpec::kTable) {
      MUNJA_ASSIGN_OR_RETURN(
          constants_[b],
          memory_->Make(BytesOf(static_cast<int>(b)), spec.table.data()));
      own_.push_back(constants_[b]);
    }
    if (spec.kind != BufferSpec::kConstant) continue;
    const bool is_half = options_.is_half && spec.storage == BufferSpec::kReal;
    const std::string key =
        spec.key.empty() ? "" : spec.key + "/" + (is_half ? "half" : "float");
    if (!key.empty()) constants_[b] = memory_->Find(key);
    if (constants_[b] != nullptr) continue;
    MUNJA_ASSIGN_OR_RETURN(const std::vector<float> numbers, spec.numbers());
    if (static_cast<int64_t>(numbers.size()) != spec.elements)
      return Internal("a constant has another size than was said");
    const size_t bytes = BytesOf(static_cast<int>(b));
    std::vector<uint8_t> small;
    const void* data = numbers.data();
    if (is_half) {
      small.resize(bytes);
      kernels::FloatsToHalves(numbers.data(), numbers.size(), small.data());
      data = small.data();
    } else if (spec.storage == BufferSpec::kByte) {
      for (const float n : numbers)
        small.push_back(static_cast<uint8_t>(static_cast<int8_t>(n)));
      data = small.data();
    }
    MUNJA_ASSIGN_OR_RETURN(constants_[b], memory_->Make(bytes, data));
    if (key.empty()) {
      own_.push_back(constants_[b]);
    } else {
      memory_->Keep(key, constants_[b], bytes);
    }
  }
  return Status();
}

Status DevicePlan::Prepare(const std::vector<std::string>& ops,
                           const KernelCache& cache, const GroupSizes& groups) {
  Device& device = memory_->device();
  MUNJA_RETURN_IF_ERROR(device.Open());
  if (options_.fails_in == "build")
    return ClStatus(CL_BUILD_PROGRAM_FAILURE,
                    "the driver does not compile a kernel");
  if (options_.fails_in == "allocate")
    return ClStatus(CL_MEM_OBJECT_ALLOCATION_FAILURE, "clCreateBuffer");
  MUNJA_RETURN_IF_ERROR(memory_->Grow(slots_));
  MUNJA_RETURN_IF_ERROR(MakeConstants());
  for (size_t k = 0; k < recording_.launches.size(); ++k) {
    const auto found = groups.find(KindOf(recording_.launches[k]));
    MUNJA_ASSIGN_OR_RETURN(
        Step step,
        MakeStep(k, found == groups.end() ? kGroupSize : found->second, cache));
    step.is_left_out = ops[k] == options_.fails_in;
    steps_.push_back(step);
  }
  return SetArguments();
}

std::string DevicePlan::KindOf(const Launch& launch) const {
  std::string kind = launch.kernel;
  if (options_.is_half) kind += " half";
  if (launch.has_byte_weights) kind += " bytes";
  if (options_.math != Math::kFloat) kind += " math";
  for (const Argument& argument : launch.arguments)
    if (const auto* const n = std::get_if<int32_t>(&argument))
      kind += " " + std::to_string(std::bit_width(
                        static_cast<uint32_t>(std::abs(int64_t{*n}))));
  return kind;
}

Result<DevicePlan::Step> DevicePlan::MakeStep(size_t launch, int group,
                                              const KernelCache& cache) {
  const Launch& what = recording_.launches[launch];
  if (what.is_by_group) group = kGroupSize;
  Step step;
  MUNJA_ASSIGN_OR_RETURN(
      step.kernel,
      memory_->device().MakeKernel(
          what.family, what.kernel,
          {options_.is_half, what.has_byte_weights, group,
           what.family == Family::kConvolution ? options_.math : Math::kFloat},
          cache));
  step.group = static_cast<size_t>(group);
  const auto items = static_cast<size_t>(what.items);
  step.items = what.is_by_group
                   ? items * step.group
                   : (items + step.group - 1) / step.group * step.group;
  return step;
}

Status DevicePlan::SetArguments() {
  for (size_t k = 0; k < steps_.size(); ++k)
    MUNJA_RETURN_IF_ERROR(SetArgumentsOf(k, steps_[k].kernel));
  version_ = memory_->version();
  return Status();
}

Status DevicePlan::SetArgumentsOf(size_t launch, cl_kernel kernel) {
  const ClApi& api = memory_->device().api();
  cl_uint at = 0;
  for (const Argument& argument : recording_.launches[launch].arguments) {
    cl_int error = CL_SUCCESS;
    if (const auto* const b = std::get_if<BufferArgument>(&argument)) {
      const cl_mem memory = MemoryOf(b->buffer);
      error = api.clSetKernelArg(kernel, at, sizeof(cl_mem), &memory);
    } else if (const auto* const n = std::get_if<int32_t>(&argument)) {
      const cl_int number = *n;
      error = api.clSetKernelArg(kernel, at, sizeof number, &number);
    } else {
      const cl_float number = std::get<float>(argument);
      error = api.clSetKernelArg(kernel, at, sizeof number, &number);
    }
    if (error != CL_SUCCESS)
      return Internal(
          "kernel " + std::string(recording_.launches[launch].kernel) +
          ", argument " + std::to_string(at) + ": " + ClErrorName(error));
    ++at;
  }
  return Status();
}

Result<uint64_t> DevicePlan::TimeOf(const Step& step) {
  // The first one may be compiled for.
  constexpr int kRuns = 4;
  uint64_t shortest = 0;
  for (int i = 0; i < kRuns; ++i) {
    cl_event event = nullptr;
    MUNJA_RETURN_IF_ERROR(Enqueue(step, &event));
    const Status status =
        ClStatus(memory_->device().api().clFinish(memory_->device().queue()),
                 "clFinish");
    const uint64_t time = TakeSpan(event).duration();
    MUNJA_RETURN_IF_ERROR(status.Clone());
    if (i > 0 && time > 0 && (shortest == 0 || time < shortest))
      shortest = time;
  }
  return shortest;
}

Status DevicePlan::Tune(const KernelCache& cache,
                        std::chrono::steady_clock::time_point deadline,
                        GroupSizes& groups) {
  // Each kind by the launch of it that takes longest, and all its time.
  struct Kind {
    std::string name;
    size_t launch = 0;
    uint64_t longest = 0, all = 0;
  };
  std::vector<Kind> kinds;
  std::vector<size_t> launches;
  for (size_t k = 0; k < steps_.size(); ++k)
    if (!recording_.launches[k].is_by_group &&
        !groups.contains(KindOf(recording_.launches[k])))
      launches.push_back(k);
  if (launches.empty()) return Status();
  Times times;
  const bool has_time = std::chrono::steady_clock::now() < deadline;
  if (has_time) MUNJA_RETURN_IF_ERROR(Run(&times));
  for (const size_t k : launches) {
    std::string name = KindOf(recording_.launches[k]);
    auto kind = std::ranges::find(kinds, name, &Kind::name);
    if (kind == kinds.end())
      kind = kinds.insert(kind, Kind{std::move(name), k, 0, 0});
    const uint64_t time = has_time ? times.launches[k].duration() : 0;
    kind->all += time;
    if (time >= kind->longest) {
      kind->longest = time;
      kind->launch = k;
    }
  }
  std::ranges::stable_sort(kinds, std::ranges::greater(), &Kind::all);
  const ClApi& api = memory_->device().api();
  for (const Kind& kind : kinds) {
    int best = kGroupSize;
    uint64_t shortest = 0;
    if (std::chrono::steady_clock::now() < deadline) {
      MUNJA_ASSIGN_OR_RETURN(shortest, TimeOf(steps_[kind.launch]));
    }
    for (const int group : kGroupSizes) {
      if (shortest == 0 || std::chrono::steady_clock::now() >= deadline) break;
      if (group == kGroupSize || static_cast<uint64_t>(group) >
                                     memory_->device().info().max_work_group)
        continue;
      // A driver may refuse a size.
      auto step = MakeStep(kind.launch, group, cache);
      if (!step.ok()) continue;
      uint64_t time = 0;
      if (SetArgumentsOf(kind.launch, step->kernel).ok()) {
        const auto measured = TimeOf(*step);
        if (measured.ok()) time = *measured;
      }
      api.clReleaseKernel(step->kernel);
      // Less is no difference.
      constexpr double kBetter = 0.95;
      if (time > 0 &&
          static_cast<double>(time) < kBetter * static_cast<double>(shortest)) {
        shortest = time;
        best = group;
      }
    }
    groups[kind.name] = best;
  }
  for (size_t k = 0; k < steps_.size(); ++k) {
    const auto found = groups.find(KindOf(recording_.launches[k]));
    if (found == groups.end() ||
        static_cast<size_t>(found->second) == steps_[k].group)
      continue;
    MUNJA_ASSIGN_OR_RETURN(Step step, MakeStep(k, found->second, cache));
    step.is_left_out = steps_[k].is_left_out;
    api.clReleaseKernel(steps_[k].kernel);
    steps_[k] = step;
  }
  return SetArguments();
}

Status DevicePlan::Upload(cl_event* events) {
  const ClApi& api = memory_->device().api();
  MUNJA_RETURN_IF_ERROR(memory_->Grow(slots_));
  if (version_ != memory_->version()) MUNJA_RETURN_IF_ERROR(SetArguments());
  for (size_t i = 0; i < inputs_.size(); ++i)
    MUNJA_RETURN_IF_ERROR(
        ClStatus(api.clEnqueueWriteBuffer(
                     memory_->device().queue(), MemoryOf(recording_.inputs[i]),
                     CL_FALSE, 0, inputs_[i].size(), inputs_[i].data(), 0,
                     nullptr, events == nullptr ? nullptr : &events[i]),
                 "clEnqueueWriteBuffer"));
  return Status();
}

Status DevicePlan::Enqueue(const Step& step, cl_event* event) {
  if (step.is_left_out) return Status();
  return ClStatus(memory_->device().api().clEnqueueNDRangeKernel(
                      memory_->device().queue(), step.kernel, 1, nullptr,
                      &step.items, &step.group, 0, nullptr, event),
                  "clEnqueueNDRangeKernel");
}

Status DevicePlan::RunNode(int node) {
  for (size_t k = 0; k < steps_.size(); ++k)
    if (recording_.launches[k].node == node)
      MUNJA_RETURN_IF_ERROR(Enqueue(steps_[k], nullptr));
  return Status();
}

Status DevicePlan::Run(Times* times) {
  const ClApi& api = memory_->device().api();
  const cl_command_queue queue = memory_->device().queue();
  if (options_.fails_in == "run")
    return ClStatus(CL_OUT_OF_RESOURCES, "clEnqueueNDRangeKernel");
  if (options_.fails_in == "hang")
    std::this_thread::sleep_for(std::chrono::hours(24));
  // Inputs, launches, outputs.
  std::vector<cl_event> events(
      times == nullptr ? 0 : inputs_.size() + steps_.size() + outputs_.size());
  cl_event* const of_inputs = events.empty() ? nullptr : events.data();
  if (times != nullptr) times->queued_here = std::chrono::steady_clock::now();
  MUNJA_RETURN_IF_ERROR(Upload(of_inputs));
  Status status;
  for (size_t k = 0; k < steps_.size() && status.ok(); ++k) {
    status = Enqueue(steps_[k],
                     events.empty() ? nullptr : &events[inputs_.size() + k]);
    if ((k + 1) % kLaunchesToFlush == 0) api.clFlush(queue);
  }
  for (size_t i = 0; i < outputs_.size() && status.ok(); ++i)
    status = ClStatus(
        api.clEnqueueReadBuffer(
            queue, MemoryOf(recording_.outputs[i]), CL_FALSE, 0,
            outputs_[i].size(), outputs_[i].data(), 0, nullptr,
            events.empty() ? nullptr
                           : &events[inputs_.size() + steps_.size() + i]),
        "clEnqueueReadBuffer");
  const Status finished = ClStatus(api.clFinish(queue), "clFinish");
  if (status.ok()) status = finished.Clone();
  if (times == nullptr) return status;
  auto event = events.begin();
  for (size_t i = 0; i < inputs_.size(); ++i)
    times->uploads.push_back(
        TakeSpan(*event++, i == 0 ? &times->queued : nullptr));
  for (size_t k = 0; k < steps_.size(); ++k)
    times->launches.push_back(TakeSpan(*event++));
  for (size_t i = 0; i < outputs_.size(); ++i)
    times->downloads.push_back(TakeSpan(*event++));
  return status;
}

DevicePlan::Span DevicePlan::TakeSpan(cl_event event, uint64_t* queued) {
  if (event == nullptr) return {};
  const ClApi& api = memory_->device().api();
  const auto at = [&](cl_profiling_info what) -> uint64_t {
    cl_ulong time = 0;
    return api.clGetEventProfilingInfo(event, what, sizeof time, &time,
                                       nullptr) == CL_SUCCESS
               ? time
               : 0;
  };
  const Span span{at(CL_PROFILING_COMMAND_START), at(CL_PROFILING_COMMAND_END)};
  if (queued != nullptr) *queued = at(CL_PROFILING_COMMAND_QUEUED);
  api.clReleaseEvent(event);
  return span;
}

Result<std::vector<float>> DevicePlan::Read(int buffer) {
  const ClApi& api = memory_->device().api();
  std::vector<uint8_t> bytes(BytesOf(buffer));
  MUNJA_RETURN_IF_ERROR(ClStatus(
      api.clEnqueueReadBuffer(memory_->device().queue(), MemoryOf(buffer),
                              CL_TRUE, 0, bytes.size(), bytes.data(), 0,
                              nullptr, nullptr),
      "clEnqueueReadBuffer"));
  std::vector<float> numbers(
      static_cast<size_t>(recording_.buffers[buffer].elements));
  if (options_.is_half) {
    kernels::HalvesToFloats(bytes.data(), numbers.size(), numbers.data());
  } else {
    std::memcpy(numbers.data(), bytes.data(), bytes.size());
  }
  return numbers;
}

Status DevicePlan::Write(int buffer, const float* numbers) {
  std::vector<uint8_t> bytes(BytesOf(buffer));
  Store(numbers, bytes);
  return ClStatus(memory_->device().api().clEnqueueWriteBuffer(
                      memory_->device().queue(), MemoryOf(buffer), CL_TRUE, 0,
                      bytes.size(), bytes.data(), 0, nullptr, nullptr),
                  "clEnqueueWriteBuffer");
}

}  // namespace munja::delegates::opencl
