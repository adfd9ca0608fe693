// A server that runs for a test.
#ifndef MUNJA_TESTS_SERVER_RUNNING_H_
#define MUNJA_TESTS_SERVER_RUNNING_H_

#include <httplib.h>
#include <sys/types.h>

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace munja::server_test {

using Json = nlohmann::json;
using Answer = std::shared_ptr<httplib::Result>;

class Running {
 public:
  // Starts "munja serve" on a free port with these options and waits until it
  // listens.
  explicit Running(const std::vector<std::string>& options = {});
  ~Running();
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  int port() const { return port_; }
  pid_t pid() const { return pid_; }
  std::string Log() const;
  // The lines of the log with this event.
  std::vector<Json> Events(const std::string& event) const;
  std::vector<pid_t> Workers() const;
  void SignalWorkers(int signal) const;
  // Waits for the end; the exit code, or 128 and the signal.
  int Wait();

  std::unique_ptr<httplib::Client> Client() const;
  httplib::Result Get(const std::string& path,
                      const httplib::Headers& headers = {}) const;
  // Posts an image.
  httplib::Result Post(const std::string& path, const std::string& body,
                       const std::string& type = "image/jpeg",
                       const httplib::Headers& headers = {}) const;
  // Sends these bytes and returns all that comes until the end.
  std::string Raw(const std::string& bytes) const;
  int Connect() const;
  // The value of one of the figures of /metrics.
  double Figure(const std::string& name) const;
  // Waits until it has this value.
  void Await(const std::string& name, double value) const;

 private:
  pid_t pid_ = -1;
  int port_ = 0;
  std::string log_;
};

// A request in a thread of its own, ended with the object.
class Background {
 public:
  explicit Background(std::function<httplib::Result()> request)
      : thread_([this, request = std::move(request)] {
          result_.emplace(request());
        }) {}
  ~Background() { Join(); }
  // Its status; -1: there was no answer.
  int Status() {
    Join();
    return result_ && *result_ ? (*result_)->status : -1;
  }
  std::string Body() {
    Join();
    return result_ && *result_ ? (*result_)->body : "";
  }

 private:
  void Join() {
    if (thread_.joinable()) thread_.join();
  }
  std::optional<httplib::Result> result_;
  std::thread thread_;
};

// Whether the condition holds before long.
bool Soon(const std::function<bool()>& condition);

std::string FileOf(const std::string& name);  // In testdata.
const std::string& Receipt();
// The standard output of the command.
std::string Command(const std::vector<std::string>& arguments);
// JSON without the times in it, which differ from run to run.
std::string WithoutTimes(const std::string& json);

}  // namespace munja::server_test

#endif  // MUNJA_TESTS_SERVER_RUNNING_H_
