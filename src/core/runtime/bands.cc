#include "runtime/bands.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <span>
#include <utility>

#include "base/buffer.h"
#include "kernels/gemm/half_gemm.h"

namespace munja::runtime {
namespace {

using Clock = std::chrono::steady_clock;
using ops::RowRange;

// Minimum bands of the last map per thread: a thread that is done first waits
// for half of one.
constexpr int32_t kBandsPerThread = 12;
// More rows do not make bands cheaper.
constexpr int32_t kMostBandRows = 32;
// Limit for very high maps: tables have an entry for each row.
constexpr int32_t kMostBands = 4096;

int32_t RoundDown(int32_t x, int32_t step) { return x / step * step; }
int32_t RoundUpTo(int32_t x, int32_t step, int32_t most) {
  const int64_t up = (int64_t{x} + step - 1) / step * step;
  return static_cast<int32_t>(std::min<int64_t>(up, most));
}

size_t RowBytes(const TensorView& map, ElementType type) {
  return static_cast<size_t>(map.shape[2]) * static_cast<size_t>(map.shape[3]) *
         ElementSize(type);
}

}  // namespace

std::unique_ptr<Bands> Bands::Make(std::vector<Stage> stages,
                                   const Limits& limits) {
  const int threads = limits.threads;
  std::unique_ptr<Bands> bands(new Bands);
  bands->stages_ = std::move(stages);
  for (const Stage& stage : bands->stages_) {
    const TensorView& map = stage.context->output(0);
    Rows rows;
    rows.height = map.shape[1];
    rows.step = stage.kernel->RowStep(*stage.context);
    rows.type = map.type;
    rows.row_bytes = RowBytes(map, map.type);
    bands->rows_.push_back(std::move(rows));
  }
  bands->ChooseTypes();
  size_t inputs = 0;
  for (const Stage& stage : bands->stages_)
    inputs = std::max(inputs, stage.sources.size());
  for (int i = 0; i < threads; ++i) {
    Worker worker;
    worker.first.resize(bands->stages_.size());
    worker.inputs.resize(inputs);
    worker.nanoseconds.resize(bands->stages_.size());
    bands->workers_.push_back(std::move(worker));
  }
  const Rows& last = bands->rows_.back();
  // Kernels make rows by twos. Bands of fewer ones would mostly copy the rows
  // that they keep.
  const int32_t unit = last.step % 2 == 0 ? last.step : 2 * last.step;
  const int32_t least =
      RoundUpTo((last.height - 1) / kMostBands + 1, unit, INT32_MAX);
  const int32_t most =
      std::clamp(last.height / (kBandsPerThread * threads), 1, kMostBandRows);
  int32_t band_rows = std::max(RoundDown(most, unit), least);
  while (!bands->Place(band_rows, limits)) {
    if (band_rows == least) return nullptr;
    band_rows = std::max(RoundDown(band_rows / 3 * 2, unit), least);
  }
  return bands;
}

// Inner maps of float32 become 16-bit floats if their makers and readers
// support that. What a stage supports may depend on its other types: starting
// from all maps, those that are refused are given up.
void Bands::ChooseTypes() {
  const ElementType half = kernels::HalfTypeInUse();
  const size_t last = stages_.size() - 1;
  for (size_t s = 0; s < last; ++s)
    if (rows_[s].type == ElementType::kFloat32) rows_[s].type = half;
  // The maps of a stage that are halves: its own and those that it reads.
  const auto halves_of = [&](size_t s) {
    std::vector<size_t> halves;
    const auto add = [&](size_t map) {
      if (rows_[map].type != stages_[map].context->output(0).type)
        halves.push_back(map);
    };
    add(s);
    for (const int source : stages_[s].sources)
      if (source >= 0) add(static_cast<size_t>(source));
    return halves;
  };
  // Whether stage s supports it if only these maps are halves.
  const auto supports = [&](size_t s, std::span<const size_t> halves) {
    const auto type_of = [&](size_t map) {
      return std::ranges::find(halves, map) != halves.end()
                 ? half
                 : stages_[map].context->output(0).type;
    };
    const Stage& stage = stages_[s];
    std::vector<ElementType> inputs;
    for (size_t i = 0; i < stage.sources.size(); ++i) {
      const int source = stage.sources[i];
      inputs.push_back(source >= 0 ? type_of(static_cast<size_t>(source))
                       : source == kWholeMap
                           ? stage.context->input(static_cast<int>(i)).type
                           : ElementType::kFloat32);
    }
    return stage.kernel->SupportsRowTypes(*stage.context, inputs, type_of(s));
  };
  for (bool is_settled = false; !is_settled;) {
    is_settled = true;
    for (size_t s = 0; s <= last; ++s) {
      const std::vector<size_t> halves = halves_of(s);
      if (halves.empty() || supports(s, halves)) continue;
      is_settled = false;
      bool is_given_up = false;
      const auto give_up = [&](size_t map) {
        rows_[map].type = stages_[map].context->output(0).type;
        is_given_up = true;
      };
      for (const size_t map : halves)
        if (!supports(s, {&map, 1})) give_up(map);
      if (!is_given_up) std::ranges::for_each(halves, give_up);
    }
  }
  for (size_t s = 0; s < last; ++s)
    rows_[s].row_bytes = RowBytes(stages_[s].context->output(0), rows_[s].type);
}

// Bands of so many rows: false when they do not fit.
bool Bands::Place(int32_t band_rows, const Limits& limits) {
  Rows& last = rows_.back();
  count_ = (last.height - 1) / band_rows + 1;
  for (Rows& rows : rows_) {
    rows.end.assign(static_cast<size_t>(count_), 0);
    rows.fresh.assign(static_cast<size_t>(count_), 0);
    rows.kept.assign(static_cast<size_t>(count_), 0);
  }
  for (int32_t k = 0; k < count_; ++k) {
    last.fresh[k] = last.kept[k] = k * band_rows;
    last.end[k] = static_cast<int32_t>(
        std::min<int64_t>(last.height, (int64_t{k} + 1) * band_rows));
  }
  worker_bytes_ = 0;
  for (size_t s = stages_.size() - 1; s-- > 0;) {
    if (!PlaceRows(s)) return false;
    rows_[s].offset = worker_bytes_;
    size_t bytes = 0;
    if (!CheckedMultiply(static_cast<size_t>(rows_[s].capacity),
                         rows_[s].row_bytes, &bytes) ||
        bytes > limits.bytes)
      return false;
    worker_bytes_ += RoundUp(bytes, kBufferAlignment);
    if (worker_bytes_ > limits.bytes) return false;
    if (RepeatedRows(s) * limits.threads > limits.repeated * rows_[s].height)
      return false;
  }
  return static_cast<size_t>(band_rows) * last.row_bytes <=
         limits.bytes - worker_bytes_;
}

// Rows of a thread, unless it makes all of them.
double Bands::RepeatedRows(size_t stage) const {
  if (workers_.size() == 1) return 0;
  int32_t most = 0;
  for (int32_t k = 1; k < count_; ++k)
    most = std::max(most, rows_[stage].end[k - 1] - rows_[stage].fresh[k]);
  return most;
}

// Which rows of an inner map are made and kept, from those of its readers.
bool Bands::PlaceRows(size_t stage) {
  Rows& rows = rows_[stage];
  const auto need = [&](const Stage& reader, int i, RowRange made,
                        int32_t* first, int32_t* end) {
    if (made.is_empty()) return;
    const RowRange in = reader.kernel->InputRows(*reader.context, i, made);
    *first = std::min(*first, in.begin);
    *end = std::max(*end, in.end);
  };
  for (int32_t k = 0; k < count_; ++k) {
    int32_t& end = rows.end[k];
    const int32_t before = k > 0 ? rows.end[k - 1] : 0;
    end = before;
    rows.fresh[k] = rows.kept[k] = rows.height;
    for (size_t r = stage + 1; r < stages_.size(); ++r) {
      const Rows& of_reader = rows_[r];
      const int32_t made = k > 0 ? of_reader.end[k - 1] : of_reader.fresh[0];
      for (size_t i = 0; i < stages_[r].sources.size(); ++i) {
        if (stages_[r].sources[i] != static_cast<int>(stage)) continue;
        const int input = static_cast<int>(i);
        need(stages_[r], input, {of_reader.fresh[k], of_reader.end[k]},
             &rows.fresh[k], &end);
        need(stages_[r], input, {made, of_reader.end[k]}, &rows.kept[k], &end);
      }
    }
    end = RoundUpTo(end, rows.step, rows.height);
    rows.fresh[k] = RoundDown(std::min(rows.fresh[k], end), rows.step);
    rows.kept[k] = std::min(rows.kept[k], before);
  }
  rows.capacity = 0;
  for (int32_t k = count_; k-- > 0;) {
    if (k + 1 < count_) {
      rows.kept[k] = std::min(rows.kept[k], rows.kept[k + 1]);
      // Windows that leave out rows, or none for a whole band: rare.
      if (rows.fresh[k] > rows.kept[k + 1]) return false;
    }
    rows.capacity = std::max(
        rows.capacity, rows.end[k] - std::min(rows.fresh[k], rows.kept[k]));
  }
  return true;
}

void Bands::Run(ThreadPool& pool, Profiler* profiler) {
  const Clock::time_point start = Clock::now();
  for (const Stage& stage : stages_) stage.kernel->BeginRows(*stage.context);
  for (Worker& worker : workers_) {
    worker.next = -1;
    std::fill(worker.nanoseconds.begin(), worker.nanoseconds.end(), 0);
  }
  pool.ParallelFor(static_cast<size_t>(count_), 1,
                   [&](size_t begin, size_t end, int worker) {
                     for (size_t k = begin; k < end; ++k)
                       RunBand(static_cast<int32_t>(k), worker,
                               profiler != nullptr);
                   });
  if (profiler == nullptr) return;
  const std::chrono::duration<double> time = Clock::now() - start;
  std::vector<double> parts(stages_.size());
  double sum = 0;
  for (size_t s = 0; s < stages_.size(); ++s) {
    for (const Worker& worker : workers_)
      parts[s] += static_cast<double>(worker.nanoseconds[s]);
    sum += parts[s];
  }
  // They ran at once, by bands: one after the other they take as long.
  double before = 0;
  Clock::time_point begin = start;
  for (size_t s = 0; s < stages_.size(); ++s) {
    before += parts[s];
    const Clock::time_point end =
        start + std::chrono::duration_cast<Clock::duration>(
                    sum > 0 ? time * (before / sum) : time * 0.0);
    profiler->Add(stages_[s].node, begin, end);
    begin = end;
  }
}

void Bands::RunBand(int32_t band, int worker, bool is_timed) {
  Worker& w = workers_[static_cast<size_t>(worker)];
  const bool continues = w.next == band;
  for (size_t s = 0; s < stages_.size(); ++s) {
    const Clock::time_point start =
        is_timed ? Clock::now() : Clock::time_point();
    RunStage(s, band, continues, worker);
    if (is_timed) w.nanoseconds[s] += (Clock::now() - start).count();
  }
  w.next = band + 1;
}

void Bands::RunStage(size_t stage, int32_t band, bool continues, int worker) {
  Worker& w = workers_[static_cast<size_t>(worker)];
  uint8_t* const memory = memory_ + worker_bytes_ * static_cast<size_t>(worker);
  const Stage& s = stages_[stage];
  const Rows& rows = rows_[stage];
  RowRange make{rows.fresh[band], rows.end[band]};
  if (continues) make.begin = rows.end[band - 1];
  uint8_t* out = nullptr;
  if (stage + 1 == stages_.size()) {
    out = static_cast<uint8_t*>(s.context->output(0).data) +
          static_cast<size_t>(make.begin) * rows.row_bytes;
  } else {
    uint8_t* const own = memory + rows.offset;
    int32_t& first = w.first[stage];
    if (continues) {
      const int32_t kept = rows.kept[band];
      if (make.end - first > rows.capacity) {
        std::memmove(own,
                     own + static_cast<size_t>(kept - first) * rows.row_bytes,
                     static_cast<size_t>(make.begin - kept) * rows.row_bytes);
        first = kept;
      }
    } else {
      first = make.begin;
    }
    out = own + static_cast<size_t>(make.begin - first) * rows.row_bytes;
  }
  if (make.is_empty()) return;
  for (size_t i = 0; i < s.sources.size(); ++i) {
    const int source = s.sources[i];
    w.inputs[i] = {};
    if (source == kNoRows) continue;
    const int input = static_cast<int>(i);
    const int32_t from = s.kernel->InputRows(*s.context, input, make).begin;
    if (source == kWholeMap) {
      const TensorView& view = s.context->input(input);
      w.inputs[i] = {static_cast<const uint8_t*>(view.data) +
                         static_cast<size_t>(from) * RowBytes(view, view.type),
                     view.type};
    } else {
      const auto at = static_cast<size_t>(source);
      w.inputs[i] = {
          memory + rows_[at].offset +
              static_cast<size_t>(from - w.first[at]) * rows_[at].row_bytes,
          rows_[at].type};
    }
  }
  s.kernel->EvalRows({*s.context,
                      make,
                      {w.inputs.data(), s.sources.size()},
                      out,
                      rows.type,
                      worker});
}

}  // namespace munja::runtime
