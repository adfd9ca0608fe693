// Each field of the options of converting, of making bundles and of fetching
// them changes something that a caller sees.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/file.h"
#include "bundle/embedded.h"
#include "capi/tools/testing.h"
#include "graph/graph.h"
#include "munja/model.h"
#include "munja/runtime.h"
#include "munja/tools/convert.h"
#include "tflite/write.h"

namespace munja::capi {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Rows = std::map<std::string, std::function<void()>>;

std::string Content(const std::string& path) {
  const auto bytes = ReadFile(path, 1 << 26);
  return bytes.ok() ? std::string(bytes->begin(), bytes->end()) : "";
}

// A network with free sizes in ncnn's format, from an image to a map: a
// convolution to 64 channels, a hard sigmoid, a transposed convolution.
std::string WriteNcnn(const std::string& folder) {
  const std::string path = folder + "/net.ncnn.param";
  const std::string text =
      "7767517\n6 6\n"
      "Input in0 0 1 in0\n"
      "Convolution conv1 1 1 in0 a 0=64 1=3 3=2 4=1 5=1 6=1728\n"
      "HardSigmoid sigmoid 1 1 a b 0=0.2 1=0.5\n"
      "Deconvolution up 1 1 b c 0=4 1=2 3=2 5=1 6=1024\n"
      "Convolution conv2 1 1 c d 0=1 1=1 5=1 6=4\n"
      "Sigmoid out 1 1 d out0\n";
  EXPECT_TRUE(WriteFile(path, text).ok());
  std::string bytes;
  int written = 0;
  // Weights, 0 before them: stored as float32; then biases.
  for (const auto& [weights, biases] :
       {std::pair{1728, 64}, {1024, 4}, {4, 1}}) {
    bytes.append(4, '\0');
    for (int i = 0; i < weights + biases; ++i, ++written) {
      const float v = 0.3f * std::sin(1.7f * static_cast<float>(written));
      bytes.append(reinterpret_cast<const char*>(&v), sizeof v);
    }
  }
  EXPECT_TRUE(WriteFile(folder + "/net.ncnn.bin", bytes).ok());
  return path;
}

// Builds one-layer graphs, for tests of tools for whole models.
class GraphMaker {
 public:
  GraphMaker() { graph_.subgraphs.resize(1); }
  graph::ValueId Add(const char* name, Shape shape) {
    graph::Value value;
    value.name = name;
    value.shape = shape;
    return main().AddValue(std::move(value));
  }
  template <class T>
  graph::ValueId Constant(const char* name, Shape shape, ElementType type,
                          const std::vector<T>& data) {
    const graph::ValueId v = Add(name, shape);
    graph::Value& value = main().values[static_cast<size_t>(v)];
    value.type = type;
    std::vector<uint8_t> bytes(data.size() * sizeof(T));
    std::memcpy(bytes.data(), data.data(), bytes.size());
    value.constant = graph::MakeConstant(std::move(bytes));
    return v;
  }
  graph::Node& Node(const char* op, std::vector<graph::ValueId> inputs,
                    graph::ValueId output) {
    graph::Node& node = main().nodes.emplace_back();
    node.op = op;
    node.inputs = std::move(inputs);
    node.outputs = {output};
    return node;
  }
  void Write(const std::string& path, graph::ValueId in, graph::ValueId out) {
    main().inputs = {in};
    main().outputs = {out};
    const auto bytes = tflite::Write(graph_);
    ASSERT_TRUE(bytes.ok()) << bytes.status().message();
    ASSERT_TRUE(WriteFile(path, *bytes).ok());
  }

 private:
  graph::Subgraph& main() { return graph_.subgraphs[0]; }
  graph::Graph graph_;
};

// A model with an unknown operator.
std::string WriteUnknown(const std::string& folder) {
  GraphMaker g;
  const auto x = g.Add("x", {1, 4}), y = g.Add("y", {1, 4});
  g.Node("Mystery", {x}, y).is_custom = true;
  g.Write(folder + "/unknown.tflite", x, y);
  return folder + "/unknown.tflite";
}

// Two classes of a line, from the mean of its pixels.
std::string WriteClassifier(const std::string& folder) {
  GraphMaker g;
  const auto x = g.Add("x", {1, 80, 160, 3});
  const auto mean = g.Add("mean", {1, 3});
  const auto sums = g.Add("sums", {1, 2}), y = g.Add("y", {1, 2});
  g.Node("MEAN",
         {x, g.Constant<int32_t>("axes", {2}, ElementType::kInt32, {1, 2})},
         mean);
  g.Node("FULLY_CONNECTED",
         {mean,
          g.Constant<float>("w", {2, 3}, ElementType::kFloat32,
                            {1, 2, 3, -1, -2, -3}),
          g.Constant<float>("b", {2}, ElementType::kFloat32, {0, 0})},
         sums);
  g.Node("SOFTMAX", {sums}, y).attributes.Set("beta", 1.0);
  g.Write(folder + "/classifier.tflite", x, y);
  return folder + "/classifier.tflite";
}

class MakingOptions : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_);
    std::string ppm = "P6 64 64 255\n";
    for (int i = 0; i < 64 * 64; ++i)
      ppm += i / 64 % 16 < 8 && i % 64 % 8 < 3 ? std::string(3, '\x10')
                                               : std::string(3, '\xf0');
    ASSERT_TRUE(WriteFile(picture_, ppm).ok());
    network_ = WriteNcnn(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  const std::string folder_ =
      testing::TempDir() + "/making_options_" + std::to_string(getpid());
  const std::string picture_ = folder_ + "/picture.ppm";
  std::string network_;
  munja_status status_ = MUNJA_OK;
};

int32_t CountOf(const Json& report, const char* op) {
  return report["operators"].value(op, 0);
}

TEST_F(MakingOptions, EachFieldOfConverting_ChangesSomething) {
  munja_convert_options plain = {};
  plain.struct_size = sizeof plain;
  munja_convert_options o = plain;
  std::string source = network_;
  const std::string output = folder_ + "/out.tflite";
  const auto convert = [&] {
    fs::remove(output);
    char* report = nullptr;
    status_ = munja_convert(source.c_str(), output.c_str(), &o, &report);
    EXPECT_EQ(fs::exists(output), status_ == MUNJA_OK);
    return status_ == MUNJA_OK ? Json::parse(TakeText(report)) : Json();
  };
  const Json usual = convert();
  if (status_ == MUNJA_UNSUPPORTED || status_ == MUNJA_UNAVAILABLE)
    GTEST_SKIP() << munja_last_error();
  ASSERT_EQ(status_, MUNJA_OK) << munja_last_error();
  const auto size = fs::file_size(output);
  ASSERT_TRUE(usual.contains("parity"));
  const auto input_of = [&] {
    munja_network* model = nullptr;
    EXPECT_EQ(munja_network_load(output.c_str(), &model), MUNJA_OK);
    munja_session* session = nullptr;
    EXPECT_EQ(munja_session_create(model, nullptr, &session), MUNJA_OK);
    munja_tensor_info info = {};
    info.struct_size = sizeof info;
    EXPECT_EQ(munja_session_input_info(session, 0, &info), MUNJA_OK);
    const std::vector<int32_t> dims(info.dims, info.dims + info.rank);
    munja_session_free(session);
    munja_network_free(model);
    return dims;
  };
  const char* pictures[] = {picture_.c_str()};
  const Rows rows = {
      {"fp16",
       [&] {
         o.fp16 = 1;
         convert();
         EXPECT_LT(fs::file_size(output), size * 7 / 10);
       }},
      {"dictionary",
       [&] {
         const std::string keys = folder_ + "/keys.txt";
         ASSERT_TRUE(WriteFile(keys, "alpha\nbeta\n").ok());
         o.dictionary = keys.c_str();
         convert();
         EXPECT_NE(Content(output).find("dictionary.txt"), std::string::npos);
         o.dictionary = "/absent";
         convert();
         EXPECT_EQ(status_, MUNJA_NOT_FOUND);
       }},
      {"shape",
       [&] {
         convert();
         EXPECT_EQ(input_of(), (std::vector<int32_t>{1, -1, -1, 3}));
         o.shape = "1x32x48x3";
         convert();
         EXPECT_EQ(input_of(), (std::vector<int32_t>{1, 32, 48, 3}));
       }},
      {"skip_comparison",
       [&] {
         o.skip_comparison = 1;
         const Json report = convert();
         EXPECT_FALSE(report.contains("parity"));
         EXPECT_FALSE(report.contains("max_difference"));
         EXPECT_TRUE(report.contains("multiply_accumulates"));
       }},
      {"allow_custom_ops",
       [&] {
         source = WriteUnknown(folder_);
         convert();
         EXPECT_EQ(status_, MUNJA_UNSUPPORTED);
         EXPECT_NE(std::string(munja_last_error()).find("Mystery"),
                   std::string::npos);
         o.allow_custom_ops = 1;
         convert();
         EXPECT_EQ(status_, MUNJA_OK) << munja_last_error();
       }},
      {"gpu_safe",
       [&] {
         EXPECT_EQ(CountOf(usual, "TRANSPOSE_CONV"), 1);
         o.gpu_safe = 1;
         const Json report = convert();
         EXPECT_EQ(CountOf(report, "TRANSPOSE_CONV"), 0);
       }},
      {"images",
       [&] {
         o.images = pictures;
         EXPECT_EQ(convert()["parity"]["input"], usual["parity"]["input"]);
         o.image_count = 1;
         EXPECT_EQ(convert()["parity"]["input"], Json({picture_}));
         o.images = nullptr;
         convert();
         EXPECT_EQ(status_, MUNJA_INVALID_ARGUMENT);
       }},
      {"image_count",
       [&] {
         o.image_count = -1;
         convert();
         EXPECT_EQ(status_, MUNJA_INVALID_ARGUMENT);
       }},
      {"report_shape",
       [&] {
         o.report_shape = "1x32x48x3";
         const Json report = convert();
         EXPECT_NE(report["shape"].get<std::string>().find("1x32x48x3"),
                   std::string::npos)
             << report["shape"];
         // The default assumes an image of 640 x 640.
         EXPECT_EQ(usual["multiply_accumulates"].get<int64_t>() * 32 * 48,
                   report["multiply_accumulates"].get<int64_t>() * 640 * 640);
         EXPECT_EQ(input_of(), (std::vector<int32_t>{1, -1, -1, 3}));
       }},
      {"keep_layout",
       [&] {
         o.keep_layout = 1;
         o.shape = "1x3x32x48";
         const Json report = convert();
         EXPECT_EQ(input_of(), (std::vector<int32_t>{1, 3, 32, 48}));
         // The same image, and as near to the source.
         EXPECT_EQ(report["parity"]["input"], usual["parity"]["input"]);
         EXPECT_EQ(report["agrees"], Json(true)) << report;
       }},
      {"constants",
       [&] {
         o.constants = "train=0";
         convert();  // From ncnn, whose inputs are images.
         EXPECT_EQ(status_, MUNJA_UNSUPPORTED);
         o.constants = "train";
         convert();
         EXPECT_EQ(status_, MUNJA_INVALID_ARGUMENT);
       }},
      {"control",
       [&] {
         const ControlHandle control = CancelledControl();
         o.control = control.get();
         convert();
         EXPECT_EQ(status_, MUNJA_CANCELLED);
       }},
  };
  CheckAll("tools/convert.h", "munja_convert_options", rows, [&] {
    o = plain;
    source = network_;
  });
}

TEST_F(MakingOptions, EachFieldOfABundle_ChangesSomething) {
  const std::string detector = std::string(kDefaultBundle) + "/detector.tflite";
  const std::string recognizer =
      std::string(kDefaultBundle) + "/recognizer.tflite";
  const std::string dictionary =
      std::string(kDefaultBundle) + "/dictionary.txt";
  const std::string default_language =
      std::string(kDefaultBundle) + "/latin.lm";
  munja_model_create_options plain = {};
  plain.struct_size = sizeof plain;
  plain.detector = network_.c_str();
  plain.recognizer = recognizer.c_str();
  plain.dictionary = dictionary.c_str();
  munja_model_create_options o = plain;
  const std::string folder = folder_ + "/bundle";
  const auto make = [&] {
    fs::remove_all(folder);
    char* report = nullptr;
    status_ = munja_model_create(folder.c_str(), &o, &report);
    EXPECT_EQ(fs::exists(folder), status_ == MUNJA_OK);
    return status_ == MUNJA_OK ? Json::parse(TakeText(report)) : Json();
  };
  const auto manifest = [&] {
    return Json::parse(Content(folder + "/bundle.json"), nullptr, false);
  };
  const Json usual = make();
  if (status_ == MUNJA_UNSUPPORTED || status_ == MUNJA_UNAVAILABLE)
    GTEST_SKIP() << munja_last_error();
  ASSERT_EQ(status_, MUNJA_OK) << munja_last_error();
  const Json usual_manifest = manifest();
  const auto size = fs::file_size(folder + "/detector.tflite");
  const std::string usual_recognizer = Content(folder + "/recognizer.tflite");
  ASSERT_TRUE(usual["detector"].contains("parity"));
  const char* pictures[] = {picture_.c_str()};
  const char* contracts[] = {"ppocrv5"};
  const Rows rows = {
      {"detector",
       [&] {
         o.detector = detector.c_str();
         make();
         EXPECT_GT(fs::file_size(folder + "/detector.tflite"), 2 * size);
         o.detector = nullptr;
         make();
         EXPECT_EQ(status_, MUNJA_INVALID_ARGUMENT);
       }},
      {"recognizer",
       [&] {
         o.recognizer = nullptr;
         make();
         EXPECT_EQ(status_, MUNJA_INVALID_ARGUMENT);
         o.recognizer = detector.c_str();  // Which finds lines.
         make();
         EXPECT_NE(status_, MUNJA_OK);
       }},
      {"classifier",
       [&] {
         EXPECT_FALSE(usual_manifest.contains("classifier"));
         const std::string path = WriteClassifier(folder_);
         o.classifier = path.c_str();
         const Json report = make();
         ASSERT_EQ(status_, MUNJA_OK) << munja_last_error();
         EXPECT_EQ(CountOf(report["classifier"], "MEAN"), 1);
         EXPECT_EQ(manifest()["classifier"]["file"], "classifier.tflite");
       }},
      {"dictionary",
       [&] {
         std::string other = Content(dictionary);
         ASSERT_FALSE(other.starts_with("\xc2\xa9\n"));
         other.replace(0, other.find('\n'), "\xc2\xa9\xc2\xa9");
         const std::string path = folder_ + "/other.txt";
         ASSERT_TRUE(WriteFile(path, other).ok());
         o.dictionary = path.c_str();
         make();
         EXPECT_EQ(Content(folder + "/dictionary.txt"), other);
         o.dictionary = nullptr;
         make();
         EXPECT_EQ(status_, MUNJA_INVALID_ARGUMENT);
       }},
      {"configs",
       [&] {
         o.configs = contracts;
         make();
         EXPECT_EQ(manifest()["contract"], usual_manifest["contract"]);
         o.config_count = 1;
         make();
         EXPECT_EQ(manifest()["contract"]["name"], "ppocrv5");
         o.configs = nullptr;
         make();
         EXPECT_EQ(status_, MUNJA_INVALID_ARGUMENT);
       }},
      {"config_count",
       [&] {
         o.config_count = -1;
         make();
         EXPECT_EQ(status_, MUNJA_INVALID_ARGUMENT);
       }},
      {"languages",
       [&] {
         // Languages of the embedded model, if there is one.
         EXPECT_EQ(usual_manifest.contains("languages"),
                   bundle::EmbeddedBundle() != nullptr);
         const std::string path = folder_ + "/mine.lm";
         ASSERT_TRUE(WriteFile(path, Content(default_language)).ok());
         const char* languages[] = {path.c_str(), path.c_str()};
         o.languages = languages;
         o.language_count = 1;
         make();
         ASSERT_EQ(manifest()["languages"].size(), 1u);
         EXPECT_EQ(manifest()["languages"][0]["file"], "mine.lm");
         EXPECT_EQ(Content(folder + "/mine.lm"), Content(default_language));
         o.language_count = 2;  // Twice the same name.
         make();
         EXPECT_EQ(status_, MUNJA_INVALID_ARGUMENT);
         languages[1] = picture_.c_str();
         make();
         EXPECT_EQ(status_, MUNJA_INVALID_ARGUMENT);
         const std::string empty = folder_ + "/empty.lm";
         ASSERT_TRUE(WriteFile(empty, "").ok());
         languages[1] = empty.c_str();
         make();
         EXPECT_EQ(status_, MUNJA_MALFORMED);
         o.languages = nullptr;
         make();
         EXPECT_EQ(status_, MUNJA_INVALID_ARGUMENT);
       }},
      {"language_count",
       [&] {
         o.language_count = -1;
         make();
         EXPECT_EQ(status_, MUNJA_INVALID_ARGUMENT);
       }},
      {"no_languages",
       [&] {
         o.no_languages = 1;
         make();
         EXPECT_EQ(status_, MUNJA_OK) << munja_last_error();
         EXPECT_FALSE(manifest().contains("languages"));
         const char* languages[] = {default_language.c_str()};
         o.languages = languages;
         o.language_count = 1;
         make();
         EXPECT_EQ(status_, MUNJA_INVALID_ARGUMENT);
       }},
      {"name",
       [&] {
         EXPECT_EQ(usual_manifest["name"], "bundle");
         o.name = "mine";
         make();
         EXPECT_EQ(manifest()["name"], "mine");
         o.name = "a/b";
         make();
         EXPECT_EQ(status_, MUNJA_INVALID_ARGUMENT);
       }},
      {"description",
       [&] {
         o.description = "reads what I like";
         make();
         EXPECT_EQ(manifest()["description"], "reads what I like");
       }},
      {"fp16",
       [&] {
         o.fp16 = 1;
         make();
         EXPECT_LT(fs::file_size(folder + "/detector.tflite"), size * 7 / 10);
       }},
      {"skip_comparison",
       [&] {
         o.skip_comparison = 1;
         EXPECT_FALSE(make()["detector"].contains("parity"));
       }},
      {"gpu_safe",
       [&] {
         // A .tflite source is none that can be rewritten.
         EXPECT_EQ(CountOf(usual["detector"], "TRANSPOSE_CONV"), 1);
         o.gpu_safe = 1;
         make();
         EXPECT_NE(status_, MUNJA_OK);
         EXPECT_NE(std::string(munja_last_error()).find(".tflite"),
                   std::string::npos)
             << munja_last_error();
       }},
      {"images",
       [&] {
         o.images = pictures;
         o.image_count = 1;
         EXPECT_EQ(make()["detector"]["parity"]["input"], Json({picture_}));
         o.images = nullptr;
         make();
         EXPECT_EQ(status_, MUNJA_INVALID_ARGUMENT);
       }},
      {"image_count",
       [&] {
         o.images = pictures;  // None of them counts.
         EXPECT_EQ(make()["detector"]["parity"]["input"],
                   usual["detector"]["parity"]["input"]);
       }},
      {"control",
       [&] {
         const ControlHandle control = CancelledControl();
         o.control = control.get();
         make();
         EXPECT_EQ(status_, MUNJA_CANCELLED);
       }},
  };
  CheckAll("tools/convert.h", "munja_model_create_options", rows,
           [&] { o = plain; });
}

// Serves the files of models/default as /base/default/FILE, one connection
// after the other.
class FileServer {
 public:
  FileServer() : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(socket_, any, size), 0);
    EXPECT_EQ(::listen(socket_, 8), 0);
    EXPECT_EQ(::getsockname(socket_, any, &size), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] {
      for (int client; (client = ::accept(socket_, nullptr, nullptr)) >= 0;) {
        Answer(client);
        ::close(client);
      }
    });
  }
  ~FileServer() {
    ::shutdown(socket_, SHUT_RDWR);
    thread_.join();
    ::close(socket_);
  }
  std::string url() const {
    return "http://127.0.0.1:" + std::to_string(port_) + "/base";
  }

 private:
  static void Answer(int client) {
    std::string request;
    char block[1024];
    while (request.find("\r\n\r\n") == request.npos) {
      const ssize_t got = ::recv(client, block, sizeof block, 0);
      if (got <= 0) return;
      request.append(block, static_cast<size_t>(got));
    }
    const std::string start = "GET /base/default/";
    std::string body;
    if (request.starts_with(start))
      body =
          Content(std::string(kDefaultBundle) + "/" +
                  request.substr(start.size(), request.find(' ', start.size()) -
                                                   start.size()));
    const std::string answer =
        std::string(body.empty() ? "HTTP/1.1 404 Not Found"
                                 : "HTTP/1.1 200 OK") +
        "\r\nConnection: close\r\nContent-Length: " +
        std::to_string(body.size()) + "\r\n\r\n" + body;
    for (size_t at = 0; at < answer.size();) {
      const ssize_t sent =
          ::send(client, answer.data() + at, answer.size() - at, MSG_NOSIGNAL);
      if (sent <= 0) return;
      at += static_cast<size_t>(sent);
    }
  }

  int socket_, port_ = 0;
  std::thread thread_;
};

TEST_F(MakingOptions, EachFieldOfFetching_ChangesSomething) {
  const FileServer server;
  const std::string url = server.url();
  ASSERT_EQ(::setenv("XDG_DATA_HOME", folder_.c_str(), 1), 0);
  ASSERT_EQ(::unsetenv("MUNJA_MODELS_URL"), 0);
  munja_model_pull_options plain = {};
  plain.struct_size = sizeof plain;
  plain.base_url = url.c_str();
  munja_model_pull_options o = plain;
  const auto pull = [&] {
    fs::remove_all(folder_ + "/munja");
    char* path = nullptr;
    status_ = munja_model_pull("default", &o, &path);
    return status_ == MUNJA_OK ? TakeText(path) : std::string();
  };
  const std::string place = pull();
  if (status_ == MUNJA_UNAVAILABLE &&
      std::string(munja_last_error()).find("MUNJA_DOWNLOAD") !=
          std::string::npos)
    GTEST_SKIP() << munja_last_error();
  ASSERT_EQ(status_, MUNJA_OK) << munja_last_error();
  EXPECT_EQ(place, folder_ + "/munja/models/default");
  EXPECT_EQ(Content(place + "/dictionary.txt"),
            Content(std::string(kDefaultBundle) + "/dictionary.txt"));
  struct Seen {
    std::map<std::string, std::pair<uint64_t, uint64_t>> last;
    bool is_enough = false;
  } seen;
  const auto look = [](void* context, const char* what, uint64_t done,
                       uint64_t total) {
    Seen& s = *static_cast<Seen*>(context);
    s.last[what] = {done, total};
    return s.is_enough ? 1 : 0;
  };
  const Rows rows = {
      {"base_url",
       [&] {
         o.base_url = "ftp://127.0.0.1";
         pull();
         EXPECT_EQ(status_, MUNJA_INVALID_ARGUMENT);
         // The environment's URL comes after it.
         o.base_url = nullptr;
         ASSERT_EQ(::setenv("MUNJA_MODELS_URL", url.c_str(), 1), 0);
         EXPECT_EQ(pull(), place);
         ASSERT_EQ(::setenv("MUNJA_MODELS_URL", "ftp://127.0.0.1", 1), 0);
         pull();
         EXPECT_EQ(status_, MUNJA_INVALID_ARGUMENT);
         o.base_url = url.c_str();
         EXPECT_EQ(pull(), place);
         ASSERT_EQ(::unsetenv("MUNJA_MODELS_URL"), 0);
       }},
      {"progress",
       [&] {
         o.progress = look;
         o.context = &seen;
         seen.is_enough = true;
         pull();
         EXPECT_EQ(status_, MUNJA_CANCELLED);
         EXPECT_FALSE(fs::exists(place));
       }},
      {"context",
       [&] {
         o.progress = look;
         o.context = &seen;
         seen = Seen();
         EXPECT_EQ(pull(), place);
         const uint64_t size =
             fs::file_size(std::string(kDefaultBundle) + "/detector.tflite");
         EXPECT_EQ(seen.last["detector.tflite"], std::pair(size, size));
       }},
      {"control",
       [&] {
         const ControlHandle control = CancelledControl();
         o.control = control.get();
         pull();
         EXPECT_EQ(status_, MUNJA_CANCELLED);
       }},
  };
  CheckAll("model.h", "munja_model_pull_options", rows, [&] { o = plain; });
}

}  // namespace
}  // namespace munja::capi
