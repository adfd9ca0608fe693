#include "train/line_teacher.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/thread_pool.h"
#include "tflite/read.h"
#include "train/model_dictionary.h"

namespace munja::train {

Result<LineTeacher> LineTeacher::Load(const std::string& path,
                                      const std::vector<std::string>& alphabet,
                                      int threads) {
  MUNJA_ASSIGN_OR_RETURN(const std::shared_ptr<graph::Graph> graph,
                         tflite::ReadFile(path));
  MUNJA_ASSIGN_OR_RETURN(const std::vector<std::string> own,
                         AlphabetOfModel(*graph, path));
  if (own != alphabet)
    return InvalidArgument(path + " reads another alphabet, of " +
                           std::to_string(own.size()) +
                           " characters, than the recipe's, of " +
                           std::to_string(alphabet.size()));
  LineTeacher teacher;
  teacher.path_ = path;
  teacher.classes_ = static_cast<int>(alphabet.size()) + 2;
  runtime::SessionOptions options;
  options.pool = std::make_shared<ThreadPool>(threads);
  MUNJA_ASSIGN_OR_RETURN(teacher.session_,
                         runtime::CreateSession(graph, options));
  return teacher;
}

Result<std::span<const float>> LineTeacher::Read(const LineBatch& batch) {
  const auto count = static_cast<size_t>(batch.count);
  const size_t line = batch.pixels.size() / count;
  const Shape wanted = {1, batch.width / kStepColumns, classes_};
  const auto elements = static_cast<size_t>(wanted.elements());
  probabilities_.resize(count * elements);
  TensorView picture;
  picture.shape = {1, batch.height, batch.width, 3};
  picture.bytes = line * sizeof(float);
  for (size_t i = 0; i < count; ++i) {
    picture.data = const_cast<float*>(batch.pixels.data() + i * line);
    auto outputs = session_->Run({&picture, 1});
    if (!outputs.ok()) return std::move(outputs).TakeStatus().With(path_);
    const TensorView& given = (*outputs)[0];
    if (given.type != ElementType::kFloat32 || given.shape != wanted)
      return InvalidArgument(path_ + " gives " + given.shape.ToString() +
                             " for a line, wants " + wanted.ToString() +
                             " of float32");
    std::copy_n(given.as<float>(), elements,
                probabilities_.data() + i * elements);
  }
  return std::span<const float>(probabilities_);
}

}  // namespace munja::train
