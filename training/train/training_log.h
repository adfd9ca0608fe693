// The log of a training: JSON lines, appended to by every run.
#ifndef MUNJA_TRAIN_TRAINING_LOG_H_
#define MUNJA_TRAIN_TRAINING_LOG_H_

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/status.h"

namespace munja::train {

class TrainingLog {
 public:
  // An empty path keeps no file. `echo` (may be null) gets each line made for
  // people.
  static Result<TrainingLog> Open(const std::string& path, std::FILE* echo);

  // {"step": ..., "seconds": ..., "loss": ..., ...} to the file.
  Status Add(const nlohmann::ordered_json& entry);
  void Say(const std::string& line) const;

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::FILE* echo_ = nullptr;
};

// All entries; kMalformed names the line. A last line that is cut short (the
// run was killed while it wrote) is left out.
Result<std::vector<nlohmann::json>> ReadTrainingLog(const std::string& path);

}  // namespace munja::train

#endif  // MUNJA_TRAIN_TRAINING_LOG_H_
