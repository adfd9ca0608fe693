#include "transport/channel.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace munja::hal {
namespace {

constexpr uint32_t kMagic = 0x314a4e4d;

// Before the payload of each message.
struct Header {
  uint32_t magic = kMagic;
  uint16_t type = 0;
  uint16_t is_in_file = 0;  // The payload is the first file.
  uint64_t serial = 0;
  uint64_t bytes = 0;
};

// One more for the payload.
constexpr size_t kMaxDescriptors = kMaxFiles + 1;

// A file in memory with the payload.
Descriptor PayloadFile(const std::vector<uint8_t>& payload) {
  Descriptor file(memfd_create("munja-message", MFD_CLOEXEC));
  size_t done = 0;
  while (file.get() >= 0 && done < payload.size()) {
    const ssize_t written =
        write(file.get(), payload.data() + done, payload.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return Descriptor();
    done += static_cast<size_t>(written);
  }
  return file;
}

bool ReadPayloadFile(int file, std::vector<uint8_t>& payload) {
  size_t done = 0;
  while (done < payload.size()) {
    const ssize_t got = pread(file, payload.data() + done,
                              payload.size() - done, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    done += static_cast<size_t>(got);
  }
  return true;
}

Result<sockaddr_un> AddressOf(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path)
    return Unavailable("'" + path + "' is too long for the path of a socket");
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

Descriptor NewSocket() {
  return Descriptor(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
}

}  // namespace

Transfer Send(int socket, const Outgoing& message, bool wait) {
  Header header;
  header.type = static_cast<uint16_t>(message.type);
  header.serial = message.serial;
  header.bytes = message.payload.size();
  std::array<int, kMaxDescriptors> files;
  size_t file_count = 0;
  Descriptor payload_file;
  if (message.payload.size() > kInlineBytes) {
    payload_file = PayloadFile(message.payload);
    if (payload_file.get() < 0) return Transfer::kNonsense;
    header.is_in_file = 1;
    files[file_count++] = payload_file.get();
  }
  if (message.files.size() > kMaxFiles) return Transfer::kNonsense;
  for (const int file : message.files) files[file_count++] = file;
  std::array<iovec, 2> parts = {};
  parts[0] = {&header, sizeof header};
  parts[1] = {const_cast<uint8_t*>(message.payload.data()),
              message.payload.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMaxDescriptors * sizeof(int))>
      control = {};
  msghdr envelope = {};
  envelope.msg_iov = parts.data();
  envelope.msg_iovlen = header.is_in_file != 0 ? 1 : 2;
  if (file_count > 0) {
    envelope.msg_control = control.data();
    envelope.msg_controllen = CMSG_SPACE(file_count * sizeof(int));
    cmsghdr* rights = CMSG_FIRSTHDR(&envelope);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(file_count * sizeof(int));
    std::memcpy(CMSG_DATA(rights), files.data(), file_count * sizeof(int));
  }
  for (;;) {
    if (sendmsg(socket, &envelope, MSG_NOSIGNAL | (wait ? 0 : MSG_DONTWAIT)) >=
        0)
      return Transfer::kDone;
    if (errno == EINTR) continue;
    if (errno == EAGAIN || errno == ENOBUFS || errno == ETOOMANYREFS)
      return Transfer::kLater;
    // A file that is none is a fault of who calls, not of the other side.
    return errno == EBADF ? Transfer::kNonsense : Transfer::kClosed;
  }
}

Transfer Receive(int socket, uint64_t max_bytes, bool wait, Message* message) {
  Header header;
  std::array<uint8_t, kInlineBytes> inline_bytes;
  std::array<iovec, 2> parts = {};
  parts[0] = {&header, sizeof header};
  parts[1] = {inline_bytes.data(), inline_bytes.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMaxDescriptors * sizeof(int))>
      control;
  msghdr envelope = {};
  envelope.msg_iov = parts.data();
  envelope.msg_iovlen = parts.size();
  envelope.msg_control = control.data();
  envelope.msg_controllen = control.size();
  ssize_t got = 0;
  do {
    got = recvmsg(socket, &envelope,
                  MSG_CMSG_CLOEXEC | (wait ? 0 : MSG_DONTWAIT));
  } while (got < 0 && errno == EINTR);
  if (got < 0) return errno == EAGAIN ? Transfer::kLater : Transfer::kClosed;
  std::vector<Descriptor> files;
  for (cmsghdr* part = CMSG_FIRSTHDR(&envelope); part != nullptr;
       part = CMSG_NXTHDR(&envelope, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS)
      continue;
    const size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int file = -1;
      std::memcpy(&file, CMSG_DATA(part) + i * sizeof file, sizeof file);
      files.emplace_back(file);
    }
  }
  if (got == 0) return Transfer::kClosed;
  if ((envelope.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0 ||
      static_cast<size_t>(got) < sizeof header || header.magic != kMagic ||
      header.is_in_file > 1 || header.bytes > max_bytes)
    return Transfer::kNonsense;
  const size_t inline_size = static_cast<size_t>(got) - sizeof header;
  message->type = static_cast<MessageType>(header.type);
  message->serial = header.serial;
  if (header.is_in_file != 0) {
    struct stat status = {};
    // The file first: what it does not have is not allocated. Seals are of
    // files in memory only, where reading never blocks.
    if (inline_size != 0 || files.empty() ||
        fcntl(files[0].get(), F_GET_SEALS) < 0 ||
        fstat(files[0].get(), &status) != 0 || !S_ISREG(status.st_mode) ||
        static_cast<uint64_t>(status.st_size) != header.bytes)
      return Transfer::kNonsense;
    message->payload.resize(header.bytes);
    if (!ReadPayloadFile(files[0].get(), message->payload))
      return Transfer::kNonsense;
    files.erase(files.begin());
  } else {
    if (inline_size != header.bytes) return Transfer::kNonsense;
    message->payload.assign(
        inline_bytes.begin(),
        inline_bytes.begin() + static_cast<ptrdiff_t>(inline_size));
  }
  if (files.size() > kMaxFiles) return Transfer::kNonsense;
  message->files = std::move(files);
  return Transfer::kDone;
}

Result<Descriptor> ConnectTo(const std::string& path) {
  MUNJA_ASSIGN_OR_RETURN(const sockaddr_un address, AddressOf(path));
  Descriptor made = NewSocket();
  if (made.get() < 0 ||
      connect(made.get(), reinterpret_cast<const sockaddr*>(&address),
              sizeof address) != 0)
    return Unavailable(SystemMessage(path, "cannot connect", errno));
  return made;
}

Result<Descriptor> ListenAt(const std::string& path) {
  MUNJA_ASSIGN_OR_RETURN(const sockaddr_un address, AddressOf(path));
  struct stat status = {};
  if (lstat(path.c_str(), &status) == 0 && S_ISSOCK(status.st_mode) &&
      !ConnectTo(path).ok())
    unlink(path.c_str());
  Descriptor made = NewSocket();
  if (made.get() < 0 ||
      // Permissions set before bind() hold from the first moment on.
      fchmod(made.get(), S_IRUSR | S_IWUSR) != 0 ||
      bind(made.get(), reinterpret_cast<const sockaddr*>(&address),
           sizeof address) != 0 ||
      listen(made.get(), SOMAXCONN) != 0)
    return Unavailable(SystemMessage(path, "cannot listen", errno));
  return made;
}

}  // namespace munja::hal
