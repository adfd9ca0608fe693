// Compares kernels over rows of values, matrix products among them, with their
// reference implementations.
#include "base/thread_pool.h"
#include "kernels/differential_fuzz.h"
#include "kernels/elementwise/binary.h"
#include "kernels/gemm/gemm.h"
#include "kernels/reduce/reduce.h"
#include "kernels/reduce/softmax.h"
#include "kernels/spatial/resize.h"

namespace munja::kernels {
namespace {

void GemmCase(CaseBytes& bytes) {
  const size_t m = bytes.Size(1, 60), k = bytes.Size(0, 80),
               n = bytes.Size(1, 150), lda = k + bytes.Size(0, 3),
               ldc = n + bytes.Size(0, 3);
  const bool is_transposed = bytes.Flag();
  const size_t k_stride = is_transposed ? 1 : n,
               n_stride = is_transposed ? k : 1;
  const auto a = bytes.Numbers(m * lda), b = bytes.Numbers(k * n),
             bias = bytes.Numbers(n), residual = bytes.Numbers(m * ldc);
  const bool has_bias = bytes.Flag(), has_residual = bytes.Flag();
  const Epilogue epilogue{has_bias ? bias.data() : nullptr,
                          has_residual ? residual.data() : nullptr,
                          bytes.AnyActivation()};
  std::vector<float> want(m * ldc, kUntouched), bound(want);
  reference::Gemm(a.data(), lda, m, b.data(), k, n, k_stride, n_stride,
                  epilogue, want.data(), ldc);
  reference::Gemm(Absolute(a).data(), lda, m, Absolute(b).data(), k, n,
                  k_stride, n_stride,
                  {Absolute(bias).data(), Absolute(residual).data(), {}},
                  bound.data(), ldc);
  OnEveryTarget([&] {
    std::vector<float> first;
    for (const int threads : {1, 3}) {
      const auto packed =
          PackedMatrix::Pack(b.data(), k, n, k_stride, n_stride);
      if (!packed.ok()) std::abort();
      ThreadPool pool(threads);
      std::vector<float> got(m * ldc, kUntouched);
      Gemm(a.data(), lda, m, packed->view(), epilogue, got.data(), ldc, pool);
      // Each of the k + 2 additions errs by at most half an ulp of a partial
      // sum, which the sum of absolute values bounds; activations have a slope
      // of at most 1.13 and add a few ulp. Past a row nothing may change.
      ExpectNear("Gemm " + std::to_string(m) + "x" + std::to_string(k) + "x" +
                     std::to_string(n),
                 got, want, [&](size_t i) {
                   if (i % ldc >= n) return 0.0f;
                   return kEpsilon * (2 * static_cast<float>(k + 2) * bound[i] +
                                      16 * (1 + bound[i]));
                 });
      if (threads == 1) first = got;
      ExpectSame("Gemm on more threads", got, first);
    }
  });
}

void ResizeCase(CaseBytes& bytes) {
  const int32_t in_w = bytes.Between(1, 12), out_w = bytes.Between(1, 30),
                channels = bytes.Between(1, 70);
  const bool half_pixel = bytes.Flag(), align = !half_pixel && bytes.Flag();
  const std::vector<LinearTap> taps =
      LinearTaps(in_w, out_w, align, half_pixel);
  const size_t inputs = static_cast<size_t>(in_w * channels),
               outputs = static_cast<size_t>(out_w * channels);
  const auto above = bytes.Numbers(inputs), below = bytes.Numbers(inputs);
  const float weight = static_cast<float>(bytes.Byte()) / 255.0f;
  std::vector<float> want(outputs);
  reference::ResizeBilinearRow(above.data(), below.data(), weight, taps.data(),
                               out_w, channels, want.data());
  // Three mixtures of two numbers, each rounded three times.
  const float tolerance =
      9 * kEpsilon * std::max(Largest(above), Largest(below));
  OnEveryTarget([&] {
    std::vector<float> got(outputs, kUntouched);
    ResizeBilinearRow(above.data(), below.data(), weight, taps.data(), out_w,
                      channels, got.data());
    ExpectNear("ResizeBilinearRow", got, want,
               [&](size_t) { return tolerance; });
  });
}

void ReduceCase(CaseBytes& bytes) {
  const ReduceKind kind =
      bytes.Pick({ReduceKind::kSum, ReduceKind::kProduct, ReduceKind::kMaximum,
                  ReduceKind::kMinimum});
  const size_t rows = bytes.Size(0, 9), cols = bytes.Size(0, 200),
               stride = cols + bytes.Size(0, 3);
  std::vector<float> in = bytes.Numbers(rows * stride);
  std::vector<float> before = bytes.Numbers(cols);
  if (kind == ReduceKind::kProduct) {
    // Products of many numbers stay within range only when these are near 1.
    for (std::vector<float>* numbers : {&in, &before})
      for (float& x : *numbers)
        x = (x < 0 ? -1.0f : 1.0f) + std::fmod(x, 0.05f);
  }
  // As many roundings as terms, of partial sums that the sum of absolute
  // values bounds, or of partial products.
  const auto tolerance = [&](size_t terms, float sum, float want) {
    const float n = static_cast<float>(terms + 1);
    if (kind == ReduceKind::kSum) return kEpsilon * n * sum;
    if (kind == ReduceKind::kProduct) return 2 * kEpsilon * n * std::fabs(want);
    return 0.0f;
  };
  std::vector<float> want = before, sums = Absolute(before);
  reference::ReduceRows(kind, in.data(), rows, stride, cols, want.data());
  for (size_t r = 0; r < rows; ++r)
    for (size_t c = 0; c < cols; ++c) sums[c] += std::fabs(in[r * stride + c]);
  const float row_want = reference::ReduceRow(kind, in.data(), in.size());
  float row_sum = 0;
  for (const float x : in) row_sum += std::fabs(x);
  OnEveryTarget([&] {
    std::vector<float> got = before;
    ReduceRows(kind, in.data(), rows, stride, cols, got.data());
    ExpectNear("ReduceRows", got, want,
               [&](size_t i) { return tolerance(rows, sums[i], want[i]); });
    const float row = ReduceRow(kind, in.data(), in.size());
    ExpectNear("ReduceRow", {&row, 1}, {&row_want, 1},
               [&](size_t) { return tolerance(in.size(), row_sum, row_want); });
  });
}

void BinaryCase(CaseBytes& bytes) {
  const BinaryKind kind =
      bytes.Pick({BinaryKind::kAdd, BinaryKind::kSub, BinaryKind::kMul,
                  BinaryKind::kDiv, BinaryKind::kMinimum, BinaryKind::kMaximum,
                  BinaryKind::kSquaredDifference, BinaryKind::kPrelu});
  BinaryBlock block;
  block.rows = bytes.Size(1, 5);
  block.cols = bytes.Size(0, 200);
  block.a_repeats = bytes.Flag();
  block.b_repeats = bytes.Flag();
  const auto stride = [&](bool repeats) {
    if (bytes.Flag()) return size_t{0};
    return (repeats ? 1 : block.cols) + bytes.Size(0, 2);
  };
  block.a_row_stride = stride(block.a_repeats);
  block.b_row_stride = stride(block.b_repeats);
  const auto operand = [&](bool repeats, size_t row_stride) {
    return bytes.Numbers((block.rows - 1) * row_stride +
                         (repeats ? 1 : block.cols));
  };
  const auto a = operand(block.a_repeats, block.a_row_stride),
             b = operand(block.b_repeats, block.b_row_stride);
  block.a = a.data();
  block.b = b.data();
  const Activation activation = bytes.AnyActivation();
  std::vector<float> want(block.rows * block.cols);
  block.out = want.data();
  reference::Binary(kind, activation, block);
  const bool is_exact = activation.kind == ActivationKind::kNone ||
                        activation.kind == ActivationKind::kRelu ||
                        activation.kind == ActivationKind::kRelu6 ||
                        activation.kind == ActivationKind::kReluN1To1;
  OnEveryTarget([&] {
    std::vector<float> got(want.size(), kUntouched);
    block.out = got.data();
    Binary(kind, activation, block);
    // The arithmetic is one rounded operation, or two in the same order;
    // activations that are no clamp add a few ulp, of their argument where
    // they cancel.
    ExpectNear("Binary", got, want, [&](size_t i) {
      return is_exact ? 0.0f : 32 * kEpsilon * (1 + std::fabs(want[i]));
    });
  });
}

void SoftmaxCase(CaseBytes& bytes) {
  const auto in = bytes.Numbers(bytes.Size(0, 250));
  const float beta = static_cast<float>(bytes.Byte()) / 64.0f;
  const bool is_log = bytes.Flag();
  std::vector<float> want(in.size());
  if (is_log) {
    reference::LogSoftmax(in.data(), in.size(), want.data());
  } else {
    reference::Softmax(in.data(), in.size(), beta, want.data());
  }
  const float count = static_cast<float>(in.size());
  // The rounding of an exponent counts as often as the exponent is large; the
  // sum of n terms errs by n half ulps. Results near the smallest normal number
  // may become 0.
  const float exponent = 2 * Largest(in) * std::max(beta, 1.0f);
  const float relative = kEpsilon * (8 + count + 2 * exponent);
  OnEveryTarget([&] {
    std::vector<float> got(in.size(), kUntouched);
    if (is_log) {
      LogSoftmax(in.data(), in.size(), got.data());
      ExpectNear("LogSoftmax", got, want,
                 [&](size_t i) { return relative * (1 + std::fabs(want[i])); });
    } else {
      Softmax(in.data(), in.size(), beta, got.data());
      ExpectNear("Softmax", got, want, [&](size_t i) {
        return relative * want[i] + 4 * std::numeric_limits<float>::min();
      });
    }
  });
}

}  // namespace
}  // namespace munja::kernels

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace munja::kernels;
  CaseBytes bytes(data, size);
  const int32_t family = bytes.Byte() % 5;
  if (family == 0) GemmCase(bytes);
  if (family == 1) ResizeCase(bytes);
  if (family == 2) ReduceCase(bytes);
  if (family == 3) BinaryCase(bytes);
  if (family == 4) SoftmaxCase(bytes);
  return 0;
}
