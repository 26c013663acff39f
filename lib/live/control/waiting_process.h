// Reads and writes the memory of a traced process that has recorded nothing: shared/control/waiting.h.
#pragma once

#include "live/control/control.h"
#include "live/control/process_files.h"
#include "shared/control/waiting.h"

#include <optional>
#include <vector>

namespace ada::control {

class WaitingProcess {
public:
  /// Finds the block of the process's runtime. Nothing if it has none, or can't be looked into; then `answer` says why.
  static std::optional<WaitingProcess> find(const ProcessFacts &process, Answer &answer);

  WaitingBlock::Process state() const;
  bool isEnabled() const;
  uint64_t functions() const;

  /// Leaves an order that the process carries out when it makes its next traced call, and waits for that. With
  /// NoAnswer the order stands. `leaseNs`: see WaitingBlock.
  Answer give(const std::string &order, uint64_t leaseNs, std::chrono::milliseconds patience);
  /// Goes on waiting for the last order.
  Answer wait(std::chrono::milliseconds patience);
  /// The order's time moves.
  void extend(uint64_t leaseNs);
  /// Takes the last order back. False if the process is carrying it out: then wait() says how that ended.
  bool withdraw();

private:
  WaitingProcess(const ProcessFacts &process, uint64_t address) : process_(process), address_(address) {}
  bool read(uint64_t from, void *to, size_t bytes) const;
  bool write(uint64_t to, const void *from, size_t bytes) const;
  template <class T> bool put(const T WaitingBlock::*member, const T &value) const;
  template <class T> T get(const T WaitingBlock::*member) const;
  std::vector<EnableRange> ranges() const;
  bool setBytes() const;

  ProcessFacts process_;
  uint64_t address_;
  uint32_t number_ = 0;
};

} // namespace ada::control
