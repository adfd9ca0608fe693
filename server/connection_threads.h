// The threads that converse with clients.
#ifndef MUNJA_SERVER_CONNECTION_THREADS_H_
#define MUNJA_SERVER_CONNECTION_THREADS_H_

#include <httplib.h>

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace munja::server {

// A thread for each connection, kept for later ones. Front counts connections
// and refuses those above its number.
class ConnectionThreads final : public httplib::TaskQueue {
 public:
  void enqueue(std::function<void()> work) override;
  void shutdown() override;

 private:
  void Main();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> work_;
  std::vector<std::thread> threads_;
  size_t idle_ = 0;
  bool is_ended_ = false;
};

}  // namespace munja::server

#endif  // MUNJA_SERVER_CONNECTION_THREADS_H_
