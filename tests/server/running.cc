#include "server/running.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>

extern char** environ;

namespace munja::server_test {
namespace {

pid_t Spawn(std::vector<std::string> words, const std::string& out,
            const std::string& err) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, out.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0644);
  posix_spawn_file_actions_addopen(&actions, 2, err.c_str(),
                                   O_WRONLY | O_CREAT | O_APPEND, 0644);
  pid_t pid = -1;
  EXPECT_EQ(
      ::posix_spawn(&pid, argv[0], &actions, nullptr, argv.data(), environ), 0);
  posix_spawn_file_actions_destroy(&actions);
  return pid;
}

std::string ContentsOf(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string NewFile() {
  static int number = 0;
  return testing::TempDir() + "server" + std::to_string(::getpid()) + "-" +
         std::to_string(number++);
}

}  // namespace

bool Soon(const std::function<bool()>& condition) {
  for (int i = 0; i < 3000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

Running::Running(const std::vector<std::string>& options) : log_(NewFile()) {
  std::vector<std::string> words = {MUNJA_PROGRAM, "serve", "--port=0"};
  words.insert(words.end(), options.begin(), options.end());
  pid_ = Spawn(words, "/dev/null", log_);
  int status = 0;
  bool is_ended = false;
  EXPECT_TRUE(Soon([&] {
    is_ended = ::waitpid(pid_, &status, WNOHANG) == pid_;
    const std::vector<Json> events = Events("listening");
    if (!events.empty()) {
      const std::string url = events[0]["url"];
      port_ = std::stoi(url.substr(url.rfind(':') + 1));
    }
    return is_ended || port_ != 0;
  }));
  if (is_ended) pid_ = -1;
  EXPECT_NE(port_, 0) << Log();
}

Running::~Running() {
  if (pid_ > 0) {
    SignalWorkers(SIGCONT);
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  std::filesystem::remove(log_);
}

std::string Running::Log() const { return ContentsOf(log_); }

std::vector<Json> Running::Events(const std::string& event) const {
  std::vector<Json> events;
  std::istringstream lines(Log());
  for (std::string line; std::getline(lines, line);) {
    Json json = Json::parse(line, nullptr, false);
    EXPECT_TRUE(json.is_object()) << line;
    if (json.is_object() && json["event"] == event)
      events.push_back(std::move(json));
  }
  return events;
}

std::vector<pid_t> Running::Workers() const {
  std::vector<pid_t> workers;
  std::error_code error;
  for (const auto& task : std::filesystem::directory_iterator(
           "/proc/" + std::to_string(pid_) + "/task", error)) {
    std::istringstream children(ContentsOf(task.path().string() + "/children"));
    for (pid_t child; children >> child;) workers.push_back(child);
  }
  return workers;
}

void Running::SignalWorkers(int signal) const {
  for (const pid_t worker : Workers()) ::kill(worker, signal);
}

int Running::Wait() {
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::unique_ptr<httplib::Client> Running::Client() const {
  auto client = std::make_unique<httplib::Client>("127.0.0.1", port_);
  client->set_read_timeout(120);
  return client;
}

httplib::Result Running::Get(const std::string& path,
                             const httplib::Headers& headers) const {
  return Client()->Get(path, headers);
}

httplib::Result Running::Post(const std::string& path, const std::string& body,
                              const std::string& type,
                              const httplib::Headers& headers) const {
  return Client()->Post(path, headers, body, type);
}

int Running::Connect() const {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port_));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(
      ::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address),
      0);
  const timeval most = {60, 0};
  ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
  return socket;
}

std::string Running::Raw(const std::string& bytes) const {
  const int socket = Connect();
  for (size_t sent = 0; sent < bytes.size();) {
    const ssize_t now =
        ::send(socket, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (now <= 0) break;
    sent += static_cast<size_t>(now);
  }
  std::string all;
  char block[4096];
  for (ssize_t got; (got = ::recv(socket, block, sizeof block, 0)) > 0;)
    all.append(block, static_cast<size_t>(got));
  ::close(socket);
  return all;
}

double Running::Figure(const std::string& name) const {
  const httplib::Result answer = Get("/metrics");
  if (!answer) return -1;
  std::istringstream lines(answer->body);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(name + " "))
      return std::stod(line.substr(name.size()));
  return -1;
}

void Running::Await(const std::string& name, double value) const {
  EXPECT_TRUE(Soon([&] { return Figure(name) == value; }))
      << name << " " << Figure(name);
}

std::string FileOf(const std::string& name) {
  return ContentsOf(MUNJA_SOURCE_DIR "/testdata/" + name);
}

const std::string& Receipt() {
  static const std::string bytes = FileOf("pictures/receipt.jpg");
  return bytes;
}

std::string Command(const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {MUNJA_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const std::string file = NewFile();
  int status = 0;
  ::waitpid(Spawn(words, file, "/dev/null"), &status, 0);
  EXPECT_EQ(status, 0);
  const std::string output = ContentsOf(file);
  std::filesystem::remove(file);
  return output;
}

std::string WithoutTimes(const std::string& json) {
  static const std::regex times(R"re("timing_ms": ?\{[^}]*\})re");
  return std::regex_replace(json, times, "");
}

}  // namespace munja::server_test
