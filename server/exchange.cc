#include "server/exchange.h"

#include <algorithm>

namespace munja::server {
namespace {

struct CodeRow {
  const char* code;
  int status;
};
constexpr CodeRow kCodes[] = {
    {"invalid", 400},      {"unauthorized", 401}, {"not_found", 404},
    {"wrong_method", 405}, {"too_slow", 408},     {"no_result", 409},
    {"cancelled", 409},    {"no_length", 411},    {"too_large", 413},
    {"unsupported", 415},  {"malformed", 422},    {"busy", 429},
    {"internal", 500},     {"crashed", 500},      {"unavailable", 501},
    {"stopping", 503},     {"overloaded", 503},   {"timed_out", 504},
};

}  // namespace

thread_local Exchange* exchange = nullptr;

int StatusOfCode(const std::string& code) {
  for (const CodeRow& row : kCodes)
    if (code == row.code) return row.status;
  return 500;
}

std::string CodeOfStatus(int status) {
  for (const CodeRow& row : kCodes)
    if (status == row.status) return row.code;
  return status < 500 ? "invalid" : "internal";
}

std::string ErrorBody(const std::string& code, int status,
                      const std::string& message) {
  if (exchange != nullptr && exchange->is_paddlex)
    return Dump({{"logId", exchange->id},
                 {"errorCode", status},
                 {"errorMsg", message}});
  return Dump({{"error", message},
               {"code", code},
               {"request_id", exchange != nullptr ? exchange->id : ""}});
}

bool IsSaneId(const std::string& id) {
  return !id.empty() && id.size() <= 64 &&
         std::all_of(id.begin(), id.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                  (c >= 'A' && c <= 'Z') || c == '-' || c == '_' || c == '.';
         });
}

}  // namespace munja::server
