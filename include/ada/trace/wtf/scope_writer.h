// Writes calls of threads as a wtf-trace: one zone a thread, one event type a function.
//
//   auto writer = ada::wtf::ScopeWriter::begin(sink, {.timebaseMs = 1700000000000});
//   auto thread = writer->addZone("0:main", "a.out");
//   auto f = writer->scopeType("ns::f(int)");
//   writer->enter(*thread, *f, 1000);
//   writer->leave(*thread, 2000);
//   if (auto done = writer->finish(); !done)
//     return fail(done.error());
//
// Threads may be written one after the other or mixed; a switch costs 8 bytes. A call costs 12.
// Times are in microseconds after the timebase and must not go back within a zone. A trace
// of more than 71.58 minutes is an error (E_TIME_OVERFLOW) unless FileHeader::timeScale
// makes room at the cost of resolution: timeScaleFor(duration).
#ifndef ADA_TRACE_WTF_SCOPE_WRITER_H
#define ADA_TRACE_WTF_SCOPE_WRITER_H

#include "ada/trace/wtf/encoder.h"

namespace ada::wtf {

class ScopeWriter {
public:
  using ZoneId = std::uint16_t;
  using TypeId = std::uint32_t;

  /// What was done to the data so that viewers can show it. Say it once to the user.
  struct Statistics {
    std::uint64_t strayLeaves = 0; ///< written; viewers ignore them
    std::uint64_t closedAtEnd = 0; ///< scopes that finish() closed
    std::size_t deepest = 0;       ///< viewers show no scopes in a zone deeper than 1023
    std::uint64_t renamedTypes = 0;   ///< same name with other arguments: " (2)" was appended
    std::uint64_t renamedScopes = 0;  ///< past 65518 types: letters that viewers refuse became '_'
  };

  /// Writes the header and the built-in types. Errors as Encoder::begin().
  static Expected<ScopeWriter> begin(Sink sink, const FileHeader &header, EncoderOptions options = {});
  ScopeWriter(ScopeWriter &&) noexcept;
  ScopeWriter &operator=(ScopeWriter &&) noexcept;
  ~ScopeWriter();

  /// A new zone. E_NAME_CONFLICT if there is one with this name, type and location: viewers
  /// would mix the two up, so put a number in front of the thread's name. E_RANGE past
  /// 65535 zones.
  Expected<ZoneId> addZone(std::string_view name, std::string_view location, std::string_view type = "script");

  /// The type of scopes with this name and argument list; the same answer for the same
  /// question. When the 16-bit numbers run out, scopes are written with their name in each
  /// of them; such scopes have no arguments (E_RANGE if `args` is not empty).
  Expected<TypeId> scopeType(std::string_view name, std::string_view args = {});
  /// The same for events that are a point in time. E_RANGE if numbers run out.
  Expected<TypeId> instanceType(std::string_view name, std::string_view args = {}, std::uint32_t flags = 0);

  /// Errors of the following: as Encoder::event(), E_TIME_ORDER (earlier than the zone's last
  /// record), E_UNKNOWN_ZONE.
  Expected<void> enter(ZoneId zone, TypeId type, std::uint64_t timeUs, std::span<const Arg> args = {});
  /// Closes the innermost open scope of the zone.
  Expected<void> leave(ZoneId zone, std::uint64_t timeUs);
  /// An event of an instance type, or of a built-in type: wireIdOf(Role::FlowBranch), say.
  Expected<void> event(ZoneId zone, TypeId type, std::uint64_t timeUs, std::span<const Arg> args = {});
  /// A value for the innermost open scope; `json` is JSON text. E_NO_SCOPE if none is open.
  Expected<void> appendData(ZoneId zone, std::uint64_t timeUs, std::string_view name, std::string_view json);
  Expected<void> mark(ZoneId zone, std::uint64_t timeUs, std::string_view name, std::string_view json = {});
  /// `name` is free of everything but letters, digits and _.#:$[]"'- (E_BAD_NAME); viewers drop
  /// the value.
  Expected<void> timeStamp(ZoneId zone, std::uint64_t timeUs, std::string_view name, std::string_view json = {});

  std::size_t openScopes(ZoneId zone) const;
  const Statistics &statistics() const noexcept;

  /// Closes all open scopes at the latest time written (viewers take unclosed ones for instants)
  /// and completes the file.
  Expected<void> finish();

private:
  struct State;
  explicit ScopeWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

} // namespace ada::wtf

#endif // ADA_TRACE_WTF_SCOPE_WRITER_H
