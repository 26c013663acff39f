// The event types that AdaTrace's own traces have as dial9 streams.
//
// They use only the specification's own types, so that every reader takes them. A function's name is a pooled string
// whose id is the function's number, so readers that don't know AdaTrace show names.
#include "ada_schemas.h"

#include <algorithm>
#include <array>

namespace ada::formats {

using dial9::Field;
using F = dial9::FieldType;

static constexpr Field kTrace[] = {{"version", F::U8}, {"is_root", F::Bool}};
static constexpr Field kProcess[] = {{"process", F::Varint},     {"name", F::String},   {"has_pid", F::Bool},
                                     {"pid", F::Varint},         {"clock_type", F::U8}, {"executable", F::String},
                                     {"description", F::String}, {"label", F::String}};
static constexpr Field kThread[] = {{"thread", F::Varint},
                                    {"process", F::Varint},
                                    {"number", F::Varint},
                                    {"tid", F::Varint},
                                    {"name", F::String},
                                    {"arch", F::U8},
                                    {"os", F::U8},
                                    {"has_file_thread_id", F::Bool},
                                    {"file_thread_id", F::U32},
                                    {"description", F::String},
                                    {"label", F::String}};
static constexpr Field kFunction[] = {{"function", F::PooledString}, {"process", F::Varint}, {"id", F::Varint},
                                      {"name", F::String},           {"file", F::String},    {"signature", F::String},
                                      {"types", F::String},          {"line", F::Varint},    {"address", F::Varint}};
static constexpr Field kCall[] = {{"thread", F::Varint}, {"function", F::PooledString}};
static constexpr Field kOther[] = {{"thread", F::Varint}, {"function", F::PooledString}, {"kind", F::U32}};
static constexpr Field kDetail[] = {{"thread", F::Varint}, {"type", F::U16}, {"flags", F::U16}, {"payload", F::Bytes}};
static constexpr Field kText[] = {{"thread", F::Varint}, {"name", F::String}, {"json", F::String}};
static constexpr Field kThreadEnd[] = {{"thread", F::Varint}};

static constexpr std::array<Dial9Layout, kDial9Types> kLayouts = {{
    {"ada.Trace", kTrace, true},
    {"ada.Process", kProcess, true, 1},
    {"ada.Thread", kThread, true, 1},
    {"ada.Function", kFunction, true},
    {"ada.Call", kCall},
    {"ada.Return", kCall},
    {"ada.Exception", kCall},
    {"ada.Event", kOther},
    {"ada.Detail", kDetail},
    {"ada.Mark", kText},
    {"ada.Value", kText},
    {"ada.ThreadEnd", kThreadEnd, true},
}};

const Dial9Layout &layoutOf(Dial9Type type) { return kLayouts[static_cast<size_t>(type)]; }

Dial9Type typeOf(const dial9::Schema &schema) {
  for (size_t i = 0; i < kDial9Types; ++i) {
    const Dial9Layout &layout = kLayouts[i];
    if (schema.name() == layout.name && (schema.hasTimestamp() || layout.mayLackTime) &&
        (std::ranges::equal(schema.fields(), layout.fields) ||
         std::ranges::equal(schema.fields(), layout.fields.first(layout.fields.size() - layout.added))))
      return static_cast<Dial9Type>(i);
  }
  return Dial9Type::Foreign;
}

} // namespace ada::formats
