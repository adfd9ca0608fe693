#include "cli/compare.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <utility>

#include "cli/exit_code.h"
#include "cli/model_arguments.h"
#include "cli/output.h"
#include "munja/tools/tools.hpp"

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
double Element(const munja::Tensor& tensor, size_t i) {
  return static_cast<double>(tensor.data<T>()[i]);
}

// The reader of one element; null for what has no order (strings, complex).
using Reader = double (*)(const munja::Tensor&, size_t);
Reader ReaderOf(munja_element_type type) {
  switch (type) {
    case MUNJA_TYPE_FLOAT32:
      return Element<float>;
    case MUNJA_TYPE_FLOAT64:
      return Element<double>;
    case MUNJA_TYPE_FLOAT16:
      return [](const munja::Tensor& t, size_t i) {
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
struct Side {
  std::optional<munja::Session> session;
  std::vector<munja::TensorInfo> infos;
  std::vector<munja::Tensor> results;

  int Run(const munja::Network& model, const std::string& path,
          const munja::SessionOptions& options,
          const std::vector<munja::Tensor>& inputs) {
    munja::Result<munja::Session> made = munja::Session::Create(model, options);
    if (!made.ok()) return Fail(made.error(), Subject::kModel, path);
    session = *std::move(made);
    infos = session->outputs();
    munja::Result<std::vector<munja::Tensor>> run = session->Run(inputs);
    if (run.code() == MUNJA_INVALID_ARGUMENT)
      return Fail({MUNJA_MALFORMED, run.message()}, Subject::kInput, path);
    if (!run.ok()) return Fail(run.error(), Subject::kModel, path);
    results = *std::move(run);
    return kSuccess;
  }
};

struct Found {
  int index = -1;  // The first output that differs.
  int beyond = 0;
  int count = 0;
  Difference difference, largest;
};

int RunBoth(const munja::Network& model, const std::string& path,
            const Comparison& c, const std::vector<munja::Tensor>& inputs,
            Side* first, Found* found) {
  Side second;
  if (const int code = first->Run(model, path, c.first_options, inputs);
      code != kSuccess)
    return code;
  if (const int code = second.Run(model, path, c.second_options, inputs);
      code != kSuccess)
    return code;
  found->count = static_cast<int>(first->results.size());
  for (int i = 0; i < found->count; ++i) {
    const auto at = static_cast<size_t>(i);
    const bool is_quantized = first->infos[at].scale != 0;
    const double tolerance = c.tolerance >= 0            ? c.tolerance
                             : munja::IsHybrid(model, i) ? kStepTolerance
                                                         : kTolerance;
    const Difference d = Compare(first->results[at], second.results[at],
                                 is_quantized, tolerance);
    if (d.relative > found->largest.relative) found->largest = d;
    if (!d.is_beyond) continue;
    ++found->beyond;
    if (found->index >= 0) continue;
    found->index = i;
    found->difference = d;
  }
  return kSuccess;
}

std::string TensorText(const Side& side, int index) {
  const auto at = static_cast<size_t>(index);
  const munja::Tensor& tensor = side.results[at];
  return "'" + side.infos[at].name + "' " + munja::NameOf(tensor.type()) + " " +
         ShapeText(tensor.dims());
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

Difference Compare(const munja::Tensor& a, const munja::Tensor& b,
                   bool is_quantized, double tolerance) {
  Difference d;
  d.is_beyond = true;
  if (a.type() != b.type() || !std::ranges::equal(a.dims(), b.dims())) {
    d.text = "shapes or types differ: " + ShapeText(a.dims()) + " and " +
             ShapeText(b.dims());
    return d;
  }
  const Reader read = ReaderOf(a.type());
  if (read == nullptr || a.bytes() != b.bytes()) {
    d.is_beyond = !std::ranges::equal(a.data<char>(), b.data<char>());
    if (d.is_beyond) d.text = "the bytes differ";
    return d;
  }
  const size_t count = a.bytes() / std::max<size_t>(ElementBytes(a.type()), 1);
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
  if (IsFloat(a.type())) allowed = tolerance * std::max(largest, 1e-30);
  if (!IsFloat(a.type()) && is_quantized) allowed = 1;
  d.is_beyond = d.absolute > allowed;
  return d;
}

int CompareExecutors(const munja::Network& model, const std::string& path,
                     const Comparison& c,
                     const std::vector<munja::Tensor>& inputs) {
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
  const munja::Result<munja::Network> exposed = munja::ExposeAll(model);
  if (!exposed.ok()) return Fail(exposed.error(), Subject::kModel, path);
  Side all;
  Found inner;
  if (const int code = RunBoth(*exposed, path, c, inputs, &all, &inner);
      code != kSuccess)
    return code;
  if (inner.index >= 0) {
    munja::Producer producer;
    if (auto found = munja::ProducerOf(*exposed, inner.index); found.ok())
      producer = *std::move(found);
    Printf("first difference: node %d (%s), tensor %s\n", producer.node,
           producer.op.c_str(), TensorText(all, inner.index).c_str());
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
