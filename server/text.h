// Small helpers for text.
#ifndef MUNJA_SERVER_TEXT_H_
#define MUNJA_SERVER_TEXT_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace munja::server {

using Json = nlohmann::json;

// JSON on one line; bytes that are not UTF-8 are replaced.
std::string Dump(const Json& json);

bool IsUtf8(std::string_view text);

// Hexadecimal digits of so many random bytes.
std::string RandomId(size_t bytes);

// Decodes base64 with or without padding; nothing where a character is wrong.
std::optional<std::string> DecodeBase64(std::string_view text);

// Lower case, ASCII only.
std::string Lower(std::string_view text);

// "2026-01-31T12:00:00.000Z".
std::string TimeText();

// Compares without telling by its time where texts differ.
bool SameSecret(std::string_view a, std::string_view b);

// The part behind the last slash, without control characters, at most 255
// bytes.
std::string BaseName(std::string_view path);

}  // namespace munja::server

#endif  // MUNJA_SERVER_TEXT_H_
