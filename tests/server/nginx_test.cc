// Nginx in front of two servers, by the file of the example.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "server/running.h"

extern char** environ;

namespace munja::server_test {
namespace {

constexpr char kNginx[] = "/usr/sbin/nginx";

// A port that is free at the moment.
int FreePort() {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  EXPECT_EQ(::bind(socket, reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size),
            0);
  ::close(socket);
  return ntohs(address.sin_port);
}

class Nginx {
 public:
  // In front of servers at these ports.
  Nginx(int first, int second)
      : folder_(testing::TempDir() + "nginx" + std::to_string(::getpid())),
        port_(FreePort()) {
    std::filesystem::create_directories(folder_);
    std::ifstream in(MUNJA_SOURCE_DIR "/examples/nginx/nginx.conf");
    std::stringstream text;
    text << "daemon off;\nmaster_process off;\npid " << folder_
         << "/pid;\nerror_log " << folder_ << "/log;\n"
         << in.rdbuf();
    std::string config = text.str();
    for (const auto& [from, to] :
         {std::pair<std::string, std::string>{
              ":8080;", ":" + std::to_string(port_) + ";"},
          {":8081", ":" + std::to_string(first)},
          {":8082", ":" + std::to_string(second)},
          {"  access_log off;\n", "  access_log off;\n" + Folders()}}) {
      EXPECT_NE(config.find(from), config.npos) << from;
      for (size_t at = 0; (at = config.find(from, at)) != config.npos;
           at += to.size())
        config.replace(at, from.size(), to);
    }
    const std::string file = folder_ + "/nginx.conf";
    std::ofstream(file) << config;
    std::vector<std::string> words = {
        kNginx, "-e", folder_ + "/log", "-p", folder_, "-c", file};
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    EXPECT_EQ(
        ::posix_spawn(&pid_, kNginx, nullptr, nullptr, argv.data(), environ),
        0);
    EXPECT_TRUE(Soon([&] {
      const auto answer = Client()->Get("/healthz");
      return answer && answer->status == 200;
    })) << Log();
  }
  ~Nginx() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    std::filesystem::remove_all(folder_);
  }
  Nginx(const Nginx&) = delete;
  Nginx& operator=(const Nginx&) = delete;

  std::unique_ptr<httplib::Client> Client() const {
    auto client = std::make_unique<httplib::Client>("127.0.0.1", port_);
    client->set_read_timeout(120);
    return client;
  }

 private:
  // Directories that it may write to, for every user that runs the tests.
  std::string Folders() const {
    std::string text;
    for (const char* const name :
         {"client_body", "proxy", "fastcgi", "uwsgi", "scgi"})
      text += std::string("  ") + name + "_temp_path " + folder_ + "/" + name +
              ";\n";
    return text;
  }
  std::string Log() const {
    std::ifstream in(folder_ + "/log");
    return {std::istreambuf_iterator<char>(in), {}};
  }

  const std::string folder_;
  const int port_;
  pid_t pid_ = -1;
};

double Pages(const Running& server) {
  return std::max(0.0, server.Figure("munja_pages_total"));
}

TEST(NginxBeforeTwoServers, Requests_AreSharedAndOutliveAServer) {
  if (!std::filesystem::exists(kNginx))
    GTEST_SKIP() << "skipped: nginx is missing (tools/install-packages test)";
  const Running first({"--workers=1", "--threads=1"});
  const Running second({"--workers=1", "--threads=1"});
  const Nginx nginx(first.port(), second.port());
  const std::string image = FileOf("pictures/upside_down_line.png");
  const std::string expected =
      first.Post("/v1/read?format=text", image, "image/png")->body;
  EXPECT_FALSE(expected.empty());
  const auto post = [&] {
    return nginx.Client()->Post("/v1/read?format=text", image, "image/png");
  };
  {
    std::vector<std::unique_ptr<Background>> requests;
    for (int i = 0; i < 12; ++i)
      requests.push_back(std::make_unique<Background>(post));
    for (const auto& request : requests) {
      EXPECT_EQ(request->Status(), 200);
      EXPECT_EQ(request->Body(), expected);
    }
  }
  EXPECT_GT(Pages(first), 1);
  EXPECT_GT(Pages(second), 0);
  // Refusals and ids pass unchanged.
  const httplib::Result refused =
      nginx.Client()->Post("/v1/read?x=1", image, "image/png");
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 400);
  EXPECT_EQ(refused->get_header_value("X-Request-Id").size(), 32u);
  // Jobs stay with their server, and their events arrive.
  for (int i = 0; i < 3; ++i) {
    const httplib::Result job =
        nginx.Client()->Post("/v1/jobs?format=text", image, "image/png");
    ASSERT_TRUE(job);
    ASSERT_EQ(job->status, 202);
    const std::string path = job->get_header_value("Location");
    EXPECT_THAT(nginx.Client()->Get(path + "/events")->body,
                testing::HasSubstr("event: done"));
    EXPECT_EQ(nginx.Client()->Get(path + "/result")->body, expected);
  }
  // The requests of a server that is killed go to the other one.
  first.SignalWorkers(SIGSTOP);
  std::vector<std::unique_ptr<Background>> requests;
  for (int i = 0; i < 6; ++i)
    requests.push_back(std::make_unique<Background>(post));
  EXPECT_TRUE(Soon([&] {
    return first.Figure("munja_requests_running") +
               first.Figure("munja_queue_length") >
           0;
  }));
  ::kill(first.pid(), SIGKILL);
  for (const auto& request : requests) {
    EXPECT_EQ(request->Status(), 200);
    EXPECT_EQ(request->Body(), expected);
  }
  EXPECT_EQ(post()->status, 200);
}

}  // namespace
}  // namespace munja::server_test
