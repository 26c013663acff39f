// The event types that AdaTrace's own traces have as dial9 streams; what each field means is in docs/formats/model.md.
#ifndef ADA_LIB_MODEL_CONVERT_DIAL9_SCHEMAS_H
#define ADA_LIB_MODEL_CONVERT_DIAL9_SCHEMAS_H

#include "ada/trace/dial9/schema.h"

#include <span>

namespace ada::model {

/// Type ids in streams that we write; readers go by name and fields.
enum class Dial9Type : std::uint16_t {
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
inline constexpr std::size_t kDial9Types = static_cast<std::size_t>(Dial9Type::Foreign);

struct Dial9Layout {
  std::string_view name;
  std::span<const dial9::Field> fields;
  /// Streams of the first versions have it without a time. Written is a time: dial9's viewer refuses events without.
  bool mayLackTime = false;
};
const Dial9Layout &layoutOf(Dial9Type type);

/// Which of our types a schema is, to the last field.
Dial9Type typeOf(const dial9::Schema &schema);

} // namespace ada::model

#endif // ADA_LIB_MODEL_CONVERT_DIAL9_SCHEMAS_H
