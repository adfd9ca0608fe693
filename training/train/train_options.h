// The options of a run of munja-train.
#ifndef MUNJA_TRAIN_TRAIN_OPTIONS_H_
#define MUNJA_TRAIN_TRAIN_OPTIONS_H_

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace munja::train {

struct TrainOptions {
  std::string recipe;      // Path.
  std::string checkpoint;  // Path of the result.
  bool resume = false;     // Goes on from `checkpoint` where it exists.
  std::string from;        // A .tflite to start from; may be empty.
  double minutes = 0;    // Minutes of this run; 0: to the end of the schedule.
  uint64_t steps = 0;    // Steps of this run; 0: no limit.
  int threads = 0;       // 0: one for each processor.
  int feed_threads = 0;  // That make pictures; 0: as fits.
  uint64_t seed = 1;
  std::vector<std::string> label_sets;  // Evaluation only.
  // Labeled crops that a recognizer is trained on, too, and the part of its
  // lines that they are.
  std::vector<std::string> real_lines;
  float real_share = 0.15f;
  std::string log;   // JSON lines; may be empty.
  std::string plot;  // PNG of the log's curves, drawn at each evaluation.
  std::FILE* echo = nullptr;  // Reports for people; may be null.
  // Set from outside: save and return. May be null.
  const std::atomic<bool>* stop = nullptr;
};

}  // namespace munja::train

#endif  // MUNJA_TRAIN_TRAIN_OPTIONS_H_
