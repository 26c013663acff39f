// Records from bytes.
#include "record_parser.h"

#include "bytes.h"
#include "json_text.h"
#include "text.h"
#include "trace/base/try.h"

#include <algorithm>

namespace ada::wtf {
namespace {

constexpr uint32_t kStringReference = 0xFFFF;

Error inRecord(const char *code, uint64_t offset, const EventType &type, size_t arg, std::string message) {
  Error error = errorAt(code, offset, std::move(message));
  error.field = type.name + ", argument " + type.argDefs[arg].name;
  return error;
}

} // namespace

void RecordParser::begin(Dialect fileDialect, AsciiText text, uint32_t scale) {
  dialect_ = fileDialect;
  asciiText_ = text;
  timeScale_ = scale;
  layout_ = dialect_ == Dialect::BigEndian      ? Layout::PackedBig
            : dialect_ == Dialect::LittleEndian ? Layout::PackedLittle
                                                : Layout::Aligned;
}

void RecordParser::warn(const char *code, std::string message) {
  if (std::find(warned_.begin(), warned_.end(), code) != warned_.end())
    return;
  warned_.push_back(code);
  visitor_.onWarning({code, std::move(message)});
}

Expected<RecordParser::Outcome> RecordParser::parse(std::span<const std::byte> bytes, uint64_t offset) {
  const bool aligned = layout_ == Layout::Aligned, big = layout_ == Layout::PackedBig;
  const size_t headSize = aligned ? 8 : 6;
  if (bytes.size() < headSize)
    return Outcome{Outcome::NeedMore, headSize};
  const uint32_t wireId = aligned ? load32(bytes.data(), false) : load16(bytes.data(), big);
  const uint32_t time = load32(bytes.data() + headSize - 4, big);
  type_ = types_.find(wireId);
  if (!type_)
    return errorAt("E_UNDEFINED_EVENT", offset,
                   "a record has the event number " + std::to_string(wireId) +
                       ", which was not defined: the file is damaged here, and what follows can't be read");
  if (argsFound_ == 0)
    foundEnd_ = headSize;
  slots_.resize(std::max(slots_.size(), type_->argDefs.size()));

  auto measured = ADA_TRY(aligned ? measureAligned(bytes, offset) : measurePacked(bytes, offset));
  if (measured > maxBytes_)
    return errorAt("E_LIMIT", offset,
                   "a record of type " + type_->name + " claims at least " + std::to_string(measured) +
                       " bytes, more than the limit of " + std::to_string(maxBytes_) + ": the file is damaged here");
  if (argsFound_ < type_->argDefs.size())
    return Outcome{Outcome::NeedMore, measured};
  argsFound_ = 0;
  makeArgs(bytes);
  ++count_;
  ADA_TRY(deliver(offset, time));
  return Outcome{Outcome::Delivered, measured};
}

/// Finds the ends of the arguments. Returns the size of the record if all were found, else a size that is needed to
/// find the next one.
Expected<uint64_t> RecordParser::measurePacked(std::span<const std::byte> bytes, uint64_t offset) {
  const bool big = layout_ == Layout::PackedBig;
  uint64_t end = foundEnd_;
  for (; argsFound_ < type_->argDefs.size(); ++argsFound_) {
    const ArgType argType = type_->argDefs[argsFound_].type;
    Slot &slot = slots_[argsFound_];
    const bool array = isArray(argType), text = isText(argType);
    slot = {end, 0, false};
    const uint64_t prefix = array ? 4 : text ? 2 : widthOf(argType);
    if (bytes.size() < end + prefix)
      return end + prefix;
    end += prefix;
    uint64_t data = 0;
    if (array) {
      slot.count = load32(bytes.data() + slot.at, big);
      data = uint64_t{slot.count} * widthOf(argType);
    } else if (text) {
      const uint32_t units = load16(bytes.data() + slot.at, big);
      if (units == kStringReference)
        return inRecord("E_BAD_STRING", offset, *type_, argsFound_,
                        "a text refers to a string table, which version 3 does not have");
      slot.isNull = units == 0;
      slot.count = units;
      if (argType != ArgType::Ascii && units) { // the units don't matter, but the bytes that follow do
        if (bytes.size() < end + 2)
          return end + 2;
        slot.count = load16(bytes.data() + end, big);
        slot.isNull = slot.count == 0; // without bytes there is no text, whatever the count of units says
        end += 2;
      }
      data = slot.count;
    }
    if (array || text)
      slot.at = end;
    if (bytes.size() < end + data)
      return end + data;
    end += data;
    foundEnd_ = end;
  }
  return end;
}

Expected<uint64_t> RecordParser::measureAligned(std::span<const std::byte> bytes, uint64_t offset) {
  uint64_t end = foundEnd_;
  for (; argsFound_ < type_->argDefs.size(); ++argsFound_) {
    const ArgType argType = type_->argDefs[argsFound_].type;
    Slot &slot = slots_[argsFound_];
    slot = {end, 0, false};
    if (bytes.size() < end + 4)
      return end + 4;
    const uint32_t word = load32(bytes.data() + end, false);
    end += 4;
    if (isText(argType)) {
      slot.count = word;
      slot.isNull = word == kNullOrdinal;
      if (word < kEmptyOrdinal && (!strings_ || word >= strings_->size())) {
        if (strings_ && !strings_->complete())
          return end + 1; // the file ends before the text, so this record is
                          // not complete
        return inRecord("E_BAD_STRING", offset, *type_, argsFound_,
                        "a text has number " + std::to_string(word) + ", but the chunk's string table holds " +
                            std::to_string(strings_ ? strings_->size() : 0));
      }
    } else if (isArray(argType)) {
      slot.at = end;
      slot.isNull = word == kNullOrdinal;
      slot.count = slot.isNull ? 0 : word;
      const uint64_t data = (uint64_t{slot.count} * widthOf(argType) + 3) & ~uint64_t{3};
      if (bytes.size() < end + data)
        return end + data;
      end += data;
    }
    foundEnd_ = end;
  }
  return end;
}

void RecordParser::makeText(Arg &arg, const Slot &slot, std::span<const std::byte> bytes, std::string &converted) {
  if (layout_ == Layout::Aligned) {
    arg.text = slot.count == kEmptyOrdinal ? std::string_view() : (*strings_)[slot.count];
    return;
  }
  arg.text = asText(bytes.data() + slot.at, slot.count);
  if (arg.type == ArgType::Ascii) {
    if (asciiText_ == AsciiText::Utf8 || text::isAscii(arg.text))
      return;
    converted = text::latin1ToUtf8(arg.text);
  } else {
    if (!text::hasSurrogates(arg.text))
      return;
    converted = text::cesu8ToUtf8(arg.text);
  }
  arg.text = converted;
}

void RecordParser::makeArgs(std::span<const std::byte> bytes) {
  const bool big = layout_ == Layout::PackedBig;
  const size_t count = type_->argDefs.size();
  args_.resize(count);
  if (scratch_.size() < count)
    scratch_.resize(count);
  for (size_t i = 0; i < count; ++i) {
    const Slot &slot = slots_[i];
    Arg &arg = args_[i] = Arg();
    arg.type = type_->argDefs[i].type;
    arg.isNull = slot.isNull;
    const std::byte *p = bytes.data() + slot.at;
    if (isText(arg.type)) {
      if (!arg.isNull)
        makeText(arg, slot, bytes, scratch_[i]);
    } else if (isArray(arg.type)) {
      const ArgType element = elementType(arg.type);
      arg.array = ArrayView(element, big && element != ArgType::Float32, p, slot.count);
    } else {
      const unsigned width = widthOf(arg.type);
      const bool msbFirst = big && arg.type != ArgType::Float32; // floats are in the recorder's order
      arg.bits = width == 1 ? load8(p) : width == 2 ? load16(p, msbFirst) : load32(p, msbFirst);
      if (arg.type == ArgType::Bool)
        arg.bits = arg.bits != 0;
      else if (arg.type == ArgType::Int8 || arg.type == ArgType::Int16)
        arg.bits = static_cast<uint32_t>(arg.integer());
    }
    if (arg.type == ArgType::Any && !arg.isNull)
      arg.validJson = json::valid(arg.text);
  }
}

Expected<void> RecordParser::deliver(uint64_t offset, uint32_t time) {
  Record record;
  record.offset = offset;
  record.timeUs = uint64_t{time} * timeScale_;
  record.type = type_;
  record.args = args_;
  for (const Arg &arg : args_)
    if (arg.type == ArgType::Any && !arg.isNull && !arg.validJson)
      warn("W_JSON", "at byte " + std::to_string(offset) + ": a value of " + type_->name +
                         " should be JSON and is not; viewers refuse the file");
  visitor_.onRecord(record);
  return type_->role == Role::Define ? define(record) : Expected<void>();
}

Expected<void> RecordParser::define(const Record &record) {
  auto defined = types_.define(static_cast<uint16_t>(args_[0].bits), static_cast<uint16_t>(args_[1].bits),
                               args_[2].bits, std::string(args_[3].text), std::string(args_[4].text), dialect_);
  if (!defined) {
    defined.error().offset = record.offset;
    return defined.error();
  }
  if (defined->warning)
    warn(defined->warning, "at byte " + std::to_string(record.offset) + ": " + defined->message);
  visitor_.onDefinition(*defined->type, defined->isNew);
  return {};
}

} // namespace ada::wtf
