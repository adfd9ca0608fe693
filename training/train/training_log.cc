#include "train/training_log.h"

#include <cerrno>
#include <cstring>
#include <string_view>

#include "base/file.h"

namespace munja::train {

Result<TrainingLog> TrainingLog::Open(const std::string& path,
                                      std::FILE* echo) {
  TrainingLog log;
  log.path_ = path;
  log.echo_ = echo;
  if (path.empty()) return log;
  log.file_.reset(std::fopen(path.c_str(), "a"));
  if (!log.file_)
    return IoError("cannot write " + path + ": " + std::strerror(errno));
  return log;
}

Status TrainingLog::Add(const nlohmann::ordered_json& entry) {
  if (!file_) return Status();
  const std::string line =
      entry.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) +
      "\n";
  const bool written =
      std::fwrite(line.data(), 1, line.size(), file_.get()) == line.size() &&
      std::fflush(file_.get()) == 0;
  if (!written)
    return IoError("cannot write " + path_ + ": " + std::strerror(errno));
  return Status();
}

void TrainingLog::Say(const std::string& line) const {
  if (!echo_) return;
  std::fprintf(echo_, "%s\n", line.c_str());
  std::fflush(echo_);
}

Result<std::vector<nlohmann::json>> ReadTrainingLog(const std::string& path) {
  MUNJA_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, ReadFile(path));
  std::string_view text(reinterpret_cast<const char*>(bytes.data()),
                        bytes.size());
  std::vector<nlohmann::json> entries;
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    if (line.empty()) continue;
    auto entry = nlohmann::json::parse(line, nullptr, false);
    if (entry.is_object()) {
      entries.push_back(std::move(entry));
    } else if (!text.empty()) {
      return Malformed(path + ": line " + std::to_string(number) +
                       " is not a JSON object");
    }
  }
  return entries;
}

}  // namespace munja::train
