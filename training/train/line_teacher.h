// LineTeacher: a recognizer that reads already, of which another one learns.
// Free of libtorch.
#ifndef MUNJA_TRAIN_LINE_TEACHER_H_
#define MUNJA_TRAIN_LINE_TEACHER_H_

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "runtime/session.h"
#include "train/line_batch.h"

namespace munja::train {

class LineTeacher {
 public:
  // `path` is a .tflite model with the input and output of ExportRecognizer(),
  // in floats or integers, and with the dictionary that it holds or that lies
  // beside it. kInvalidArgument: that is not `alphabet`.
  static Result<LineTeacher> Load(const std::string& path,
                                  const std::vector<std::string>& alphabet,
                                  int threads);

  // The output of the model for each step, count x steps x classes; valid until
  // the next call. kInvalidArgument: another number of steps or classes.
  Result<std::span<const float>> Read(const LineBatch& batch);

 private:
  std::string path_;
  int classes_ = 0;
  std::unique_ptr<runtime::Session> session_;
  std::vector<float> probabilities_;
};

}  // namespace munja::train

#endif  // MUNJA_TRAIN_LINE_TEACHER_H_
