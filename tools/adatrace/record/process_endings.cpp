// Reads the messages of the process events connector (linux/cn_proc.h).
#include "process_endings.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/netlink.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ada::cli {

namespace {

constexpr size_t kBefore = sizeof(nlmsghdr) + sizeof(cn_msg);     // what a message begins with
constexpr uint32_t kExit = 0x80000000, kNonzeroExit = 0x20000000; // proc_event::what; the second is since Linux 6.6

// Asks for messages, for those that are wanted or for all. Before Linux 6.6 only root may ask, and the kernel passes
// over a message that names the wanted ones.
bool subscribe(int fd, bool isFiltered) {
  const uint32_t wanted[] = {PROC_CN_MCAST_LISTEN, kNonzeroExit};
  const size_t wantedBytes = isFiltered ? sizeof wanted : sizeof wanted[0];
  nlmsghdr netlink = {};
  cn_msg connector = {};
  netlink.nlmsg_len = static_cast<uint32_t>(kBefore + wantedBytes), netlink.nlmsg_type = NLMSG_DONE;
  connector.id = {CN_IDX_PROC, CN_VAL_PROC}, connector.len = static_cast<uint16_t>(wantedBytes);
  char message[kBefore + sizeof wanted];
  std::memcpy(message, &netlink, sizeof netlink);
  std::memcpy(message + sizeof netlink, &connector, sizeof connector);
  std::memcpy(message + kBefore, wanted, wantedBytes);
  return ::send(fd, message, netlink.nlmsg_len, 0) == static_cast<ssize_t>(netlink.nlmsg_len);
}

FileDescriptor openConnector() {
  FileDescriptor fd(::socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_CONNECTOR));
  sockaddr_nl address = {};
  address.nl_family = AF_NETLINK, address.nl_groups = CN_IDX_PROC;
  if (!fd || ::bind(fd.get(), reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0)
    return {};
  const int room = 4 << 20; // of the kernel's; it gives as much as it likes
  ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
  return subscribe(fd.get(), false) && subscribe(fd.get(), true) ? std::move(fd) : FileDescriptor();
}

// The kernel's times are of CLOCK_MONOTONIC.
uint64_t realTimeOf(uint64_t monotonicNs) {
  const auto nanoseconds = [](auto time) {
    return static_cast<uint64_t>(std::chrono::nanoseconds(time.time_since_epoch()).count());
  };
  return nanoseconds(std::chrono::system_clock::now()) - nanoseconds(std::chrono::steady_clock::now()) + monotonicNs;
}

} // namespace

ProcessEndings::ProcessEndings() : socket_(openConnector()), stop_(::eventfd(0, EFD_CLOEXEC)) {
  if (!socket_ || !stop_)
    return;
  sigset_t all, before; // signals are for the thread that waits for the program
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  listener_ = std::thread([this] { listen(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

ProcessEndings::~ProcessEndings() { stop(); }

void ProcessEndings::stop() {
  if (!listener_.joinable())
    return;
  const uint64_t one = 1;
  (void)!::write(stop_.get(), &one, sizeof one);
  listener_.join();
  take(); // a process's end is told before its parent knows
}

void ProcessEndings::listen() {
  pollfd waited[2] = {{socket_.get(), POLLIN, 0}, {stop_.get(), POLLIN, 0}};
  while (::poll(waited, 2, -1) > 0 && !waited[1].revents)
    take();
}

void ProcessEndings::take() {
  alignas(nlmsghdr) char buffer[4096];
  for (;;) {
    const ssize_t bytes = ::recv(socket_.get(), buffer, sizeof buffer, 0);
    if (bytes < 0 && (errno == EINTR || errno == ENOBUFS)) // after ENOBUFS some are unknown
      continue;
    if (bytes <= 0)
      return;
    proc_event event;
    if (static_cast<size_t>(bytes) < kBefore + sizeof event)
      continue;
    std::memcpy(&event, buffer + kBefore, sizeof event);
    const auto &exit = event.event_data.exit;
    const int status = static_cast<int>(exit.exit_code);
    const bool isOfLeader = exit.process_pid == exit.process_tgid;
    if (static_cast<uint32_t>(event.what) != kExit || (!isOfLeader && !WIFSIGNALED(status)))
      continue;
    const Seen seen = {{status, realTimeOf(event.timestamp_ns)}, exit.parent_tgid, isOfLeader, true};
    const auto [at, isNew] = seen_.emplace(exit.process_tgid, seen);
    if (isNew)
      continue;
    const bool isOther = at->second.isOfLeader && isOfLeader;
    if (isOfLeader)
      at->second = seen;
    at->second.isUnique &= !isOther;
  }
}

// In a container with process numbers of its own, another process of the machine can have the same number, but it
// hardly has the same parent. A process whose parent has ended has another one.
std::optional<ProcessEndings::Ending> ProcessEndings::of(const Manifest &manifest) const {
  const auto at = seen_.find(static_cast<pid_t>(manifest.pid.value_or(0)));
  if (at == seen_.end() || !at->second.isUnique)
    return {};
  const pid_t parent = at->second.parent;
  return parent == static_cast<pid_t>(manifest.ppid.value_or(0)) || parent == 1 ? std::optional(at->second.ending)
                                                                                : std::nullopt;
}

} // namespace ada::cli
