#include "bundle/pull/pull.h"

#include <gtest/gtest.h>
#include <httplib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "base/control.h"
#include "base/file.h"
#include "bundle/manifest.h"
#include "bundle/pull/download.h"
#include "bundle/sha256.h"

namespace munja::bundle {
namespace {

namespace fs = std::filesystem;

// A server of one bundle on this machine.
class PullTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = testing::TempDir() + "/munja_pull_" +
            testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(root_);
    files_["det.tflite"] = std::string(70000, 'd');
    files_["rec.tflite"] = std::string(50000, 'r');
    files_["keys.txt"] = "a\nb\n";
    Manifest m;
    m.name = "tiny";
    m.detector = Entry("det.tflite");
    m.recognizer = Entry("rec.tflite");
    m.dictionary = Entry("keys.txt");
    files_["bundle.json"] = ToJson(m);
    server_.Get("/base/tiny/(.+)", [this](const httplib::Request& request,
                                          httplib::Response& response) {
      const std::lock_guard<std::mutex> lock(mutex_);
      const std::string name = request.matches[1];
      requests_.push_back(name + " " + request.get_header_value("Range"));
      const auto it = files_.find(name);
      if (it == files_.end() || name == missing_) {
        response.status = 404;
        response.set_content("no such file", "text/plain");
        return;
      }
      // httplib answers a Range request with 206 by itself.
      response.set_content(it->second, "application/octet-stream");
    });
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();
    options_.base_url = "http://127.0.0.1:" + std::to_string(port_) + "/base/";
    options_.folder = root_ + "/models";
  }
  void TearDown() override {
    server_.stop();
    thread_.join();
    fs::remove_all(root_);
  }
  FileEntry Entry(const std::string& name) {
    const std::string& text = files_[name];
    return {name, text.size(),
            *Sha256(std::span(reinterpret_cast<const uint8_t*>(text.data()),
                              text.size()))};
  }
  std::string Content(const std::string& path) {
    const auto bytes = ReadFile(path);
    return bytes.ok() ? std::string(bytes->begin(), bytes->end()) : "(none)";
  }

  std::string root_;
  std::map<std::string, std::string> files_;
  std::string missing_;
  std::vector<std::string> requests_;
  std::mutex mutex_;
  httplib::Server server_;
  std::thread thread_;
  int port_ = 0;
  PullOptions options_;
};

TEST_F(PullTest, Pull_BringsAllFilesAndLeavesNothingElse) {
  const Result<std::string> path = Pull("tiny", options_);
  ASSERT_TRUE(path.ok()) << path.status().message();
  EXPECT_EQ(*path, root_ + "/models/tiny");
  for (const auto& [name, text] : files_)
    EXPECT_EQ(Content(*path + "/" + name), text) << name;
  EXPECT_EQ(std::distance(fs::directory_iterator(*path), {}), 4);
  EXPECT_FALSE(fs::exists(root_ + "/models/tiny.part"));
  // A second call asks for the table of contents only.
  requests_.clear();
  ASSERT_TRUE(Pull("tiny", options_).ok());
  EXPECT_EQ(requests_.size(), 1u);
}

// The server takes the request, or says how long the file is, too, and then
// nothing more until the client has gone.
TEST_F(PullTest, Cancellation_EndsThePullOfASilentServer) {
  for (const bool says_how_long : {false, true}) {
    SCOPED_TRACE(says_how_long);
    // The server's thread may come to wait only after the client has gone:
    // what it looks at is its own.
    std::promise<void> has_gone;
    const auto is_silent = std::make_shared<std::promise<void>>();
    const auto keep_silent = [is_silent, gone = has_gone.get_future().share()] {
      is_silent->set_value();
      gone.wait();
    };
    const std::string name = says_how_long ? "long" : "none";
    server_.Get("/base/" + name + "/bundle.json",
                [=](const httplib::Request&, httplib::Response& response) {
                  if (!says_how_long) return keep_silent();
                  response.set_content_provider(
                      1000, "application/json",
                      [=](size_t, size_t, httplib::DataSink& sink) {
                        sink.write("{", 1);
                        keep_silent();
                        return false;
                      });
                });
    Control control({});
    std::thread other([&] {
      is_silent->get_future().wait();
      control.Cancel();
    });
    const Status status = [&] {
      const ControlScope scope(&control);
      return Pull(name, options_).TakeStatus();
    }();
    EXPECT_EQ(status.code(), Code::kCancelled) << status.message();
    has_gone.set_value();
    other.join();
    EXPECT_FALSE(fs::exists(root_ + "/models/" + name));
  }
  EXPECT_TRUE(Pull("tiny", options_).ok());
}

TEST_F(PullTest, PartialFile_IsResumed) {
  options_.progress = [](const std::string& file, uint64_t done, uint64_t) {
    return file != "rec.tflite" || done < 1;
  };
  Result<std::string> path = Pull("tiny", options_);
  ASSERT_FALSE(path.ok());
  EXPECT_EQ(path.status().code(), Code::kCancelled);
  EXPECT_FALSE(fs::exists(root_ + "/models/tiny"));
  // The start of one file is there, the other is complete.
  const std::string part = root_ + "/models/tiny.part/rec.tflite";
  ASSERT_TRUE(WriteFile(part, files_["rec.tflite"].substr(0, 20000)).ok());
  requests_.clear();
  options_.progress = nullptr;
  path = Pull("tiny", options_);
  ASSERT_TRUE(path.ok()) << path.status().message();
  EXPECT_EQ(Content(*path + "/rec.tflite"), files_["rec.tflite"]);
  bool resumed = false;
  for (const std::string& request : requests_) {
    resumed |= request == "rec.tflite bytes=20000-";
    EXPECT_FALSE(request.starts_with("det.tflite")) << request;
  }
  EXPECT_TRUE(resumed);
}

TEST_F(PullTest, WrongStart_IsFetchedAgain) {
  fs::create_directories(root_ + "/models/tiny.part");
  ASSERT_TRUE(
      WriteFile(root_ + "/models/tiny.part/det.tflite", std::string(500, 'x'))
          .ok());
  const Result<std::string> path = Pull("tiny", options_);
  ASSERT_TRUE(path.ok()) << path.status().message();
  EXPECT_EQ(Content(*path + "/det.tflite"), files_["det.tflite"]);
}

TEST_F(PullTest, WrongFile_IsRefused) {
  files_["det.tflite"][100] = 'X';  // bundle.json still has the old digest.
  const Result<std::string> path = Pull("tiny", options_);
  ASSERT_FALSE(path.ok());
  EXPECT_EQ(path.status().code(), Code::kMalformed);
  EXPECT_NE(path.status().message().find("SHA-256"), std::string::npos);
  EXPECT_FALSE(fs::exists(root_ + "/models/tiny"));
}

TEST_F(PullTest, OversizedAnswer_IsStopped) {
  files_["det.tflite"] += std::string(1000000, 'd');
  const Result<std::string> path = Pull("tiny", options_);
  ASSERT_FALSE(path.ok());
  EXPECT_EQ(path.status().code(), Code::kMalformed);
  EXPECT_LE(fs::file_size(root_ + "/models/tiny.part/det.tflite"), 70000u);
}

TEST_F(PullTest, MissingFile_IsNamed) {
  missing_ = "rec.tflite";
  Result<std::string> path = Pull("tiny", options_);
  ASSERT_FALSE(path.ok());
  EXPECT_EQ(path.status().code(), Code::kNotFound);
  EXPECT_NE(path.status().message().find("rec.tflite"), std::string::npos);
  path = Pull("absent", options_);
  ASSERT_FALSE(path.ok());
  EXPECT_EQ(path.status().code(), Code::kNotFound);
  options_.base_url = "http://127.0.0.1:1";
  path = Pull("tiny", options_);
  ASSERT_FALSE(path.ok());
  EXPECT_EQ(path.status().code(), Code::kUnavailable);
}

TEST_F(PullTest, NewVersion_ReplacesTheOldOne) {
  ASSERT_TRUE(Pull("tiny", options_).ok());
  Manifest m = *ParseManifest(files_["bundle.json"]);
  files_["keys.txt"] = "a\nb\nc\n";
  m.dictionary = Entry("keys.txt");
  files_["bundle.json"] = ToJson(m);
  const Result<std::string> path = Pull("tiny", options_);
  ASSERT_TRUE(path.ok()) << path.status().message();
  EXPECT_EQ(Content(*path + "/keys.txt"), "a\nb\nc\n");
  EXPECT_FALSE(fs::exists(root_ + "/models/tiny.old.part"));
}

TEST_F(PullTest, UserFiles_AreNotLost) {
  ASSERT_TRUE(Pull("tiny", options_).ok());
  const std::string notes = root_ + "/models/tiny/notes.txt";
  ASSERT_TRUE(WriteFile(notes, "mine").ok());
  EXPECT_TRUE(Pull("tiny", options_).ok());  // Nothing to be done.
  Manifest m = *ParseManifest(files_["bundle.json"]);
  files_["keys.txt"] = "a\nb\nc\n";
  m.dictionary = Entry("keys.txt");
  files_["bundle.json"] = ToJson(m);
  const Result<std::string> path = Pull("tiny", options_);
  EXPECT_EQ(path.status().code(), Code::kIo);
  EXPECT_EQ(Content(notes), "mine");
}

TEST_F(PullTest, FilesOfAnotherVersion_AreNotPublished) {
  fs::create_directories(root_ + "/models/tiny.part");
  ASSERT_TRUE(WriteFile(root_ + "/models/tiny.part/old.tflite", "x").ok());
  const Result<std::string> path = Pull("tiny", options_);
  ASSERT_TRUE(path.ok()) << path.status().message();
  EXPECT_FALSE(fs::exists(*path + "/old.tflite"));
}

TEST_F(PullTest, WaitingPull_CreatesNothing) {
  options_.progress = [&](const std::string&, uint64_t, uint64_t) {
    // While the first one works.
    PullOptions other = options_;
    other.progress = nullptr;
    fs::rename(root_ + "/models/tiny.part", root_ + "/models/moved");
    EXPECT_EQ(Pull("tiny", other).status().code(), Code::kUnavailable);
    EXPECT_FALSE(fs::exists(root_ + "/models/tiny.part"));
    fs::rename(root_ + "/models/moved", root_ + "/models/tiny.part");
    return true;
  };
  const Result<std::string> path = Pull("tiny", options_);
  EXPECT_TRUE(path.ok()) << path.status().message();
}

// Services often run without a standard input: the lock then is file 0.
TEST_F(PullTest, LockInPlaceOfTheInput_IsReleased) {
  struct stat file = {};
  if (::fstat(STDIN_FILENO, &file) == 0 && S_ISSOCK(file.st_mode))
    GTEST_SKIP() << "file 0 is a socket, maybe that of the server";
  const int input = ::dup(STDIN_FILENO);
  ::close(STDIN_FILENO);
  const Status first = Pull("tiny", options_).TakeStatus();
  const Status second = Pull("tiny", options_).TakeStatus();
  if (input >= 0) {
    ::dup2(input, STDIN_FILENO);
    ::close(input);
  }
  EXPECT_TRUE(first.ok()) << first.message();
  EXPECT_TRUE(second.ok()) << second.message();
}

TEST(CheckAddress, PlainHttp_IsForTheLocalHostOnly) {
  for (const char* url : {"https://models.example/x", "http://localhost/x",
                          "http://127.0.0.1:8080", "http://[::1]:80/"})
    EXPECT_TRUE(CheckAddress(url).ok()) << url;
  for (const char* url :
       {"http://models.example/x", "http://localhost.example/",
        "http://localhost:80@example.com/", "ftp://localhost/", "file:///etc",
        "", "https://", "https://a b"})
    EXPECT_FALSE(CheckAddress(url).ok()) << url;
}

}  // namespace
}  // namespace munja::bundle
