// The event types that AdaTrace's own traces have as dial9 streams. docs/formats/model.md explains each field.
#pragma once

#include "ada/trace/dial9/schema.h"

#include <span>

namespace ada::formats {

/// Type ids in streams that we write. Readers must go by name and fields instead.
enum class Dial9Type : uint16_t {
  Trace,
  Process,
  Thread,
  Function,
  Call,
  Return,
  Exception,
  Other,
  Detail,
  Mark,
  Value,
  ThreadEnd,
  Foreign, ///< none of them
};
inline constexpr size_t kDial9Types = static_cast<size_t>(Dial9Type::Foreign);

struct Dial9Layout {
  std::string_view name;
  std::span<const dial9::Field> fields;
  /// Streams of the first versions have this type without a time. We write one, because dial9's viewer refuses events
  /// without a time.
  bool mayLackTime = false;
  /// How many of the last fields streams of earlier versions lack.
  size_t added = 0;
};
const Dial9Layout &layoutOf(Dial9Type type);

/// Which of our types a schema is; all fields must match, except that those of Dial9Layout::added may be missing.
Dial9Type typeOf(const dial9::Schema &schema);

} // namespace ada::formats
