// The request that a thread is answering, and the errors that are answers.
#ifndef MUNJA_SERVER_EXCHANGE_H_
#define MUNJA_SERVER_EXCHANGE_H_

#include <string>

#include "server/connection.h"
#include "server/contract.h"
#include "server/text.h"

namespace munja::server {

// Belongs to one request.
struct Exchange {
  Connection* connection = nullptr;
  std::string address;
  std::string id = RandomId(8);
  Clock::time_point start = Clock::now();
  Found found;
  std::string route = "other";
  Json options;
  std::string client, owner;  // Who takes turns; who owns jobs.
  bool is_checked = false, is_answered = false, is_paddlex = false;
  int status = 0, pages = 0;
  std::string code;
};

// Points to the one of this thread; null between requests.
extern thread_local Exchange* exchange;

// The status of an error of the interface, and the code of one that has a
// status only.
int StatusOfCode(const std::string& code);
std::string CodeOfStatus(int status);

// The body of an error; PaddleX's clients expect other names.
std::string ErrorBody(const std::string& code, int status,
                      const std::string& message);

// Whether a text of a client may stand in headers and the log.
bool IsSaneId(const std::string& id);

}  // namespace munja::server

#endif  // MUNJA_SERVER_EXCHANGE_H_
