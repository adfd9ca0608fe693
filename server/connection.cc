#include "server/connection.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <string_view>

namespace munja::server {
namespace {

constexpr size_t kMaxHeadBytes = 32u << 10, kMaxHeaderLine = 8000;
constexpr size_t kMaxTarget = 8000, kMaxHeaders = 100;
constexpr double kHeadSeconds = 10, kIdleSeconds = 15, kStallSeconds = 15;
// A client may let the server wait so long for room to write, and a second
// longer for each of these bytes that it has read.
constexpr double kBlockedSeconds = 30;
constexpr uint64_t kSlowestRead = 4096;
// So much of a body that nothing reads is received after the answer, so that
// clients who send first and read later get it.
constexpr size_t kLingerBytes = 16u << 20;
constexpr double kLingerSeconds = 3;

bool IsToken(std::string_view text) {
  if (text.empty()) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) !=
               std::string_view::npos;
  });
}

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
    text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
    text.remove_suffix(1);
  return text;
}

bool HasRightEscapes(std::string_view target) {
  const auto is_hex = [&](size_t i) {
    return i < target.size() &&
           std::isxdigit(static_cast<unsigned char>(target[i])) != 0;
  };
  for (size_t i = 0; i < target.size(); ++i)
    if (target[i] == '%' && (!is_hex(i + 1) || !is_hex(i + 2))) return false;
  return true;
}

bool IsKnownMethod(std::string_view method) {
  static constexpr std::string_view kKnown[] = {
      "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"};
  return std::find(std::begin(kKnown), std::end(kKnown), method) !=
         std::end(kKnown);
}

HeadProblem CheckRequestLine(std::string_view line) {
  const size_t first = line.find(' '), last = line.rfind(' ');
  if (first == line.npos || first == last)
    return {400, "the first line is not 'METHOD TARGET HTTP/1.1'"};
  const std::string_view method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  if (!IsToken(method)) return {400, "the method is no word"};
  if (target.size() > kMaxTarget) return {414, "the target is too long"};
  if (version != "HTTP/1.1" && version != "HTTP/1.0")
    return {version.starts_with("HTTP/") ? 505 : 400,
            "the version is not HTTP/1.0 or HTTP/1.1"};
  if (!target.starts_with('/') || target.find(' ') != target.npos ||
      !HasRightEscapes(target))
    return {400, "the target is not a path with an optional query"};
  return {};
}

}  // namespace

HeadProblem CheckHead(std::string* head, int64_t* body_size) {
  *body_size = 0;
  std::string kept;
  std::string_view rest = *head;
  size_t count = 0;
  bool has_length = false, has_chunks = false, has_host = false;
  while (!rest.empty()) {
    const size_t end = rest.find("\r\n");
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end + 2);
    for (const char c : line)
      if ((static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f)
        return {400, "the head has a control character"};
    if (count++ == 0) {
      if (HeadProblem problem = CheckRequestLine(line); problem.status != 0)
        return problem;
      // The HTTP library refuses methods that it does not know without a look
      // at the path. No path has PATCH, so that it stands for all of them.
      kept += (IsKnownMethod(line.substr(0, line.find(' ')))
                   ? std::string(line)
                   : "PATCH" + std::string(line.substr(line.find(' ')))) +
              "\r\n";
      continue;
    }
    if (line.empty()) break;
    if (count > kMaxHeaders) return {431, "there are too many headers"};
    if (line.size() > kMaxHeaderLine) return {431, "a header is too long"};
    const size_t colon = line.find(':');
    if (colon == line.npos || !IsToken(line.substr(0, colon)))
      return {400, "a header is not 'Name: value'"};
    const std::string name = Lower(line.substr(0, colon));
    const std::string_view value = Trimmed(line.substr(colon + 1));
    if (name == "host") {
      if (has_host) return {400, "there are two headers Host"};
      has_host = true;
    } else if (name == "content-length") {
      if (has_length || value.empty() || value.size() > 18 ||
          !std::all_of(value.begin(), value.end(),
                       [](char c) { return c >= '0' && c <= '9'; }))
        return {400, "Content-Length is not one number"};
      has_length = true;
      *body_size = std::stoll(std::string(value));
    } else if (name == "transfer-encoding") {
      if (has_chunks || Lower(value) != "chunked")
        return {501, "Transfer-Encoding is not 'chunked'"};
      has_chunks = true;
    } else if (name == "expect" && Lower(value) != "100-continue") {
      return {417, "Expect is not '100-continue'"};
    } else if (name == "range" || name == "accept-encoding") {
      // Results are sent whole and as they are.
      continue;
    }
    kept += std::string(line) + "\r\n";
  }
  if (has_length && has_chunks)
    return {400, "there are both Content-Length and Transfer-Encoding"};
  if (!has_host && kept.find(" HTTP/1.1\r\n") != kept.npos)
    return {400, "the header Host is missing"};
  if (has_chunks) *body_size = -1;
  *head = kept + "\r\n";
  return {};
}

Connection::Connection(int socket, SSL_CTX* tls, const Limits& limits)
    : socket_(socket), limits_(limits) {
  ::fcntl(socket, F_SETFD, FD_CLOEXEC);
  ::fcntl(socket, F_SETFL, ::fcntl(socket, F_GETFL) | O_NONBLOCK);
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (tls == nullptr) return;
  tls_ = ::SSL_new(tls);
  if (tls_ != nullptr) ::SSL_set_fd(tls_, socket);
  is_broken_ = tls_ == nullptr;
}

Connection::~Connection() { ::SSL_free(tls_); }

bool Connection::Wait(short events, Clock::time_point deadline) {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
                          deadline - Clock::now())
                          .count();
    if (left <= 0) return false;
    pollfd wait = {socket_, events, 0};
    const int found =
        ::poll(&wait, 1, static_cast<int>(std::min<int64_t>(left, 60000)));
    if (found > 0) return true;
    if (found < 0 && errno != EINTR) return false;
  }
}

bool Connection::Handshake() {
  if (tls_ == nullptr) return !is_broken_;
  const Clock::time_point deadline = Clock::now() + Seconds(kHeadSeconds);
  for (;;) {
    ::ERR_clear_error();
    const int result = ::SSL_accept(tls_);
    if (result == 1) return true;
    const int error = ::SSL_get_error(tls_, result);
    if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE)
      return false;
    if (!Wait(error == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT, deadline))
      return false;
  }
}

ssize_t Connection::Receive(char* bytes, size_t size,
                            Clock::time_point deadline) {
  for (;;) {
    short awaited = POLLIN;
    if (tls_ != nullptr) {
      ::ERR_clear_error();
      const int got = ::SSL_read(
          tls_, bytes, static_cast<int>(std::min<size_t>(size, 1 << 30)));
      if (got > 0) return got;
      const int error = ::SSL_get_error(tls_, got);
      if (error == SSL_ERROR_ZERO_RETURN) return 0;
      if (error == SSL_ERROR_WANT_WRITE)
        awaited = POLLOUT;
      else if (error != SSL_ERROR_WANT_READ)
        return -1;
    } else {
      const ssize_t got = ::recv(socket_, bytes, size, 0);
      if (got >= 0) return got;
      if (errno == EINTR) continue;
      if (errno != EAGAIN && errno != EWOULDBLOCK) return -1;
    }
    if (!Wait(awaited, deadline)) {
      is_timed_out_ = true;
      return -1;
    }
  }
}

bool Connection::WaitForRequest(const std::atomic<bool>& stops) {
  buffer_.erase(0, position_);
  position_ = 0;
  if (!buffer_.empty() || (tls_ != nullptr && ::SSL_pending(tls_) > 0))
    return true;
  const Clock::time_point deadline = Clock::now() + Seconds(kIdleSeconds);
  while (!stops && Clock::now() < deadline)
    if (Wait(POLLIN, std::min(deadline, Clock::now() + Seconds(0.25))))
      return true;
  return false;
}

HeadProblem Connection::ReadHead() {
  const Clock::time_point deadline = Clock::now() + Seconds(kHeadSeconds);
  is_body_done_ = is_timed_out_ = false;
  body_read_ = sent_ = 0;
  blocked_ = {};
  size_t end = 0;
  for (;;) {
    // Empty lines before a request are allowed.
    while (buffer_.starts_with("\r\n")) buffer_.erase(0, 2);
    end = buffer_.find("\r\n\r\n");
    if (end != buffer_.npos && end <= kMaxHeadBytes) break;
    if (buffer_.size() > kMaxHeadBytes) {
      // In a long first line it is the target.
      const size_t line = buffer_.find("\r\n");
      if (line > kMaxTarget + 100) return {414, "the target is too long"};
      return {431, "the headers are too long"};
    }
    char block[8192];
    const ssize_t got = Receive(block, sizeof block, deadline);
    if (got <= 0 && is_timed_out_ && !buffer_.empty())
      return {408, "the headers did not come in time"};
    if (got <= 0) return {400, ""};
    buffer_.append(block, static_cast<size_t>(got));
  }
  std::string head = buffer_.substr(0, end + 4);
  buffer_.erase(0, end + 4);
  HeadProblem problem = CheckHead(&head, &body_size_);
  if (problem.status != 0) {
    body_size_ = -1;  // Not known: what follows is not read.
    return problem;
  }
  head_left_ = head.size();
  buffer_.insert(0, head);
  upload_deadline_ = Clock::now() + Seconds(limits_.upload_seconds);
  return {};
}

ssize_t Connection::read(char* bytes, size_t size) {
  if (position_ < buffer_.size()) {
    const size_t taken = std::min(size, buffer_.size() - position_);
    std::memcpy(bytes, buffer_.data() + position_, taken);
    position_ += taken;
    const size_t of_head = std::min(taken, head_left_);
    head_left_ -= of_head;
    body_read_ += taken - of_head;
    if (position_ == buffer_.size()) {
      buffer_.clear();
      position_ = 0;
    }
    return static_cast<ssize_t>(taken);
  }
  // Chunks may be small and have notes, but not without a limit.
  if (body_size_ < 0 &&
      body_read_ > limits_.max_body + limits_.max_body / 8 + (64u << 10))
    return -1;
  const ssize_t got = Receive(
      bytes, size,
      std::min(upload_deadline_, Clock::now() + Seconds(kStallSeconds)));
  if (got > 0) body_read_ += static_cast<uint64_t>(got);
  return got;
}

ssize_t Connection::write(const char* bytes, size_t size) {
  size_t done = 0;
  while (done < size && !is_broken_) {
    short awaited = POLLOUT;
    if (tls_ != nullptr) {
      ::ERR_clear_error();
      const int sent =
          ::SSL_write(tls_, bytes + done,
                      static_cast<int>(std::min<size_t>(size - done, 1 << 30)));
      if (sent > 0) {
        done += static_cast<size_t>(sent);
        continue;
      }
      const int error = ::SSL_get_error(tls_, sent);
      if (error == SSL_ERROR_WANT_READ)
        awaited = POLLIN;
      else if (error != SSL_ERROR_WANT_WRITE)
        is_broken_ = true;
    } else {
      const ssize_t sent =
          ::send(socket_, bytes + done, size - done, MSG_NOSIGNAL);
      if (sent > 0) {
        done += static_cast<size_t>(sent);
        continue;
      }
      if (errno == EINTR) continue;
      if (errno != EAGAIN && errno != EWOULDBLOCK) is_broken_ = true;
    }
    if (is_broken_) break;
    const Clock::time_point before = Clock::now();
    const Clock::duration most =
        Seconds(kBlockedSeconds +
                static_cast<double>((sent_ + done) / kSlowestRead)) -
        blocked_;
    if (!Wait(awaited, before + std::min(most, Seconds(kStallSeconds))))
      is_broken_ = true;
    blocked_ += Clock::now() - before;
  }
  sent_ += done;
  return is_broken_ ? -1 : static_cast<ssize_t>(done);
}

void Connection::SendError(int status, const std::string& reason,
                           const std::string& headers,
                           const std::string& body) {
  const std::string text =
      "HTTP/1.1 " + std::to_string(status) + " " + reason + "\r\n" + headers +
      "Content-Type: application/json\r\nConnection: close\r\n"
      "Content-Length: " +
      std::to_string(body.size()) + "\r\n\r\n" + body;
  write(text.data(), text.size());
}

bool Connection::HasUnreadBody() const {
  if (body_size_ < 0) return !is_body_done_;
  return body_read_ < static_cast<uint64_t>(body_size_);
}

bool Connection::IsClientGone() const {
  pollfd wait = {socket_, POLLRDHUP, 0};
  return ::poll(&wait, 1, 0) > 0;
}

void Connection::Close() {
  if (tls_ != nullptr && !is_broken_) ::SSL_shutdown(tls_);
  ::shutdown(socket_, SHUT_WR);
  if (HasUnreadBody() && !is_broken_) {
    const Clock::time_point deadline = Clock::now() + Seconds(kLingerSeconds);
    char block[16384];
    for (size_t all = 0; all < kLingerBytes && Wait(POLLIN, deadline);) {
      const ssize_t got = ::recv(socket_, block, sizeof block, 0);
      if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) break;
      if (got > 0) all += static_cast<size_t>(got);
    }
  }
  ::close(socket_);
}

void Connection::get_remote_ip_and_port(std::string& ip, int& port) const {
  sockaddr_storage address = {};
  socklen_t size = sizeof address;
  char text[INET6_ADDRSTRLEN] = "";
  if (::getpeername(socket_, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    return;
  if (address.ss_family == AF_INET) {
    const auto* const v4 = reinterpret_cast<const sockaddr_in*>(&address);
    ::inet_ntop(AF_INET, &v4->sin_addr, text, sizeof text);
    port = ntohs(v4->sin_port);
  } else if (address.ss_family == AF_INET6) {
    const auto* const v6 = reinterpret_cast<const sockaddr_in6*>(&address);
    ::inet_ntop(AF_INET6, &v6->sin6_addr, text, sizeof text);
    port = ntohs(v6->sin6_port);
  }
  ip = text;
}

void Connection::get_local_ip_and_port(std::string& ip, int& port) const {
  ip.clear();
  port = 0;
}

}  // namespace munja::server
