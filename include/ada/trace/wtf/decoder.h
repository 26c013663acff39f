// Reads a wtf-trace file of any dialect from pushed bytes and hands its records to a visitor.
//
//   struct Printer : ada::wtf::Visitor {
//     void onRecord(const ada::wtf::Record &record) override {
//       std::cout << record.timeUs << ' ' << record.type->name << '\n';
//     }
//   } printer;
//   ada::wtf::Decoder decoder(printer);
//   while (size_t n = readSome(buffer))
//     if (auto pushed = decoder.push(buffer, n); !pushed)
//       return fail(pushed.error());
//   if (auto done = decoder.finish(); !done)
//     warn(done.error());
//
// The pieces may be of any size; the records are the same. Records are what the
// file holds, including definitions and zone switches; timeline.h makes scopes
// of them.
//
// Memory: the definitions, and the bytes of the record (version 3) or chunk
// (chunked dialect) that is not complete yet. A count in the file never makes
// the decoder allocate.
#ifndef ADA_TRACE_WTF_DECODER_H
#define ADA_TRACE_WTF_DECODER_H

#include "ada/trace/wtf/format.h"

#include <memory>

namespace ada::wtf {

struct Record {
  uint64_t offset = 0; ///< where it begins in the file
  uint64_t timeUs = 0; ///< microseconds after the timebase
  const EventType *type = nullptr;
  /// One for each of type->argDefs, in that order.
  std::span<const Arg> args;
};

/// Receives what the decoder finds, in file order. References are valid during
/// the call, event types as long as the decoder.
class Visitor {
public:
  virtual ~Visitor();
  virtual void onHeader(const FileHeader &) {}
  /// Every record, those of wtf.event#define included.
  virtual void onRecord(const Record &) {}
  /// After onRecord of a definition. `isNew` is false if the type was already defined the same way.
  virtual void onDefinition(const EventType &, bool isNew) { (void)isNew; }
  /// A flaw that did not stop the decoder; each code comes once. W_METADATA
  /// (not JSON), W_FLAG (unknown name of a file flag), W_DEFINE_LAYOUT (the
  /// file redefines the arguments of wtf.event#define; ignored), W_BUILTIN_ARGS
  /// (a zone event without a zone number; an ordinary event then), W_JSON (an
  /// `any` value that is not JSON), W_HEADER_AGAIN (second header chunk;
  /// ignored), W_JSON_EVENTS (part in a form that no program ever wrote; skipped).
  virtual void onWarning(const Warning &) {}
};

struct DecoderOptions {
  /// Takes `ascii` strings for this instead of what the metadata notes (or
  /// Latin-1).
  std::optional<AsciiText> asciiText;
  /// E_LIMIT for longer records (version 3) and chunks; keeps damaged counts
  /// from making the decoder wait, and collect, until the end of a huge file.
  uint64_t maxRecordBytes = uint64_t{1} << 28;
  uint64_t maxChunkBytes = uint64_t{1} << 30;
};

/// Text arrives as UTF-8: Latin-1 is converted, surrogate pairs of CESU-8 are
/// joined. Lone surrogates and bytes that are not UTF-8 at all pass through as
/// they are, so that nothing is lost; appendJson() replaces them.
class Decoder {
public:
  explicit Decoder(Visitor &visitor, DecoderOptions options = {});
  Decoder(Decoder &&) noexcept;
  Decoder &operator=(Decoder &&) noexcept;
  ~Decoder();

  /// Decodes all records that are complete with these bytes. Errors stick. Each has the offset of the record,
  /// chunk or field that it is about; the records before have been delivered.
  ///   E_BAD_MAGIC, E_BAD_VERSION  not a wtf-trace file, or a version that was never released
  ///   E_BAD_CONTEXT               no context info, or of another kind than "script"
  ///   E_BAD_HEADER                file header part of the chunked dialect: damaged, no timebase
  ///   E_UNDEFINED_EVENT           a record with a wire id that was not defined
  ///   E_BAD_SIGNATURE             a definition with an argument list that cannot be read
  ///   E_BAD_STRING                reference into a string table that is not there
  ///   E_BAD_CHUNK                 lengths that contradict each other, parts twice
  ///   E_LIMIT                     see DecoderOptions
  Expected<void> push(const void *data, size_t size);
  Expected<void> push(std::span<const std::byte> bytes) { return push(bytes.data(), bytes.size()); }

  /// The file ends here. E_TRUNCATED if it does so inside of a header, record
  /// or chunk: the offset is where the first incomplete one begins, and all
  /// before it was delivered.
  Expected<void> finish();

  /// Once onHeader was called.
  const FileHeader *header() const noexcept;
  /// Records delivered so far.
  uint64_t records() const noexcept;

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace ada::wtf

#endif // ADA_TRACE_WTF_DECODER_H
