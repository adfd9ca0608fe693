// The parts of the server that need no process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "munja/munja.hpp"
#include "server/connection.h"
#include "server/contract.h"
#include "server/selection.h"
#include "server/text.h"

namespace munja::server_test {
namespace {

using server::CheckHead;
using server::Contract;
using server::Json;
using server::SelectPages;
using testing::ElementsAre;
using testing::HasSubstr;

const Json& Description() {
  static const Json description = Json::parse(server::OpenApiText());
  return description;
}

TEST(SelectPages, Ranges_AreSortedAndCountOnce) {
  std::vector<int> pages;
  EXPECT_EQ(SelectPages("", 3, &pages), "");
  EXPECT_THAT(pages, ElementsAre(0, 1, 2));
  EXPECT_EQ(SelectPages("5-,1,2-3,2", 6, &pages), "");
  EXPECT_THAT(pages, ElementsAre(0, 1, 2, 4, 5));
}

TEST(SelectPages, PagesThatAreNot_AreNamed) {
  std::vector<int> pages;
  EXPECT_THAT(SelectPages("4", 3, &pages), HasSubstr("no page 4"));
  EXPECT_THAT(SelectPages("3-2", 3, &pages), HasSubstr("no page 3-2"));
  for (const char* const wrong : {"0", "a", "1-b", "-2", "1,,2", "1--2"})
    EXPECT_NE(SelectPages(wrong, 9, &pages), "") << wrong;
}

TEST(Base64, Texts_AreDecoded) {
  EXPECT_EQ(server::DecodeBase64("TWE="), "Ma");
  EXPECT_EQ(server::DecodeBase64("TWE"), "Ma");
  EXPECT_EQ(server::DecodeBase64("TW\r\nFu"), "Man");
  EXPECT_EQ(server::DecodeBase64("//79"), "\xff\xfe\xfd");
  EXPECT_FALSE(server::DecodeBase64("T").has_value());
  EXPECT_FALSE(server::DecodeBase64("TW*u").has_value());
}

TEST(Utf8, Encodings_AreChecked) {
  EXPECT_TRUE(server::IsUtf8("a\xc3\xa9\xed\x95\x9c\xf0\x9f\x98\x80"));
  for (const char* const wrong : {"\xc0\x80", "\xed\xa0\x80", "\xe0\x80\x80",
                                  "\xf4\x90\x80\x80", "\x80", "\xc3"})
    EXPECT_FALSE(server::IsUtf8(wrong));
}

TEST(CheckHead, RightHeads_AreKept) {
  std::string head =
      "POST /x?a=%20 HTTP/1.1\r\nHost: a\r\nContent-Length: 12\r\n"
      "Range: bytes=0-1\r\nAccept-Encoding: gzip\r\nX: y\r\n\r\n";
  int64_t size = 0;
  EXPECT_EQ(CheckHead(&head, &size).status, 0);
  EXPECT_EQ(size, 12);
  EXPECT_EQ(head,
            "POST /x?a=%20 HTTP/1.1\r\nHost: a\r\nContent-Length: 12\r\n"
            "X: y\r\n\r\n");
}

TEST(CheckHead, WrongHeads_AreRefused) {
  const struct {
    const char* head;
    int status;
  } rows[] = {
      {"GET / HTTP/1.1\r\n\r\n", 400},  // No host.
      {"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400},
      {"GET /\r\nHost: a\r\n\r\n", 400},
      {"GET x HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"GET /%2 HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505},
      {"GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: a\r\nX : b\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: a\r\nX: \x01\r\n\r\n", 400},
      {"GET / HTTP/1.1\nHost: a\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n"
       "Content-Length: 1\r\n\r\n",
       400},
      {"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n"
       "Transfer-Encoding: chunked\r\n\r\n",
       400},
      {"GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
       501},
      {"GET / HTTP/1.1\r\nHost: a\r\nExpect: money\r\n\r\n", 417},
  };
  for (const auto& row : rows) {
    std::string head = row.head;
    int64_t size = 0;
    EXPECT_EQ(CheckHead(&head, &size).status, row.status) << row.head;
  }
}

TEST(Contract, Formats_AreThoseOfTheLibrary) {
  std::set<std::string> described, known;
  for (const Json& name :
       Description()["components"]["parameters"]["format"]["schema"]["enum"])
    described.insert(name);
  for (const munja::Format& format : munja::Formats()) {
    known.insert(format.name);
    const std::string type =
        format.media_type.substr(0, format.media_type.find(';'));
    EXPECT_TRUE(
        Description()["components"]["responses"]["Read"]["content"].contains(
            type))
        << type;
  }
  EXPECT_EQ(described, known);
}

// Calls visit(member's name, value) for everything inside.
template <class Visit>
void ForEach(const Json& json, const Visit& visit) {
  if (!json.is_structured()) return;
  for (const auto& [name, value] : json.items()) {
    visit(name, value);
    ForEach(value, visit);
  }
}

TEST(Contract, Description_IsWhole) {
  EXPECT_TRUE(Description()["openapi"].get<std::string>().starts_with("3.1."));
  std::set<std::string> ids;
  for (const auto& [path, item] : Description()["paths"].items()) {
    for (const auto& [method, operation] : item.items()) {
      EXPECT_TRUE(ids.insert(operation["operationId"]).second);
      EXPECT_FALSE(operation["summary"].get<std::string>().empty());
      EXPECT_FALSE(operation["responses"].empty());
      EXPECT_EQ(method == "post", operation.contains("requestBody")) << path;
    }
  }
  ForEach(Description(), [](const std::string& name, const Json& value) {
    if (name == "$ref") {
      const std::string reference = value;
      ASSERT_TRUE(reference.starts_with("#/"));
      EXPECT_TRUE(
          Description().contains(Json::json_pointer(reference.substr(1))))
          << reference;
    }
  });
}

TEST(Contract, Paths_AreFound) {
  const Contract contract;
  EXPECT_EQ(contract.Find("POST", "/v1/read").operation->id, "read");
  EXPECT_EQ(contract.Find("HEAD", "/healthz").operation->id, "getHealth");
  const server::Found job = contract.Find("GET", "/v1/jobs/a1/events");
  EXPECT_EQ(job.operation->id, "getJobEvents");
  EXPECT_EQ(job.id, "a1");
  EXPECT_EQ(contract.Find("PUT", "/v1/jobs/a1").allowed, "DELETE, GET, HEAD");
  for (const char* const path : {"/v1/jobs/", "/v1/jobs/a/b", "/v1/read/", ""})
    EXPECT_EQ(contract.Find("GET", path).operation, nullptr) << path;
}

TEST(Contract, Parameters_HaveTheirTypes) {
  const Contract contract;
  const server::Operation& read = *contract.Find("POST", "/v1/read").operation;
  Json options;
  EXPECT_EQ(contract.ReadQuery(read,
                               {{"min_confidence", "0.5"},
                                {"line", "true"},
                                {"pages", "1-2,9-"},
                                {"allowed_characters", "0123"}},
                               &options),
            "");
  EXPECT_EQ(options, Json({{"min_confidence", 0.5},
                           {"line", true},
                           {"pages", "1-2,9-"},
                           {"allowed_characters", "0123"}}));
  const std::pair<const char*, const char*> wrong[] = {
      {"min_confidence", "nan"},
      {"min_confidence", "-0.1"},
      {"line", "yes"},
      {"pages", "0"},
      {"language", "e"},
      {"dpi", "1e5"},
      {"format", ""},
      {"name", "\xff"},
      {"nome", "a"}};
  for (const auto& [name, value] : wrong)
    EXPECT_THAT(contract.ReadQuery(read, {{name, value}}, &options),
                HasSubstr(name));
  EXPECT_THAT(contract.ReadQuery(read, {{"dpi", "9"}, {"dpi", "9"}}, &options),
              HasSubstr("twice"));
}

TEST(Contract, MediaTypes_AreCompared) {
  const Contract contract;
  const server::Operation& read = *contract.Find("POST", "/v1/read").operation;
  EXPECT_EQ(Contract::MediaTypeOf(read, "IMAGE/png; x=y"), "image/png");
  EXPECT_EQ(Contract::MediaTypeOf(read, "application/pdf"), "application/pdf");
  for (const char* const type : {"text/plain", "image/", "", "image"})
    EXPECT_EQ(Contract::MediaTypeOf(read, type), "") << type;
}

}  // namespace
}  // namespace munja::server_test
