// How children of this library begin.
#ifndef MUNJA_BASE_SPAWN_H_
#define MUNJA_BASE_SPAWN_H_

#include <spawn.h>
#include <sys/types.h>

#include <string>
#include <vector>

namespace munja {

// A program that is about to start: in a process group of its own, so that
// Ctrl-C is for the program that starts it, with no signal blocked or ignored,
// and with the files named here. One caller at a time.
class Spawn {
 public:
  Spawn();
  ~Spawn();
  Spawn(const Spawn&) = delete;
  Spawn& operator=(const Spawn&) = delete;

  // Files of the child, taken in the order of these calls.
  void Open(const char* path, int flags, int as);
  void Give(int file, int as);

  // Starts command[0], which PATH finds, without our files above `last_file`.
  // 0, or the number of an error as errno has them.
  int Start(const std::vector<std::string>& command, int last_file, pid_t* id);

 private:
  posix_spawn_file_actions_t files_;
  posix_spawnattr_t attributes_;
};

}  // namespace munja

#endif  // MUNJA_BASE_SPAWN_H_
