// The event types that a file has defined so far, by wire id.
#pragma once

#include "ada/trace/wtf/format.h"

#include <array>
#include <deque>
#include <memory>

namespace ada::wtf {

/// Has two levels, so that a file with one type of a high number costs 2 KiB instead of 512 KiB.
class TypeTable {
public:
  TypeTable();

  /// The type with this number, or null.
  const EventType *find(uint32_t wireId) const {
    if (wireId > 0xFFFF || !pages_[wireId >> 8])
      return nullptr;
    return (*pages_[wireId >> 8])[wireId & 0xFF];
  }

  struct Defined {
    const EventType *type;
    bool isNew;
    /// Code and message of a flaw that does not prevent the definition; null if there is no flaw.
    const char *warning = nullptr;
    std::string message = {};
  };
  /// Takes a definition. The same one again is ignored; a different one replaces the old one.
  Expected<Defined> define(uint16_t wireId, uint16_t eventClass, uint32_t flags, std::string name, std::string args,
                           Dialect dialect);

private:
  using Page = std::array<const EventType *, 256>;
  void set(uint16_t wireId, const EventType *type);

  std::array<std::unique_ptr<Page>, 256> pages_;
  std::deque<EventType> types_; // includes replaced types, because visitors may hold on to them
};

} // namespace ada::wtf
