// The encoder: checks a record, then appends its bytes to a buffer.
// If something is wrong with a record, its bytes are removed again. Full buffers or chunks go to the sink.
#include "ada/trace/wtf/encoder.h"

#include "bytes.h"
#include "chunk.h"
#include "header.h"
#include "json_text.h"
#include "string_table.h"
#include "text.h"
#include "trace/base/try.h"
#include "type_table.h"

#include <unordered_map>

namespace ada::wtf {
namespace {

constexpr size_t kBufferBytes = 64 * 1024;
constexpr uint64_t kMaxBytes = uint64_t{1} << 30; // of events and of texts each: a chunk's length has 32 bits
constexpr uint32_t kMaxText = 0xFFFE;             // 0xFFFF means something else

Error inArg(const char *code, const EventType &type, size_t arg, std::string message) {
  Error error = errorOf(code, std::move(message));
  error.field = type.name + (arg < type.argDefs.size() ? ", argument " + type.argDefs[arg].name : "");
  return error;
}

struct Signature {
  uint16_t eventClass;
  uint32_t flags;
  std::string args;
};

} // namespace

struct Encoder::State {
  State(Sink sink, EncoderOptions options) : sink(std::move(sink)), options(options) {}

  Expected<void> event(const EventType &type, uint64_t timeUs, std::span<const Arg> args);
  Expected<void> appendArgs(const EventType &type, std::span<const Arg> args);
  Expected<void> appendText(const EventType &type, size_t index, const Arg &arg);
  Expected<void> appendPackedText(const EventType &type, size_t index, const Arg &arg);
  Expected<void> appendArray(const EventType &type, size_t index, const Arg &arg);
  void appendScalar(const Arg &arg);
  static constexpr size_t kFewArgs = 4;
  char *storeFew(char *to, const EventType &type, std::span<const Arg> args) const;
  uint32_t ordinalOf(std::string_view text);
  Expected<void> checkDefinition(const TypeSpec &spec) const;
  Expected<void> define(const EventType &type, uint64_t timeUs, std::span<const Arg> args);
  Expected<void> put(std::string_view bytes);
  Expected<void> flush();
  void appendChunk(std::string &out, uint32_t type, std::initializer_list<std::pair<uint32_t, std::string_view>> parts);

  Sink sink;
  EncoderOptions options;
  FileHeader header;
  bool big = true, chunked = false, finished = false;
  TypeTable types;
  std::unordered_map<std::string, Signature> signatures; // by name
  std::string out;                                       // version 3: bytes; chunked: events of the chunk
  std::string strings;                                   // chunked: the chunk's table
  std::unordered_map<std::string, uint32_t> ordinals;
  uint32_t chunkId = 0;
  std::string scratch;
  std::optional<Error> failure;
};

Expected<void> Encoder::State::put(std::string_view bytes) {
  if (failure)
    return *failure;
  if (sink(std::as_bytes(std::span(bytes))))
    return {};
  failure = errorOf("E_IO", "the bytes of the trace could not be written");
  return *failure;
}

void Encoder::State::appendChunk(std::string &to, uint32_t type,
                                 std::initializer_list<std::pair<uint32_t, std::string_view>> parts) {
  uint64_t length = kChunkHead;
  for (const auto &part : parts)
    length += kPartEntry + ((part.second.size() + 3) & ~size_t{3});
  for (uint32_t word :
       {++chunkId, type, static_cast<uint32_t>(length), 0xFFFFFFFFu, 0xFFFFFFFFu, static_cast<uint32_t>(parts.size())})
    append32(to, word, false);
  uint32_t offset = 0;
  for (const auto &[partType, bytes] : parts) {
    append32(to, partType, false);
    append32(to, offset, false);
    append32(to, static_cast<uint32_t>(bytes.size()), false);
    offset += static_cast<uint32_t>((bytes.size() + 3) & ~size_t{3});
  }
  for (const auto &part : parts) {
    to += part.second;
    to.append(-part.second.size() & 3, '\0');
  }
}

Expected<void> Encoder::State::flush() {
  if (failure)
    return *failure;
  if (!chunked) {
    auto written = put(out);
    out.clear();
    return written;
  }
  if (out.empty())
    return {};
  std::string chunk;
  if (strings.empty())
    appendChunk(chunk, kEventChunk, {{kEventsPart, out}});
  else
    appendChunk(chunk, kEventChunk, {{kStringsPart, strings}, {kEventsPart, out}});
  out.clear();
  strings.clear();
  ordinals.clear();
  return put(chunk);
}

uint32_t Encoder::State::ordinalOf(std::string_view text) {
  const auto [at, isNew] = ordinals.try_emplace(std::string(text), static_cast<uint32_t>(ordinals.size()));
  if (isNew) {
    strings += text;
    strings += '\0';
  }
  return at->second;
}

Expected<void> Encoder::State::appendText(const EventType &type, size_t index, const Arg &arg) {
  const std::string_view text = arg.isNull ? std::string_view() : arg.text;
  if (arg.type == ArgType::Any && !text.empty() && options.viewerRules && !json::valid(text))
    return inArg("E_BAD_TEXT", type, index, "the value must be JSON: viewers refuse files with other text here");
  if (!chunked)
    return appendPackedText(type, index, arg);
  if (text.find('\0') != text.npos)
    return inArg("E_BAD_TEXT", type, index, "a text with a NUL can't be written in the chunked dialect");
  if (size_t units; !text::isAscii(text) && !text::utf8ToCesu8(text, scratch, units))
    return inArg("E_BAD_TEXT", type, index, "the text must be UTF-8");
  // An empty text is not JSON, and viewers can't cope with it.
  const bool null = arg.isNull || (arg.type == ArgType::Any && text.empty() && options.viewerRules);
  if (strings.size() + text.size() > kMaxBytes)
    return inArg("E_RANGE", type, index, "a chunk can't hold more than 1 GiB of text");
  append32(out, null ? kNullOrdinal : text.empty() ? kEmptyOrdinal : ordinalOf(text), false);
  return {};
}

Expected<void> Encoder::State::appendPackedText(const EventType &type, size_t index, const Arg &arg) {
  std::string_view bytes = arg.isNull ? std::string_view() : arg.text;
  size_t units = bytes.size();
  const bool ascii = arg.type == ArgType::Ascii;
  if (!text::isAscii(bytes)) {
    if (ascii && header.asciiText == AsciiText::Latin1) {
      if (!text::utf8ToLatin1(bytes, scratch))
        return inArg("E_BAD_TEXT", type, index,
                     "the text must be UTF-8 without characters above U+00FF, or the header's asciiText Utf8");
      bytes = scratch;
      units = bytes.size();
    } else if (!ascii) {
      if (!text::utf8ToCesu8(bytes, scratch, units))
        return inArg("E_BAD_TEXT", type, index, "the text must be UTF-8");
      bytes = scratch;
    }
  }
  if (units > kMaxText || bytes.size() > 0xFFFF)
    return inArg("E_RANGE", type, index,
                 "a text of " + std::to_string(bytes.size()) + " bytes is longer than version 3 can hold (65534)");
  append16(out, static_cast<uint32_t>(units), big);
  if (!ascii && units)
    append16(out, static_cast<uint32_t>(bytes.size()), big);
  out += bytes;
  return {};
}

Expected<void> Encoder::State::appendArray(const EventType &type, size_t index, const Arg &arg) {
  const ArrayView &array = arg.array;
  const unsigned width = widthOf(arg.type);
  const uint64_t size = arg.isNull ? 0 : uint64_t{array.size()} * width;
  if (size && array.element() != elementType(arg.type))
    return inArg("E_ARGS", type, index, "the array has elements of another type");
  if (out.size() + size > kMaxBytes)
    return inArg("E_RANGE", type, index, "arrays of more than 1 GiB can't be written");
  append32(out, arg.isNull && chunked ? kNullOrdinal : size ? array.size() : 0, big);
  const bool toBig = big && array.element() != ArgType::Float32;
  if (size && (toBig == array.bigEndian() || width == 1)) {
    out += asText(array.data(), size);
  } else {
    for (uint64_t at = 0; at < size; at += width)
      for (unsigned byte = width; byte-- > 0;)
        append8(out, load8(array.data() + at + byte));
  }
  if (chunked)
    out.append(-size & 3, '\0');
  return {};
}

void Encoder::State::appendScalar(const Arg &arg) {
  const unsigned width = widthOf(arg.type);
  const uint32_t bits = arg.type == ArgType::Bool ? arg.bits != 0 : arg.bits;
  if (chunked)
    append32(out, width == 4 ? bits : bits & ((1u << width * 8) - 1), false);
  else if (width == 1)
    append8(out, bits);
  else if (width == 2)
    append16(out, bits & 0xFFFF, big);
  else
    append32(out, bits, big && arg.type != ArgType::Float32);
}

Expected<void> Encoder::State::appendArgs(const EventType &type, std::span<const Arg> args) {
  for (size_t i = 0; i < args.size(); ++i) {
    const Arg &arg = args[i];
    if (arg.type != type.argDefs[i].type)
      return inArg("E_ARGS", type, i,
                   "the type defines " + std::string(typeName(type.argDefs[i].type)) + ", the value is " +
                       std::string(typeName(arg.type)));
    if (isText(arg.type)) {
      ADA_TRY(appendText(type, i, arg));
    } else if (isArray(arg.type)) {
      ADA_TRY(appendArray(type, i, arg));
    } else {
      appendScalar(arg);
    }
  }
  return {};
}

/// Stores up to kFewArgs numbers as the type defines them and returns their end. Null if there is more to do, or the
/// types differ.
char *Encoder::State::storeFew(char *to, const EventType &type, std::span<const Arg> args) const {
  if (args.size() > kFewArgs)
    return nullptr;
  for (size_t i = 0; i < args.size(); ++i) {
    const Arg &arg = args[i];
    const unsigned width = widthOf(arg.type);
    if (arg.type != type.argDefs[i].type || width == 0 || isArray(arg.type) || arg.type == ArgType::Float32)
      return nullptr;
    const uint32_t bits = arg.type == ArgType::Bool ? arg.bits != 0 : arg.bits;
    if (chunked) {
      store32(to, width == 4 ? bits : bits & ((1u << width * 8) - 1), false);
      to += 4;
    } else { // the bytes past the width are overwritten
      store32(to, big ? bits << (32 - 8 * width) : bits, big);
      to += width;
    }
  }
  return to;
}

Expected<void> Encoder::State::event(const EventType &type, uint64_t timeUs, std::span<const Arg> args) {
  if (failure)
    return *failure;
  const uint64_t time = header.timeScale == 1 ? timeUs : timeUs / header.timeScale;
  if (time > kMaxTime)
    return inArg("E_TIME_OVERFLOW", type, args.size(),
                 "the time " + std::to_string(timeUs) +
                     " us is past what the format can hold (71 min 35 s, times the time scale " +
                     std::to_string(header.timeScale) + "): write a shorter range, or with a larger time scale");
  if (args.size() != type.argDefs.size())
    return inArg("E_ARGS", type, args.size(),
                 "the type has " + std::to_string(type.argDefs.size()) + " arguments, not " +
                     std::to_string(args.size()));
  const size_t start = out.size();
  // One append, because most events are this and at most a few numbers.
  char head[8 + 4 * kFewArgs];
  store32(head, big ? type.wireId << 16 : type.wireId, big);
  const size_t wireIdBytes = chunked ? 4 : 2;
  store32(head + wireIdBytes, static_cast<uint32_t>(time), big);
  if (const char *end = storeFew(head + wireIdBytes + 4, type, args)) {
    out.append(head, static_cast<size_t>(end - head));
  } else {
    out.append(head, wireIdBytes + 4);
    if (auto appended = appendArgs(type, args); !appended) {
      out.resize(start);
      return appended;
    }
  }
  if (out.size() + strings.size() >= (chunked ? options.chunkBytes : kBufferBytes))
    return flush();
  return {};
}

/// Checks what viewers need: a name means only one signature, and built-in names mean what viewers know.
Expected<void> Encoder::State::checkDefinition(const TypeSpec &spec) const {
  const auto fail = [&](const char *code, std::string message) {
    Error error = errorOf(code, std::move(message));
    error.field = std::string(spec.name.substr(0, 100));
    return error;
  };
  ADA_TRY(parseSignature(spec.args, header.dialect));
  if (!options.viewerRules)
    return {};
  if (spec.name.empty() || spec.name.find_first_of("\r\n") != spec.name.npos)
    return fail("E_BAD_NAME", "the name of an event type must not be empty or have line breaks: viewers fail on it");
  for (const BuiltIn &builtIn : builtIns())
    if (spec.name == builtIn.name &&
        (spec.eventClass != builtIn.eventClass || spec.flags != builtIn.flags || spec.args != builtIn.args))
      return fail("E_NAME_CONFLICT", "a built-in event type must have the flags and arguments that viewers know");
  const auto known = signatures.find(std::string(spec.name));
  if (known == signatures.end())
    return {};
  const Signature &signature = known->second;
  if (signature.eventClass != spec.eventClass || signature.flags != spec.flags || signature.args != spec.args)
    return fail("E_NAME_CONFLICT", "two event types of one name must not differ in arguments (\"" + signature.args +
                                       "\", \"" + std::string(spec.args) +
                                       "\"), class or flags: viewers read both as the first");
  return {};
}

/// Writes a definition with the event type for definitions, and remembers it.
Expected<void> Encoder::State::define(const EventType &type, uint64_t timeUs, std::span<const Arg> args) {
  const TypeSpec spec = {static_cast<uint16_t>(args[0].bits), static_cast<uint16_t>(args[1].bits), args[2].bits,
                         args[3].isNull ? "" : args[3].text, args[4].isNull ? "" : args[4].text};
  ADA_TRY(checkDefinition(spec));
  ADA_TRY(event(type, timeUs, args));
  if (options.viewerRules)
    signatures.try_emplace(std::string(spec.name), Signature{spec.eventClass, spec.flags, std::string(spec.args)});
  auto defined = types.define(spec.wireId, spec.eventClass, spec.flags, std::string(spec.name), std::string(spec.args),
                              header.dialect);
  return defined ? Expected<void>() : defined.error();
}

Encoder::Encoder(std::unique_ptr<State> state) : state_(std::move(state)) {}
Encoder::Encoder(Encoder &&) noexcept = default;
Encoder &Encoder::operator=(Encoder &&) noexcept = default;
Encoder::~Encoder() = default;

Expected<Encoder> Encoder::begin(Sink sink, const FileHeader &header, EncoderOptions options) {
  auto state = std::make_unique<State>(std::move(sink), options);
  state->header = header;
  state->chunked = header.dialect == Dialect::Chunked;
  state->big = header.dialect == Dialect::BigEndian;
  std::string bytes, part;
  ADA_TRY(writeHeader(state->header, bytes, part));
  if (state->chunked)
    state->appendChunk(bytes, kHeaderChunk, {{kHeaderPart, part}});
  ADA_TRY(state->put(bytes));
  return Encoder(std::move(state));
}

Expected<void> Encoder::define(const TypeSpec &spec, uint64_t timeUs) {
  const auto textOrNull = [](std::string_view text) {
    return text.empty() ? Arg::null(ArgType::Ascii) : Arg::ascii(text);
  };
  const Arg args[] = {Arg::uint16(spec.wireId), Arg::uint16(spec.eventClass), Arg::uint32(spec.flags),
                      textOrNull(spec.name), textOrNull(spec.args)};
  const EventType *type = state_->types.find(kDefineWireId);
  if (type->role != Role::Define)
    return errorOf("E_NAME_CONFLICT", "event number 1 is taken: no more event types can be defined");
  return state_->define(*type, timeUs, args);
}

Expected<void> Encoder::defineBuiltIns(uint64_t timeUs) {
  for (const BuiltIn &builtIn : builtIns())
    ADA_TRY(define({wireIdOf(builtIn.role), builtIn.eventClass, builtIn.flags, builtIn.name, builtIn.args}, timeUs));
  return {};
}

Expected<void> Encoder::event(uint32_t wireId, uint64_t timeUs, std::span<const Arg> args) {
  const EventType *type = state_->types.find(wireId);
  if (!type)
    return errorOf("E_UNDEFINED_EVENT", "event number " + std::to_string(wireId) + " was not defined");
  if (type->role == Role::Define && args.size() == type->argDefs.size())
    return state_->define(*type, timeUs, args);
  return state_->event(*type, timeUs, args);
}

Expected<void> Encoder::flush() { return state_->flush(); }

Expected<void> Encoder::finish() {
  if (state_->finished)
    return {};
  ADA_TRY(state_->flush());
  if (state_->chunked && state_->chunkId == 1) { // readers want a chunk for events, even if there are none
    std::string chunk;
    state_->appendChunk(chunk, kEventChunk, {{kEventsPart, {}}});
    ADA_TRY(state_->put(chunk));
  }
  state_->finished = true;
  return {};
}

const FileHeader &Encoder::header() const noexcept { return state_->header; }

} // namespace ada::wtf
