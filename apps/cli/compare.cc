#include "cli/compare.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "cli/exit_code.h"
#include "cli/model_arguments.h"
#include "cli/output.h"
#include "munja/tools/inspect.h"

namespace munja::cli {
namespace {

// Halves have no C++ type; the arithmetic is that of the format.
double FromHalf(uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const double fraction = bits & 1023;
  double value = exponent == 0 ? std::ldexp(fraction, -24)
                               : std::ldexp(fraction + 1024, exponent - 25);
  if (exponent == 31) value = fraction == 0 ? HUGE_VAL : std::nan("");
  return bits & 0x8000 ? -value : value;
}

template <class T>
double Element(const munja_tensor& tensor, size_t i) {
  T value;
  std::memcpy(&value, static_cast<const char*>(tensor.data) + i * sizeof(T),
              sizeof(T));
  return static_cast<double>(value);
}

// The reader of one element; null for what has no order (strings, complex).
using Reader = double (*)(const munja_tensor&, size_t);
Reader ReaderOf(munja_element_type type) {
  switch (type) {
    case MUNJA_TYPE_FLOAT32:
      return Element<float>;
    case MUNJA_TYPE_FLOAT64:
      return Element<double>;
    case MUNJA_TYPE_FLOAT16:
      return [](const munja_tensor& t, size_t i) {
        return FromHalf(static_cast<uint16_t>(Element<uint16_t>(t, i)));
      };
    case MUNJA_TYPE_INT8:
      return Element<int8_t>;
    case MUNJA_TYPE_UINT8:
    case MUNJA_TYPE_BOOL:
      return Element<uint8_t>;
    case MUNJA_TYPE_INT16:
      return Element<int16_t>;
    case MUNJA_TYPE_UINT16:
      return Element<uint16_t>;
    case MUNJA_TYPE_INT32:
      return Element<int32_t>;
    case MUNJA_TYPE_UINT32:
      return Element<uint32_t>;
    case MUNJA_TYPE_INT64:
      return Element<int64_t>;
    case MUNJA_TYPE_UINT64:
      return Element<uint64_t>;
    default:
      return nullptr;
  }
}

bool IsFloat(munja_element_type type) {
  return type == MUNJA_TYPE_FLOAT32 || type == MUNJA_TYPE_FLOAT16 ||
         type == MUNJA_TYPE_FLOAT64;
}

// A session and its outputs of one run.
class Side {
 public:
  int Run(const munja_network* model, const std::string& path,
          const munja_session_options& options,
          const std::vector<munja_tensor>& inputs) {
    munja_session* raw = nullptr;
    munja_status status = munja_session_create(model, &options, &raw);
    if (status != MUNJA_OK) return Fail(status, Subject::kModel, path);
    session_.reset(raw);
    status = munja_session_run(raw, inputs.data(),
                               static_cast<int32_t>(inputs.size()));
    if (status == MUNJA_INVALID_ARGUMENT)
      return Fail(MUNJA_MALFORMED, Subject::kInput, path);
    if (status != MUNJA_OK) return Fail(status, Subject::kModel, path);
    return kSuccess;
  }
  int32_t count() const { return munja_session_output_count(session_.get()); }
  munja_tensor Result(int32_t i) const {
    munja_tensor tensor = {};
    munja_session_output_tensor(session_.get(), i, &tensor);
    return tensor;
  }
  munja_tensor_info Info(int32_t i) const {
    munja_tensor_info info = {};
    info.struct_size = sizeof info;
    munja_session_output_info(session_.get(), i, &info);
    return info;
  }

 private:
  SessionHandle session_;
};

struct Found {
  int32_t index = -1;  // The first output that differs.
  int beyond = 0;
  int32_t count = 0;
  Difference difference, largest;
};

int RunBoth(const munja_network* model, const std::string& path,
            const Comparison& c, const std::vector<munja_tensor>& inputs,
            Side* first, Found* found) {
  Side second;
  if (const int code = first->Run(model, path, c.first_options, inputs);
      code != kSuccess)
    return code;
  if (const int code = second.Run(model, path, c.second_options, inputs);
      code != kSuccess)
    return code;
  found->count = first->count();
  for (int32_t i = 0; i < found->count; ++i) {
    const bool is_quantized = first->Info(i).scale != 0;
    const double tolerance = c.tolerance >= 0 ? c.tolerance
                             : munja_network_output_is_hybrid(model, i)
                                 ? kStepTolerance
                                 : kTolerance;
    const Difference d =
        Compare(first->Result(i), second.Result(i), is_quantized, tolerance);
    if (d.relative > found->largest.relative) found->largest = d;
    if (!d.is_beyond) continue;
    ++found->beyond;
    if (found->index >= 0) continue;
    found->index = i;
    found->difference = d;
  }
  return kSuccess;
}

std::string TensorText(const Side& side, int32_t index) {
  const munja_tensor_info info = side.Info(index);
  const munja_tensor tensor = side.Result(index);
  return "'" + std::string(info.name) + "' " +
         munja_element_type_name(tensor.type) + " " +
         ShapeText(tensor.rank, tensor.dims);
}

void PrintDifference(const Difference& d) {
  if (!d.text.empty()) {
    Printf("  %s\n", d.text.c_str());
  } else {
    Printf("  at most %.3g, %.3g of the largest value\n", d.absolute,
           d.relative);
  }
}

}  // namespace

Difference Compare(const munja_tensor& a, const munja_tensor& b,
                   bool is_quantized, double tolerance) {
  Difference d;
  d.is_beyond = true;
  if (a.type != b.type || a.rank != b.rank ||
      !std::equal(a.dims, a.dims + a.rank, b.dims)) {
    d.text = "shapes or types differ: " + ShapeText(a.rank, a.dims) + " and " +
             ShapeText(b.rank, b.dims);
    return d;
  }
  const Reader read = ReaderOf(a.type);
  if (read == nullptr || a.bytes != b.bytes) {
    d.is_beyond = a.bytes != b.bytes ||
                  (a.bytes > 0 && std::memcmp(a.data, b.data, a.bytes) != 0);
    if (d.is_beyond) d.text = "the bytes differ";
    return d;
  }
  const size_t count = a.bytes / std::max<size_t>(ElementBytes(a.type), 1);
  double largest = 0;
  for (size_t i = 0; i < count; ++i) {
    const double x = read(a, i), y = read(b, i);
    if (std::isfinite(y)) largest = std::max(largest, std::abs(y));
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    const double difference = std::abs(x - y);
    d.absolute =
        std::isnan(difference) ? HUGE_VAL : std::max(d.absolute, difference);
  }
  d.relative = largest > 0 ? d.absolute / largest : d.absolute;
  double allowed = 0;
  if (IsFloat(a.type)) allowed = tolerance * std::max(largest, 1e-30);
  if (!IsFloat(a.type) && is_quantized) allowed = 1;
  d.is_beyond = d.absolute > allowed;
  return d;
}

int CompareExecutors(const munja_network* model, const std::string& path,
                     const Comparison& c,
                     const std::vector<munja_tensor>& inputs) {
  Side outputs;
  Found plain;
  if (const int code = RunBoth(model, path, c, inputs, &outputs, &plain);
      code != kSuccess)
    return code;
  Printf("%s and %s: %d of %d outputs differ\n", c.first.c_str(),
         c.second.c_str(), plain.beyond, plain.count);
  if (plain.index >= 0) {
    Printf("output %s\n", TensorText(outputs, plain.index).c_str());
    PrintDifference(plain.difference);
  }
  munja_network* raw = nullptr;
  const munja_status status = munja_network_expose_all(model, &raw);
  if (status != MUNJA_OK) return Fail(status, Subject::kModel, path);
  const ModelHandle exposed(raw);
  Side all;
  Found inner;
  if (const int code = RunBoth(raw, path, c, inputs, &all, &inner);
      code != kSuccess)
    return code;
  if (inner.index >= 0) {
    int32_t node = 0;
    const char* op = "";
    munja_network_producer(raw, inner.index, &node, &op);
    Printf("first difference: node %d (%s), tensor %s\n", node, op,
           TensorText(all, inner.index).c_str());
    PrintDifference(inner.difference);
  } else if (plain.index >= 0) {
    Printf("no tensor differs when all are given out and nothing is fused\n");
  } else {
    Printf(
        "all %d tensors agree; the largest difference is %.3g of the "
        "largest value\n",
        inner.count, std::max(plain.largest.relative, inner.largest.relative));
  }
  return FinishWith(plain.index >= 0 || inner.index >= 0
                        ? static_cast<int>(kSomeFailed)
                        : static_cast<int>(kSuccess));
}

}  // namespace munja::cli
