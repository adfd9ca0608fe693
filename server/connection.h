// A client's connection, with limits that the HTTP library lacks: of the size
// of a request's head, of its time, of a client that sends or reads slowly.
#ifndef MUNJA_SERVER_CONNECTION_H_
#define MUNJA_SERVER_CONNECTION_H_

#include <httplib.h>
#include <openssl/ssl.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "server/frames.h"
#include "server/server.h"

namespace munja::server {

// Why a request is refused before it is looked at.
struct HeadProblem {
  int status = 0;  // 0: it is right.
  std::string message;
};

// Checks the lines of a head, the empty one at its end included, and takes out
// of it headers that the HTTP library must not see. Sets the length of the body
// (-1: in chunks).
HeadProblem CheckHead(std::string* head, int64_t* body_size);

class Connection final : public httplib::Stream {
 public:
  Connection(int socket, SSL_CTX* tls, const Limits& limits);
  ~Connection() override;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  bool Handshake();
  // Waits for the first byte of a request; false: none came in time, or the
  // server is stopping.
  bool WaitForRequest(const std::atomic<bool>& stops);
  // Status 400 without a message: the client is gone.
  HeadProblem ReadHead();
  // For requests that never reach the HTTP library.
  void SendError(int status, const std::string& reason,
                 const std::string& headers, const std::string& body);
  // By the one who has read a body in chunks to its end.
  void SetBodyDone() { is_body_done_ = true; }
  bool HasUnreadBody() const;
  bool IsTimedOut() const { return is_timed_out_; }
  bool IsClientGone() const;
  uint64_t body_bytes() const { return body_read_; }
  uint64_t sent_bytes() const { return sent_; }
  // Ends it so that what was sent arrives, even where more is being received.
  void Close();

  bool is_readable() const override { return true; }
  bool is_writable() const override { return !is_broken_; }
  ssize_t read(char* bytes, size_t size) override;
  ssize_t write(const char* bytes, size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  socket_t socket() const override { return socket_; }

 private:
  // Bytes, 0 at the end, or -1.
  ssize_t Receive(char* bytes, size_t size, Clock::time_point deadline);
  bool Wait(short events, Clock::time_point deadline);

  const int socket_;
  const Limits& limits_;
  SSL* tls_ = nullptr;
  std::string buffer_;  // Received, not yet read: from `position_` on.
  size_t position_ = 0, head_left_ = 0;
  int64_t body_size_ = 0;
  uint64_t body_read_ = 0, sent_ = 0;
  Clock::time_point upload_deadline_;
  Clock::duration blocked_ = {};
  bool is_body_done_ = false, is_timed_out_ = false, is_broken_ = false;
};

}  // namespace munja::server

#endif  // MUNJA_SERVER_CONNECTION_H_
