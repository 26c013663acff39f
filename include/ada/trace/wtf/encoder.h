// Writes wtf-trace files of any dialect, record by record.
//
//   auto encoder = ada::wtf::Encoder::begin(sink, {.timebaseMs = 1700000000000});
//   if (!encoder)
//     return fail(encoder.error());
//   encoder->defineBuiltIns();
//   encoder->define({.wireId = 18, .eventClass = ada::wtf::kScope, .name = "f", .args = "int32 n"});
//   encoder->event(18, 1000, std::array{ada::wtf::Arg::int32(-7)});
//   encoder->event(ada::wtf::wireIdOf(ada::wtf::Role::ScopeLeave), 2000);
//   if (auto done = encoder->finish(); !done)
//     return fail(done.error());
#ifndef ADA_TRACE_WTF_ENCODER_H
#define ADA_TRACE_WTF_ENCODER_H

#include "ada/trace/wtf/format.h"

#include <functional>
#include <memory>

namespace ada::wtf {

/// Takes the bytes of the file, in order. False if they can't be written; the
/// encoder then fails with E_IO.
using Sink = std::function<bool(std::span<const std::byte>)>;

struct EncoderOptions {
  /// Refuse what makes existing viewers fail or misread: a type name with two
  /// signatures, a built-in type with other arguments or flags than builtIns(),
  /// a type's name that is empty or has line breaks, `any` values that are not JSON,
  /// wire ids that were not defined. False writes everything that the bytes can
  /// hold.
  bool viewerRules = true;
  /// Chunked dialect: a chunk is closed when its events and strings have this
  /// size.
  size_t chunkBytes = size_t{1} << 20;
};

class Encoder {
public:
  /// Writes the header. E_BAD_CONTEXT, E_BAD_METADATA (not JSON; not an object
  /// although a time scale or text encoding must be noted in it), E_RANGE (a
  /// string over 65534 characters; a fraction of a millisecond or an unnamed
  /// flag in a dialect without them), E_IO.
  static Expected<Encoder> begin(Sink sink, const FileHeader &header, EncoderOptions options = {});
  Encoder(Encoder &&) noexcept;
  Encoder &operator=(Encoder &&) noexcept;
  ~Encoder();

  /// What a definition says.
  struct TypeSpec {
    uint16_t wireId = 0;
    uint16_t eventClass = kInstance;
    uint32_t flags = 0;
    std::string_view name, args = {};
  };
  /// Defines an event type. E_BAD_SIGNATURE, E_NAME_CONFLICT, E_BAD_NAME, and
  /// as event().
  Expected<void> define(const TypeSpec &type, uint64_t timeUs = 0);
  /// Defines the 17 built-in types under their usual numbers.
  Expected<void> defineBuiltIns(uint64_t timeUs = 0);

  /// Writes a record of a type that was defined; `args` as its argument list
  /// says.
  ///   E_TIME_OVERFLOW    the time is past 71 min 35 s (times FileHeader::timeScale)
  ///   E_UNDEFINED_EVENT  there is no such type
  ///   E_ARGS             number or types of the arguments differ from the definition
  ///   E_BAD_TEXT         not UTF-8, not JSON, not Latin-1, or with a NUL in the chunked dialect
  ///   E_RANGE            text or array too long: over 65534 characters or 65535 bytes in version 3
  ///   E_IO               the sink failed; every later operation fails, too
  /// After an error nothing of the record has been written. After any but E_IO
  /// the encoder can go on.
  Expected<void> event(uint32_t wireId, uint64_t timeUs, std::span<const Arg> args = {});

  /// Chunked dialect: closes the chunk. Otherwise: hands what is buffered to
  /// the sink.
  Expected<void> flush();
  /// Writes what is left. The file is complete only after this.
  Expected<void> finish();

  const FileHeader &header() const noexcept;

private:
  struct State;
  explicit Encoder(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

} // namespace ada::wtf

#endif // ADA_TRACE_WTF_ENCODER_H
