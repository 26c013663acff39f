// Finds the block of a waiting process by its magic.
#include "live/control/waiting_process.h"

#include "trace/base/boot_time.h"
#include "trace/base/file_descriptor.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <fstream>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <thread>

#include <ada/abi.h>

namespace ada::control {

namespace {

using What = Answer::What;
using Clock = std::chrono::steady_clock;

bool move(bool isWrite, pid_t pid, uint64_t there, void *here, size_t bytes) {
  const iovec local = {here, bytes};
  const iovec remote = {reinterpret_cast<void *>(there), bytes};
  const ssize_t n =
      isWrite ? process_vm_writev(pid, &local, 1, &remote, 1, 0) : process_vm_readv(pid, &local, 1, &remote, 1, 0);
  return n == static_cast<ssize_t>(bytes);
}

// The address of the block in a mapping; 0 if it is not there.
uint64_t findIn(pid_t pid, const Mapping &mapping) {
  constexpr size_t kStep = 1 << 20, kAlign = alignof(WaitingBlock);
  std::vector<char> bytes;
  for (uint64_t at = mapping.begin; at < mapping.end; at += kStep) {
    bytes.resize(std::min<uint64_t>(kStep, mapping.end - at));
    if (!move(false, pid, at, bytes.data(), bytes.size()))
      return 0;
    for (size_t i = 0; i + sizeof kWaitingMagic <= bytes.size(); i += kAlign)
      if (std::memcmp(bytes.data() + i, kWaitingMagic, sizeof kWaitingMagic) == 0)
        return at + i;
  }
  return 0;
}

// The right to write to a process's block, for one controller at a time. It is a name that the kernel gives to one
// socket only, and takes back when its owner ends, however that happens.
class WriteLock {
public:
  WriteLock(pid_t pid, Clock::time_point until) : socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un name = {};
    name.sun_family = AF_UNIX;
    const std::string text = "adatrace-control-" + std::to_string(pid);
    std::memcpy(name.sun_path + 1, text.data(), text.size()); // after a NUL: not a file
    const auto bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
    while (!(isOurs_ = ::bind(socket_.get(), reinterpret_cast<const sockaddr *>(&name), bytes) == 0) &&
           errno == EADDRINUSE && Clock::now() < until)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  explicit operator bool() const { return isOurs_; }

private:
  FileDescriptor socket_;
  bool isOurs_ = false;
};

// Why the kernel does not let us look into a process.
Answer refusal(const ProcessFacts &process, int error) {
  const std::string who = named(process.pid);
  if (error == ESRCH)
    return {What::NoProcess, "there is no " + who};
  std::string scope;
  std::getline(std::ifstream("/proc/sys/kernel/yama/ptrace_scope"), scope);
  const bool isYama = !scope.empty() && scope != "0";
  return {What::NotReadable, who + " has recorded nothing, and the system does not let us write to its memory (" +
                                 (process.owner != geteuid() ? "it belongs to another user"
                                  : isYama                   ? "kernel.yama.ptrace_scope is " + scope
                                                             : "it is protected, or this is a sandbox") +
                                 "): use adatrace as root, or start the program with ADA_OPTIONS=control=1"};
}

} // namespace

bool WaitingProcess::read(uint64_t from, void *to, size_t bytes) const {
  return move(false, process_.pid, from, to, bytes);
}

bool WaitingProcess::write(uint64_t to, const void *from, size_t bytes) const {
  return move(true, process_.pid, to, const_cast<void *>(from), bytes);
}

template <class T> bool WaitingProcess::put(const T WaitingBlock::*member, const T &value) const {
  static const WaitingBlock kBlock = {};
  const auto offset = reinterpret_cast<const char *>(&(kBlock.*member)) - reinterpret_cast<const char *>(&kBlock);
  return write(address_ + static_cast<uint64_t>(offset), &value, sizeof value);
}

template <class T> T WaitingProcess::get(const T WaitingBlock::*member) const {
  static const WaitingBlock kBlock = {};
  const auto offset = reinterpret_cast<const char *>(&(kBlock.*member)) - reinterpret_cast<const char *>(&kBlock);
  T value = {};
  read(address_ + static_cast<uint64_t>(offset), &value, sizeof value);
  return value;
}

std::optional<WaitingProcess> WaitingProcess::find(const ProcessFacts &process, Answer &answer) {
  int error = 0;
  std::vector<Mapping> mappings = mappingsOf(process.pid, error);
  std::erase_if(mappings, [](const Mapping &mapping) {
    return !mapping.isWritable || mapping.isShared || !mapping.path.starts_with('/');
  });
  // Most programs have the runtime in its own library, or in the executable, which comes first.
  std::stable_partition(mappings.begin(), mappings.end(),
                        [](const Mapping &mapping) { return mapping.path.find("libAdaRuntime") != std::string::npos; });
  char byte;
  errno = 0;
  if (!mappings.empty() && !move(false, process.pid, mappings[0].begin, &byte, 1)) {
    answer = refusal(process, errno);
    return std::nullopt;
  }
  std::optional<WaitingProcess> best;
  for (const Mapping &mapping : mappings) {
    const uint64_t address = findIn(process.pid, mapping);
    if (!address)
      continue;
    WaitingProcess found(process, address);
    const std::string who = named(process.pid);
    if (const uint32_t abi = found.get(&WaitingBlock::abi);
        abi != ADA_ABI_VERSION || found.get(&WaitingBlock::version) != WaitingBlock::kVersion) {
      answer = {What::OtherVersion, who + " has a runtime of another release (ABI " + std::to_string(abi) +
                                        "): use the adatrace of the same release"};
      return std::nullopt;
    }
    if (found.state() == WaitingBlock::Waits)
      return found;
    best = found; // of two runtimes, one may not be in use
  }
  if (!best)
    answer = {What::NotTraced, named(process.pid) + " was not built with the AdaTrace plugin"};
  return best;
}

WaitingBlock::Process WaitingProcess::state() const {
  return static_cast<WaitingBlock::Process>(get(&WaitingBlock::process));
}

bool WaitingProcess::isEnabled() const { return get(&WaitingBlock::isEnabled) != 0; }

std::vector<EnableRange> WaitingProcess::ranges() const {
  std::vector<EnableRange> ranges(std::min(get(&WaitingBlock::rangeCount), WaitingBlock::kMaxRanges));
  const uint64_t at = get(&WaitingBlock::ranges);
  if (at == 0 || ranges.empty() || !read(at, ranges.data(), ranges.size() * sizeof(EnableRange)))
    return {};
  std::erase_if(ranges, [](const EnableRange &range) {
    return range.begin == 0 || range.begin >= range.end || range.stride == 0;
  });
  return ranges;
}

uint64_t WaitingProcess::functions() const {
  uint64_t count = 0;
  for (const EnableRange &range : ranges())
    count += (range.end - range.begin) / range.stride;
  return count;
}

bool WaitingProcess::setBytes() const {
  bool isDone = false;
  for (const EnableRange &range : ranges()) {
    const std::vector<char> ones((range.end - range.begin) / range.stride, ADA_ENABLE_INDEX);
    std::vector<iovec> remote;
    for (uint64_t at = range.begin; range.stride > 1 && at < range.end; at += range.stride)
      remote.push_back({reinterpret_cast<void *>(at), 1});
    if (range.stride == 1)
      isDone |= write(range.begin, ones.data(), ones.size());
    for (size_t i = 0; i < remote.size(); i += IOV_MAX) {
      const size_t n = std::min<size_t>(IOV_MAX, remote.size() - i);
      const iovec local = {const_cast<char *>(ones.data()), n};
      isDone |= process_vm_writev(process_.pid, &local, 1, &remote[i], n, 0) > 0;
    }
  }
  return isDone;
}

Answer WaitingProcess::give(const std::string &order, uint64_t leaseNs, std::chrono::milliseconds patience) {
  const std::string who = named(process_.pid);
  if (order.size() >= sizeof(WaitingBlock::text))
    return {What::Refused, "the options are too long: an order has at most 8 KiB"};
  std::optional<WriteLock> lock(std::in_place, process_.pid, Clock::now() + kPatience);
  if (!*lock)
    return {What::NoAnswer, "another adatrace has been giving " + who + " an order for 2 s"};
  const std::vector<char> text(order.c_str(), order.c_str() + order.size() + 1);
  number_ = get(&WaitingBlock::number) + 1;
  if (number_ == 0)
    number_ = 1;
  const bool isWritten = put(&WaitingBlock::isBusy, 1U) && put(&WaitingBlock::askedNs, bootTimeNs()) &&
                         put(&WaitingBlock::state, static_cast<uint32_t>(WaitingBlock::Writing)) &&
                         write(address_ + offsetof(WaitingBlock, text), text.data(), text.size()) &&
                         put(&WaitingBlock::number, number_) && put(&WaitingBlock::leaseNs, leaseNs) &&
                         put(&WaitingBlock::forPid, static_cast<uint32_t>(process_.ownPid));
  const bool hasBytes = isWritten && (order == "stop" || setBytes());
  const bool isGiven = hasBytes && put(&WaitingBlock::state, static_cast<uint32_t>(WaitingBlock::Ready)) &&
                       put(&WaitingBlock::isBusy, 0U);
  if (isGiven) {
    lock.reset();
    return wait(patience);
  }
  const int error = errno;
  put(&WaitingBlock::state, static_cast<uint32_t>(WaitingBlock::None));
  put(&WaitingBlock::isBusy, 0U);
  if (isWritten && !hasBytes)
    return {What::NotTraced, who + " has no instrumented function that could begin to record"};
  return refusal(process_, error);
}

Answer WaitingProcess::wait(std::chrono::milliseconds patience) {
  const std::string who = named(process_.pid);
  for (const Clock::time_point until = Clock::now() + patience;;) {
    if (get(&WaitingBlock::done) == number_) {
      Answer answer;
      answer.matched = get(&WaitingBlock::result);
      std::string text(sizeof(WaitingBlock::answer), '\0');
      read(address_ + offsetof(WaitingBlock, answer), text.data(), text.size());
      answer.text = text.c_str();
      if (answer.matched < 0)
        return {What::Refused, who + ": " + answer.text};
      return answer;
    }
    const std::optional<ProcessFacts> facts = factsOf(process_.pid);
    if (!facts || facts->isOver())
      return {What::NoProcess, who + " has ended"};
    if (Clock::now() >= until)
      return {What::NoAnswer,
              who + (facts->isStopped() ? " is stopped; it begins to record with its next traced call"
                                        : " has made no traced call yet; it begins to record with its next one")};
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

void WaitingProcess::extend(uint64_t leaseNs) { put(&WaitingBlock::leaseNs, leaseNs); }

bool WaitingProcess::withdraw() {
  put(&WaitingBlock::withdrawn, number_);
  return get(&WaitingBlock::taken) != number_;
}

} // namespace ada::control
