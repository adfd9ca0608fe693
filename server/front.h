// The HTTP side of the server: which request is answered how.
#ifndef MUNJA_SERVER_FRONT_H_
#define MUNJA_SERVER_FRONT_H_

#include <httplib.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "server/connection.h"
#include "server/contract.h"
#include "server/jobs.h"
#include "server/journal.h"
#include "server/keys.h"
#include "server/pool.h"

namespace munja::server {

class Front final : public httplib::Server {
 public:
  Front(const ServerOptions& options, const ApiKeys& keys, SSL_CTX* tls,
        Pool* pool, Jobs* jobs, Metrics* metrics);

  // Binds and returns the port; -1: errno says why not.
  int Bind();
  // Requests from now on are refused, and connections end with their answer.
  void Stop();

 private:
  using Response = httplib::Response;
  using HttpRequest = httplib::Request;

  bool process_and_close_socket(socket_t socket) override;
  void Converse(Connection* connection, const std::string& address);

  // All that can be said before the body is received; true: it is answered.
  bool Check(const HttpRequest& request, Response* response);
  bool CheckBody(const HttpRequest& request, Response* response);
  void AnswerGet(const HttpRequest& request, Response* response);
  void AnswerPost(const HttpRequest& request, Response* response,
                  const httplib::ContentReader& reader);
  void AnswerPreflight(const HttpRequest& request, Response* response);
  void SendEvents(const std::string& id, std::shared_ptr<Task> job,
                  Response* response);
  void SendResult(Task* task, Response* response);

  // False: it is answered with what is wrong.
  bool Receive(const HttpRequest& request, const httplib::ContentReader& reader,
               Task* task, std::string* language, Response* response);
  bool UnpackPaddleX(Task* task, Response* response);
  void Refuse(Response* response, const std::string& code,
              const std::string& message, int status = 0);
  std::string MetricsText();
  void Log(const HttpRequest& request, int status);

  const ServerOptions& options_;
  const ApiKeys& keys_;
  SSL_CTX* const tls_;
  Pool& pool_;
  Jobs& jobs_;
  Metrics& metrics_;
  const Contract contract_;
  std::atomic<bool> stops_ = false;
  std::atomic<size_t> body_bytes_ = 0;
  std::atomic<int> connections_ = 0;
  std::mutex mutex_;
  std::map<std::string, int> connections_of_;  // By address.
};

}  // namespace munja::server

#endif  // MUNJA_SERVER_FRONT_H_
