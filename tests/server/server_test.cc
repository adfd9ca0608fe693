// The server as clients meet it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "server/running.h"

namespace munja::server_test {
namespace {

using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr char kAlice[] = "alice-0123456789abcdef";
constexpr char kBob[] = "bob-0123456789abcdefgh";

// A file of keys in the test's directory.
std::string KeyFile() {
  const std::string file =
      testing::TempDir() + "keys" + std::to_string(::getpid());
  std::ofstream(file) << "# Keys.\nalice " << kAlice << "\nbob " << kBob
                      << "\n";
  return file;
}

httplib::Headers KeyOf(const char* key) {
  return {{"Authorization", std::string("Bearer ") + key}};
}

std::string Base64(const std::string& bytes) {
  std::string text(bytes.size() / 3 * 4 + 5, '\0');
  const int size =
      ::EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                        reinterpret_cast<const unsigned char*>(bytes.data()),
                        static_cast<int>(bytes.size()));
  text.resize(static_cast<size_t>(size));
  return text;
}

// The code in an error of the interface.
std::string CodeOf(const httplib::Result& answer) {
  if (!answer) return "no answer";
  const Json body = Json::parse(answer->body, nullptr, false);
  return body.is_object() && body.contains("code") &&
                 body.contains("request_id") && !body.value("error", "").empty()
             ? body["code"].get<std::string>()
             : answer->body;
}

// One server for the tests that do not change it.
class Server : public testing::Test {
 protected:
  static Running& It() {
    static Running server({"--workers=2", "--max-body=2M", "--max-pages=2",
                           "--max-pixels=2000000"});
    return server;
  }
};

TEST_F(Server, Json_IsThatOfTheCommand) {
  for (const char* const name :
       {"receipt.jpg", "receipt_ru.png", "sign_ko.jpg", "short_cells.png",
        "tight_table.png", "upside_down_line.png"}) {
    const std::string path =
        std::string(MUNJA_SOURCE_DIR "/testdata/pictures/") + name;
    const httplib::Result answer =
        It().Post("/v1/read?name=" + std::string(name),
                  FileOf("pictures/" + std::string(name)), "image/*");
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 200);
    std::string expected =
        WithoutTimes(Command({"read", "--format=json", path}));
    const size_t at = expected.find(path);
    ASSERT_NE(at, expected.npos);
    expected.replace(at, path.size(), name);
    EXPECT_EQ(WithoutTimes(answer->body), expected);
  }
}

TEST_F(Server, Formats_AreThoseOfTheCommand) {
  for (const char* const format : {"text", "tsv", "markdown", "hocr", "alto"}) {
    const httplib::Result answer =
        It().Post(std::string("/v1/read?format=") + format, Receipt());
    ASSERT_TRUE(answer);
    const std::string expected =
        Command({"read", std::string("--format=") + format, "-o", "-",
                 MUNJA_SOURCE_DIR "/testdata/pictures/receipt.jpg"});
    // Names and times aside.
    EXPECT_EQ(std::count(answer->body.begin(), answer->body.end(), '\n'),
              std::count(expected.begin(), expected.end(), '\n'))
        << format;
    EXPECT_THAT(answer->body, HasSubstr("NORTHWIND")) << format;
  }
  const httplib::Result pdf = It().Post("/v1/read?format=pdf", Receipt());
  EXPECT_THAT(pdf->body, StartsWith("%PDF"));
  if (std::system("command -v pdftotext > /dev/null") == 0) {
    // Such a file stays as it is: it has its text.
    EXPECT_EQ(It().Post("/v1/read?format=pdf", pdf->body)->body, pdf->body);
  }
  const httplib::Result png = It().Post("/v1/read?format=png", Receipt());
  EXPECT_THAT(png->body, StartsWith("\x89PNG"));
  EXPECT_EQ(png->get_header_value("Content-Type"), "image/png");
}

TEST_F(Server, Form_ReadsAllItsFiles) {
  const httplib::Result answer = It().Client()->Post(
      "/v1/read", httplib::MultipartFormDataItems{
                      {"file", Receipt(), "dir/a.jpg", "image/jpeg"},
                      {"file", FileOf("pictures/sign_ko.jpg"), "b.jpg", ""}});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200) << answer->body;
  EXPECT_EQ(answer->get_header_value("Content-Type"), "application/x-ndjson");
  std::istringstream lines(answer->body);
  std::vector<std::string> sources;
  for (std::string line; std::getline(lines, line);)
    sources.push_back(Json::parse(line)["source"]);
  EXPECT_THAT(sources, ElementsAre("a.jpg", "b.jpg"));
}

TEST_F(Server, Options_AreObeyed) {
  const auto texts = [](const std::string& query) {
    const httplib::Result answer =
        It().Post("/v1/read?format=text&" + query, Receipt());
    return answer ? answer->body : "";
  };
  EXPECT_EQ(texts("allowed_characters=0123456789").find("BAKERY"),
            std::string::npos);
  EXPECT_EQ(texts("region=0,0,900,300").find("TOTAL"), std::string::npos);
  EXPECT_LT(texts("min_confidence=0.99").size(), texts("").size());
  EXPECT_THAT(texts("language=de"), HasSubstr("BAKERY"));
}

TEST_F(Server, WrongRequests_AreExplained) {
  const struct {
    const char *path, *type;
    std::string body;
    int status;
    const char* code;
  } rows[] = {
      {"/v1/read?formt=text", "image/png", "x", 400, "invalid"},
      {"/v1/read?format=xml", "image/png", "x", 400, "invalid"},
      {"/v1/read?format=text&format=json", "image/png", "x", 400, "invalid"},
      {"/v1/read?pages=2", "image/jpeg", Receipt(), 400, "invalid"},
      {"/v1/read?language=xx", "image/jpeg", Receipt(), 400, "invalid"},
      {"/v1/read", "image/png", "", 400, "invalid"},
      {"/v1/read", "multipart/form-data; boundary=b", "--c", 400, "invalid"},
      {"/v1/read", "multipart/form-data; boundary=b",
       "--b\r\nContent-Disposition: form-data; name=\"fiel\"\r\n\r\nx\r\n"
       "--b--\r\n",
       400, "invalid"},
      {"/v1/read", "multipart/form-data; boundary=b",
       "--b\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nx\r\n"
       "--b--\r\n",
       400, "invalid"},
      {"/v1/read?region=1,2,3", "image/jpeg", Receipt(), 400, "invalid"},
      {"/v1/read", "text/plain", "x", 415, "unsupported"},
      {"/v1/read", "image/jpeg", "no image", 415, "unsupported"},
      {"/v1/read", "image/jpeg", Receipt().substr(0, 9000), 422, "malformed"},
      {"/v1/read", "image/jpeg", std::string(3 << 20, 'x'), 413, "too_large"},
      {"/v1/read", "image/x", "P5 4000 4000 255\n" + std::string(100, ' '), 413,
       "too_large"},
      {"/v2/read", "image/jpeg", "x", 404, "not_found"},
      {"/v1/models", "image/jpeg", "x", 405, "wrong_method"},
      {"/ocr?language=en", "application/json", "{}", 400, ""},
  };
  for (const auto& row : rows) {
    const httplib::Result answer = It().Post(row.path, row.body, row.type);
    ASSERT_TRUE(answer) << row.path;
    EXPECT_EQ(answer->status, row.status) << row.path << answer->body;
    if (*row.code != '\0') {
      EXPECT_EQ(CodeOf(answer), row.code) << row.path;
    }
  }
  EXPECT_EQ(It().Get("/v1/read")->get_header_value("Allow"), "POST");
  for (const char* const method : {"PUT", "QUERY", "TRACE"}) {
    const std::string answer =
        It().Raw(std::string(method) +
                 " /v1/read HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 405"));
    EXPECT_THAT(answer, HasSubstr("Allow: POST\r\n"));
  }
  // More files than pages are read.
  httplib::MultipartFormDataItems three(3, {"file", Receipt(), "a.jpg", ""});
  EXPECT_EQ(It().Client()->Post("/v1/read", three)->status, 413);
}

TEST_F(Server, Heads_AreLimited) {
  const std::string start = "GET /healthz HTTP/1.1\r\nHost: a\r\n";
  EXPECT_THAT(It().Raw(start + "X: " + std::string(100000, 'x') + "\r\n\r\n"),
              StartsWith("HTTP/1.1 431"));
  std::string many = start;
  for (int i = 0; i < 200; ++i) many += "X: y\r\n";
  EXPECT_THAT(It().Raw(many + "\r\n"), StartsWith("HTTP/1.1 431"));
  EXPECT_THAT(It().Raw("GET /" + std::string(9000, 'x') +
                       " HTTP/1.1\r\nHost: a\r\n\r\n"),
              StartsWith("HTTP/1.1 414"));
  EXPECT_THAT(It().Raw("\x16\x03\x01 nonsense\r\n\r\n"),
              StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(It().Raw("POST /v1/read HTTP/1.1\r\nHost: a\r\n"
                       "Content-Type: image/png\r\n\r\n"),
              StartsWith("HTTP/1.1 411"));
}

TEST_F(Server, Refusals_ComeBeforeTheBody) {
  // Only the head is sent: the answer does not wait for the rest.
  const std::string head = "POST /v1/read HTTP/1.1\r\nHost: a\r\n";
  EXPECT_THAT(It().Raw(head + "Content-Type: image/png\r\n"
                              "Content-Encoding: gzip\r\n"
                              "Content-Length: 1000000\r\n\r\n"),
              StartsWith("HTTP/1.1 415"));
  EXPECT_THAT(It().Raw(head + "Content-Type: image/png\r\n"
                              "Content-Length: 100000000\r\n\r\n"),
              StartsWith("HTTP/1.1 413"));
  EXPECT_THAT(It().Raw(head + "Content-Type: text/plain\r\n"
                              "Expect: 100-continue\r\n"
                              "Content-Length: 1000\r\n\r\n"),
              StartsWith("HTTP/1.1 415"));
}

TEST_F(Server, ChunkedBodies_AreReadAndLimited) {
  const std::string head =
      "POST /v1/read?format=text HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
      "Content-Type: image/jpeg\r\nTransfer-Encoding: chunked\r\n\r\n";
  const auto chunk = [](const std::string& bytes) {
    std::ostringstream text;
    text << std::hex << bytes.size() << "\r\n" << bytes << "\r\n";
    return text.str();
  };
  const std::string right =
      It().Raw(head + chunk(Receipt().substr(0, 5000)) +
               chunk(Receipt().substr(5000)) + "0\r\n\r\n");
  EXPECT_THAT(right, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(right, HasSubstr("NORTHWIND"));
  std::string long_body = head;
  for (int i = 0; i < 5; ++i) long_body += chunk(std::string(1 << 20, 'x'));
  EXPECT_THAT(It().Raw(long_body), StartsWith("HTTP/1.1 413"));
  EXPECT_THAT(It().Raw(head + "zz\r\n"), StartsWith("HTTP/1.1 400"));
}

TEST_F(Server, RequestIds_AreTakenOver) {
  const auto id = [](const char* given) {
    return It()
        .Get("/healthz", {{"X-Request-Id", given}})
        ->get_header_value("X-Request-Id");
  };
  EXPECT_EQ(id("order-7.b_2"), "order-7.b_2");
  EXPECT_NE(id("a b"), "a b");
  EXPECT_EQ(id("a b").size(), 16u);
}

TEST_F(Server, Page_LoadsNothingFromElsewhere) {
  const httplib::Result page = It().Get("/");
  ASSERT_TRUE(page);
  EXPECT_EQ(page->status, 200);
  EXPECT_THAT(page->get_header_value("Content-Security-Policy"),
              StartsWith("default-src 'none'; script-src 'self'"));
  EXPECT_EQ(page->body.find("://"), std::string::npos);
  EXPECT_EQ(page->body.find(" style="), std::string::npos);
  for (const char* const name :
       {"app.js", "app.css", "icon.svg", "manifest.webmanifest"}) {
    EXPECT_THAT(page->body, HasSubstr(std::string("\"") + name + "\""));
    EXPECT_EQ(It().Get(std::string("/") + name)->status, 200);
  }
  // The application's own client is that of the engine in the page.
  EXPECT_THAT(It().Get("/client.js")->body, HasSubstr("/v1/read"));
  EXPECT_EQ(It().Get("/sw.js")->status, 404);
}

TEST_F(Server, Cors_IsOff) {
  EXPECT_FALSE(It().Get("/healthz", {{"Origin", "https://a.example"}})
                   ->has_header("Access-Control-Allow-Origin"));
}

TEST_F(Server, Models_HaveNoPaths) {
  const Json models = Json::parse(It().Get("/v1/models")->body);
  EXPECT_EQ(models["model"], "default");
  ASSERT_FALSE(models["models"].empty());
  EXPECT_FALSE(models["models"][0].contains("path"));
}

TEST_F(Server, Metrics_AreInPrometheusFormat) {
  ASSERT_EQ(It().Post("/v1/read", Receipt())->status, 200);
  const httplib::Result answer = It().Get("/metrics");
  ASSERT_TRUE(answer);
  std::istringstream lines(answer->body);
  const std::regex sample(
      R"(munja_[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? [0-9.e+-]+)");
  for (std::string line; std::getline(lines, line);)
    EXPECT_TRUE(line.starts_with("# ") || std::regex_match(line, sample))
        << line;
  EXPECT_THAT(
      answer->body,
      HasSubstr(R"(munja_requests_total{route="/v1/read",status="200"})"));
}

TEST_F(Server, Log_HasNothingOfRequests) {
  ASSERT_EQ(It().Post("/v1/read?name=secret.jpg", Receipt())->status, 200);
  ASSERT_EQ(It().Get("/secret")->status, 404);
  const std::string log = It().Log();
  EXPECT_EQ(log.find("secret"), std::string::npos);
  EXPECT_EQ(log.find("NORTHWIND"), std::string::npos);
}

TEST_F(Server, LiteParse_GetsItsForm) {
  const httplib::Result answer = It().Client()->Post(
      "/ocr", httplib::MultipartFormDataItems{
                  {"file", Receipt(), "document.png", "image/png"},
                  {"language", "zh", "", ""}});
  ASSERT_TRUE(answer);
  ASSERT_EQ(answer->status, 200) << answer->body;
  const Json results = Json::parse(answer->body)["results"];
  ASSERT_GT(results.size(), 10u);
  EXPECT_EQ(results[0]["text"], "BAKERY NORTHWIND");
  for (const Json& result : results) {
    const Json& box = result["bbox"];
    ASSERT_EQ(box.size(), 4u);
    EXPECT_LT(box[0], box[2]);
    EXPECT_LT(box[1], box[3]);
    EXPECT_GE(result["confidence"], 0);
    EXPECT_LE(result["confidence"], 1);
    EXPECT_EQ(result["polygon"].size(), 4u);
  }
  const httplib::Result error = It().Client()->Post(
      "/ocr", httplib::MultipartFormDataItems{{"language", "en", "", ""}});
  EXPECT_EQ(error->status, 400);
  EXPECT_TRUE(Json::parse(error->body)["error"].is_string());
}

TEST_F(Server, PaddleX_GetsItsForm) {
  const auto post = [](const Json& body) {
    return It().Post("/ocr", body.dump(), "application/json");
  };
  const std::string file = Base64(Receipt());
  const httplib::Result answer =
      post({{"file", file}, {"fileType", 1}, {"useDocUnwarping", false}});
  ASSERT_TRUE(answer);
  ASSERT_EQ(answer->status, 200) << answer->body;
  EXPECT_EQ(answer->get_header_value("X-Munja-Ignored"), "useDocUnwarping");
  const Json body = Json::parse(answer->body);
  EXPECT_EQ(body["errorCode"], 0);
  EXPECT_FALSE(body["logId"].get<std::string>().empty());
  EXPECT_EQ(body["result"]["dataInfo"],
            Json({{"type", "image"}, {"width", 900}, {"height", 1180}}));
  const Json& read = body["result"]["ocrResults"][0]["prunedResult"];
  EXPECT_EQ(read["rec_texts"][0], "BAKERY NORTHWIND");
  EXPECT_EQ(read["rec_texts"].size(), read["rec_scores"].size());
  EXPECT_EQ(read["rec_texts"].size(), read["rec_boxes"].size());
  for (const Json& wrong :
       {Json({{"file", "https://example.com/a.png"}, {"fileType", 1}}),
        Json({{"file", "*"}}), Json({{"file", file}, {"fileType", 2}}),
        Json({{"file", file}, {"fileType", 0}}), Json({{"fileType", 1}}),
        Json(7)}) {
    const httplib::Result error = post(wrong);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->status, 400) << wrong;
    EXPECT_EQ(Json::parse(error->body)["errorCode"], 400);
    EXPECT_FALSE(
        Json::parse(error->body)["errorMsg"].get<std::string>().empty());
  }
}

TEST(Workers, KilledOne_CostsItsRequestOnly) {
  Running server({"--workers=1"});
  const httplib::Result made = server.Client()->Post(
      "/v1/jobs",
      httplib::MultipartFormDataItems(100, {"file", Receipt(), "a.jpg", ""}));
  ASSERT_TRUE(made);
  ASSERT_EQ(made->status, 202) << made->body;
  const auto job = [&] {
    return Json::parse(server.Get(made->get_header_value("Location"))->body);
  };
  EXPECT_TRUE(Soon([&] { return job()["page"] > 0; }));
  Background other([&] { return server.Post("/v1/read", Receipt()); });
  server.Await("munja_queue_length", 1);
  server.SignalWorkers(SIGKILL);
  EXPECT_TRUE(Soon([&] { return job()["state"] == "failed"; }));
  EXPECT_EQ(job()["code"], "crashed");
  EXPECT_EQ(other.Status(), 200);
}

TEST(Workers, KilledOneWithoutWork_CostsNothing) {
  Running server({"--workers=1"});
  for (int i = 1; i <= 3; ++i) {
    server.SignalWorkers(SIGKILL);
    EXPECT_EQ(server.Post("/v1/read", Receipt())->status, 200);
    server.Await("munja_worker_restarts_total", i);
  }
}

TEST(Workers, KilledServer_TakesThemAlong) {
  Running server({"--workers=2"});
  const std::vector<pid_t> workers = server.Workers();
  ASSERT_EQ(workers.size(), 2u);
  ::kill(server.pid(), SIGKILL);
  server.Wait();
  for (const pid_t worker : workers)
    EXPECT_TRUE(Soon([worker] {
      std::ifstream stat("/proc/" + std::to_string(worker) + "/stat");
      std::string line;
      std::getline(stat, line);
      return line.empty() || line.find(") Z ") != line.npos;
    }));
}

// A decoder's own memory has a gigabyte beside the memory that is given, and no
// limit where none is given.
TEST(Workers, DataOfOne_IsLimitedWithTheMemory) {
  rlimit own;
  ASSERT_EQ(::getrlimit(RLIMIT_DATA, &own), 0);
  const std::pair<std::vector<std::string>, rlim_t> cases[] = {
      {{}, own.rlim_cur}, {{"--max-memory=512M"}, rlim_t{1536} << 20}};
  for (const auto& [options, most] : cases) {
    const Running server(options);
    const std::vector<pid_t> workers = server.Workers();
    ASSERT_FALSE(workers.empty());
    rlimit data;
    ASSERT_EQ(::prlimit(workers[0], RLIMIT_DATA, nullptr, &data), 0);
    EXPECT_EQ(data.rlim_cur, most);
  }
}

TEST(Workers, SlowOne_IsEnded) {
  Running server({"--workers=1", "--timeout=0.5"});
  server.SignalWorkers(SIGSTOP);
  const httplib::Result answer = server.Post("/v1/read", Receipt());
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 504);
  EXPECT_EQ(CodeOf(answer), "timed_out");
  EXPECT_TRUE(Soon([&] {
    const httplib::Result next = server.Post("/v1/read", Receipt());
    return next && next->status == 200;
  }));
}

TEST(Workers, ClientThatLeaves_EndsItsRequest) {
  Running server({"--workers=1"});
  server.SignalWorkers(SIGSTOP);
  const int socket = server.Connect();
  const std::string request =
      "POST /v1/read HTTP/1.1\r\nHost: a\r\nContent-Type: image/jpeg\r\n"
      "Content-Length: " +
      std::to_string(Receipt().size()) + "\r\n\r\n" + Receipt();
  ASSERT_EQ(::send(socket, request.data(), request.size(), MSG_NOSIGNAL),
            std::ssize(request));
  server.Await("munja_requests_running", 1);
  ::close(socket);
  // The worker cannot hear of it and is replaced.
  server.Await("munja_requests_running", 0);
  EXPECT_EQ(server.Post("/v1/read", Receipt())->status, 200);
}

TEST(Pages, LimitOfOne_IsNotTheFormats) {
  Running server({"--workers=1", "--max-pages=1"});
  const httplib::MultipartFormDataItems two(2,
                                            {"file", Receipt(), "a.jpg", ""});
  const httplib::Result json = server.Client()->Post("/v1/read", two);
  EXPECT_EQ(json->status, 413) << json->body;
  EXPECT_EQ(CodeOf(json), "too_large");
  const httplib::Result png = server.Client()->Post("/v1/read?format=png", two);
  EXPECT_EQ(png->status, 400) << png->body;
}

TEST(Workers, WrongModel_IsTheExitCode) {
  testing::internal::CaptureStderr();
  const std::string command =
      std::string(MUNJA_PROGRAM) + " serve --port=0 --model=absent 2>/dev/null";
  const int status = std::system(command.c_str());
  testing::internal::GetCapturedStderr();
  EXPECT_EQ(WEXITSTATUS(status), 5);
}

TEST(Queue, FullOne_RefusesBeforeTheBody) {
  Running server({"--workers=1", "--queue=1"});
  server.SignalWorkers(SIGSTOP);
  Background first([&] { return server.Post("/v1/read", Receipt()); });
  server.Await("munja_requests_running", 1);
  Background second([&] { return server.Post("/v1/read", Receipt()); });
  server.Await("munja_queue_length", 1);
  const std::string answer = server.Raw(
      "POST /v1/read HTTP/1.1\r\nHost: a\r\nContent-Type: image/jpeg\r\n"
      "Content-Length: 1000000\r\n\r\n");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 429"));
  EXPECT_THAT(answer, HasSubstr("Retry-After: "));
  server.SignalWorkers(SIGCONT);
  EXPECT_EQ(first.Status(), 200);
  EXPECT_EQ(second.Status(), 200);
}

TEST(Queue, Clients_TakeTurns) {
  Running server({"--workers=1", "--queue=3", "--api-key-file=" + KeyFile()});
  const auto post = [&](const char* key) {
    return server.Post("/v1/read", Receipt(), "image/jpeg", KeyOf(key));
  };
  // Figures need a key, too: the queue is seen in the log's absence of answers.
  const auto queued = [&](int count) {
    EXPECT_TRUE(Soon([&] {
      const httplib::Result answer = server.Get("/metrics", KeyOf(kBob));
      return answer &&
             answer->body.find("munja_queue_length " + std::to_string(count) +
                               "\n") != std::string::npos &&
             answer->body.find("munja_requests_running 1\n") !=
                 std::string::npos;
    }));
  };
  server.SignalWorkers(SIGSTOP);
  Background running([&] { return post(kAlice); });
  queued(0);
  std::vector<std::unique_ptr<Background>> greedy;
  for (int i = 1; i <= 3; ++i) {
    greedy.push_back(
        std::make_unique<Background>([&] { return post(kAlice); }));
    queued(i);
  }
  EXPECT_EQ(post(kAlice)->status, 429);
  // The last of the client with the most makes room.
  Background modest([&] { return post(kBob); });
  EXPECT_EQ(greedy[2]->Status(), 429);
  queued(3);
  server.SignalWorkers(SIGCONT);
  EXPECT_EQ(modest.Status(), 200);
  EXPECT_EQ(greedy[1]->Status(), 200);
  std::vector<std::string> clients;
  EXPECT_TRUE(Soon([&] {
    clients.clear();
    for (const Json& line : server.Events("request"))
      if (line["route"] == "/v1/read" && line["status"] == 200)
        clients.push_back(line["client"]);
    return clients.size() == 4;
  }));
  // Bob's came last and is not read last.
  EXPECT_NE(clients.back(), "bob");
}

TEST(Queue, ClientWithLessTime_IsNext) {
  Running server({"--workers=1", "--api-key-file=" + KeyFile()});
  const auto await = [&](const std::string& line) {
    EXPECT_TRUE(Soon([&] {
      const httplib::Result answer = server.Get("/metrics", KeyOf(kBob));
      return answer && answer->body.find(line + "\n") != std::string::npos;
    }));
  };
  const auto post = [&](const char* key) {
    return server.Post("/v1/read", Receipt(), "image/jpeg", KeyOf(key));
  };
  server.SignalWorkers(SIGSTOP);
  Background first([&] { return post(kAlice); });
  await("munja_requests_running 1");
  Background second([&] { return post(kAlice); });
  await("munja_queue_length 1");
  Background other([&] { return post(kBob); });
  await("munja_queue_length 2");
  server.SignalWorkers(SIGCONT);
  EXPECT_EQ(second.Status(), 200);
  EXPECT_EQ(other.Status(), 200);
  EXPECT_EQ(first.Status(), 200);
  std::vector<std::string> clients;
  EXPECT_TRUE(Soon([&] {
    clients.clear();
    for (const Json& line : server.Events("request"))
      if (line["route"] == "/v1/read") clients.push_back(line["client"]);
    return clients.size() == 3;
  }));
  // Alice's second request came before Bob's.
  EXPECT_THAT(clients, ElementsAre("alice", "bob", "alice"));
}

TEST(Access, Keys_AreAskedFor) {
  Running server({"--workers=1", "--api-key-file=" + KeyFile()});
  const httplib::Result none = server.Post("/v1/read", Receipt());
  EXPECT_EQ(none->status, 401);
  EXPECT_EQ(CodeOf(none), "unauthorized");
  EXPECT_TRUE(none->has_header("WWW-Authenticate"));
  EXPECT_EQ(server.Get("/metrics")->status, 401);
  EXPECT_EQ(server.Get("/metrics", KeyOf("alice-0123456789abcdeF"))->status,
            401);
  EXPECT_EQ(server.Get("/metrics", {{"X-Api-Key", kBob}})->status, 200);
  for (const char* const open : {"/", "/healthz", "/readyz", "/openapi.json"})
    EXPECT_EQ(server.Get(open)->status, 200) << open;
  // Jobs are their owner's.
  const httplib::Result job =
      server.Post("/v1/jobs", Receipt(), "image/jpeg", KeyOf(kAlice));
  ASSERT_EQ(job->status, 202);
  const std::string path = job->get_header_value("Location");
  EXPECT_EQ(server.Get(path, KeyOf(kBob))->status, 404);
  EXPECT_EQ(server.Get(path, KeyOf(kAlice))->status, 200);
}

TEST(Access, Cors_NamesTheOrigin) {
  Running server({"--workers=1", "--cors-origin=https://a.example"});
  const auto allowed = [&](const char* origin) {
    return server.Get("/healthz", {{"Origin", origin}})
        ->get_header_value("Access-Control-Allow-Origin");
  };
  EXPECT_EQ(allowed("https://a.example"), "https://a.example");
  EXPECT_EQ(allowed("https://b.example"), "");
  const httplib::Result preflight = server.Client()->Options(
      "/v1/read", {{"Origin", "https://a.example"},
                   {"Access-Control-Request-Method", "POST"}});
  ASSERT_TRUE(preflight);
  EXPECT_EQ(preflight->status, 204);
}

TEST(Access, Tls_IsServed) {
  const std::string base =
      testing::TempDir() + "tls" + std::to_string(::getpid());
  const std::string make =
      "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost "
      "-keyout " +
      base + ".key -out " + base + ".crt >/dev/null 2>&1";
  if (std::system(make.c_str()) != 0) GTEST_SKIP() << "no program openssl";
  Running server({"--workers=1", "--tls-cert=" + base + ".crt",
                  "--tls-key=" + base + ".key"});
  httplib::SSLClient client("127.0.0.1", server.port());
  client.enable_server_certificate_verification(false);
  client.set_read_timeout(60);
  const httplib::Result answer =
      client.Post("/v1/read?format=text", Receipt(), "image/jpeg");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
  EXPECT_THAT(answer->body, HasSubstr("NORTHWIND"));
  for (const char* const end : {".key", ".crt"})
    std::filesystem::remove(base + end);
}

TEST(SlowClients, Bodies_HaveATime) {
  Running server({"--workers=1", "--upload-timeout=0.3"});
  EXPECT_THAT(server.Raw("POST /v1/read HTTP/1.1\r\nHost: a\r\n"
                         "Content-Type: image/jpeg\r\n"
                         "Content-Length: 1000\r\n\r\nabc"),
              StartsWith("HTTP/1.1 408"));
}

TEST(SlowClients, Others_AreAnswered) {
  Running server({"--workers=1", "--max-connections=40"});
  std::vector<int> slow;
  for (int i = 0; i < 15; ++i) {
    slow.push_back(server.Connect());
    const std::string start = "GET /healthz HTT";
    ::send(slow.back(), start.data(), start.size(), MSG_NOSIGNAL);
  }
  EXPECT_EQ(server.Post("/v1/read", Receipt())->status, 200);
  // Half of the connections at most are of one address.
  for (int i = 0; i < 10; ++i) slow.push_back(server.Connect());
  EXPECT_TRUE(Soon([&] {
    const httplib::Result answer = server.Get("/healthz");
    return answer && answer->status == 503;
  }));
  for (const int socket : slow) ::close(socket);
  EXPECT_TRUE(Soon([&] {
    const httplib::Result answer = server.Get("/healthz");
    return answer && answer->status == 200;
  }));
}

TEST(Stopping, Requests_AreFinished) {
  Running server({"--workers=1"});
  server.SignalWorkers(SIGSTOP);
  Background request([&] { return server.Post("/v1/read", Receipt()); });
  server.Await("munja_requests_running", 1);
  const std::vector<pid_t> workers = server.Workers();
  ::kill(server.pid(), SIGTERM);
  EXPECT_TRUE(Soon([&] { return !server.Events("stopping").empty(); }));
  EXPECT_TRUE(Soon([&] { return !server.Get("/healthz"); }));
  for (const pid_t worker : workers) ::kill(worker, SIGCONT);
  EXPECT_EQ(request.Status(), 200);
  EXPECT_EQ(server.Wait(), 0);
}

TEST(Stopping, Time_IsLimited) {
  Running server({"--workers=1", "--drain-timeout=0.2"});
  server.SignalWorkers(SIGSTOP);
  Background request([&] { return server.Post("/v1/read", Receipt()); });
  server.Await("munja_requests_running", 1);
  ::kill(server.pid(), SIGTERM);
  EXPECT_EQ(request.Status(), 503);
  EXPECT_EQ(server.Wait(), 0);
}

TEST(Stopping, TakenPort_IsReported) {
  Running server({"--workers=1"});
  const std::string command = std::string(MUNJA_PROGRAM) +
                              " serve --port=" + std::to_string(server.port()) +
                              " 2>/dev/null";
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 8);
}

TEST(Jobs, Lifecycle_IsShown) {
  Running server({"--workers=1"});
  server.SignalWorkers(SIGSTOP);
  const httplib::Result made = server.Post("/v1/jobs?format=text", Receipt());
  ASSERT_TRUE(made);
  ASSERT_EQ(made->status, 202);
  const std::string path = made->get_header_value("Location");
  EXPECT_EQ(path,
            "/v1/jobs/" + Json::parse(made->body)["id"].get<std::string>());
  const auto state = [&] {
    return Json::parse(server.Get(path)->body)["state"].get<std::string>();
  };
  EXPECT_TRUE(Soon([&] { return state() == "running"; }));
  EXPECT_EQ(server.Get(path + "/result")->status, 409);
  Background events([&] { return server.Get(path + "/events"); });
  server.SignalWorkers(SIGCONT);
  EXPECT_THAT(events.Body(), HasSubstr("event: done\ndata: {"));
  EXPECT_EQ(state(), "done");
  const httplib::Result result = server.Get(path + "/result");
  EXPECT_EQ(result->status, 200);
  EXPECT_EQ(result->get_header_value("Content-Type"),
            "text/plain; charset=utf-8");
  EXPECT_THAT(result->body, HasSubstr("NORTHWIND"));
  EXPECT_EQ(server.Client()->Delete(path)->status, 204);
  EXPECT_EQ(server.Get(path)->status, 404);
}

TEST(Jobs, Failure_IsTheResult) {
  Running server({"--workers=1", "--keep-jobs=1"});
  const std::string path = server.Post("/v1/jobs", "no image", "image/png")
                               ->get_header_value("Location");
  EXPECT_TRUE(Soon([&] {
    const httplib::Result job = server.Get(path);
    return job->status == 404 ||
           Json::parse(job->body).value("code", "") == "unsupported";
  }));
  // It is forgotten after a second.
  EXPECT_TRUE(Soon([&] { return server.Get(path)->status == 404; }));
  EXPECT_EQ(server.Get(path + "/result")->status, 404);
}

TEST(Jobs, Number_IsLimited) {
  Running server({"--workers=1", "--max-jobs=1"});
  server.SignalWorkers(SIGSTOP);
  const std::string path =
      server.Post("/v1/jobs", Receipt())->get_header_value("Location");
  EXPECT_EQ(server.Post("/v1/jobs", Receipt())->status, 429);
  // A job that is cancelled ends, whatever its worker does.
  EXPECT_EQ(server.Client()->Delete(path)->status, 204);
  server.Await("munja_requests_running", 0);
  EXPECT_EQ(server.Post("/v1/jobs", Receipt())->status, 202);
}

}  // namespace
}  // namespace munja::server_test
