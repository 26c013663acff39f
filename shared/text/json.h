// Writes JSON: how a string is escaped, and where the commas go.
// The library, the tool and the runtime all write JSON with this.
//
// Freestanding: the runtime compiles it into traced programs.
#pragma once

#include "text_piece.h"
#include "utf8.h"

namespace ada {

/// Calls `put(const char *bytes, size_t size)` with the parts of `text` as a JSON string in quotes. Bytes that are not
/// UTF-8 become U+FFFD, because JSON can't hold them. Characters that a terminal must not be given are escaped;
/// with `asciiOnly`, so is everything above U+007F.
template <class Put> constexpr void putJsonString(TextPiece text, Put put, bool asciiOnly = false) {
  const auto escape = [&](uint32_t unit) {
    constexpr char kHex[] = "0123456789abcdef";
    const char bytes[6] = {'\\',           'u', kHex[unit >> 12 & 15], kHex[unit >> 8 & 15], kHex[unit >> 4 & 15],
                           kHex[unit & 15]};
    put(bytes, sizeof bytes);
  };
  put("\"", 1);
  size_t plain = 0, at = 0; // text[plain, at) needs no change
  while (at < text.size) {
    const CodePoint c = decodeUtf8(text.data + at, text.size - at);
    const bool above = asciiOnly && c.value >= 0x80;
    if (c.valid && !above && c.value != '"' && c.value != '\\' && !isUnprintable(c.value)) {
      at += c.size;
      continue;
    }
    if (at > plain)
      put(text.data + plain, at - plain);
    plain = at += c.size;
    if (c.value == '"')
      put("\\\"", 2);
    else if (c.value == '\\')
      put("\\\\", 2);
    else if (c.value == '\n')
      put("\\n", 2);
    else if (c.value == '\t')
      put("\\t", 2);
    else if (!c.valid && !asciiOnly)
      put(kReplacementUtf8, 3);
    else if (c.value < 0x10000)
      escape(c.value);
    else
      escape(0xd800 + ((c.value - 0x10000) >> 10)), escape(0xdc00 + ((c.value - 0x10000) & 0x3ff));
  }
  if (at > plain)
    put(text.data + plain, at - plain);
  put("\"", 1);
}

/// The structure of a JSON text. `Out` derives from it and has `void put(const char *bytes, size_t size)`.
///
///   json.beginObject().text("name", name).beginArray("ids").number({}, 1).number({}, 2).endArray().endObject();
///
/// A member has a name; an element of an array, and the outermost value, has none ({} or nullptr).
/// A derived class may set isAscii_: then everything above U+007F is escaped.
template <class Out> class JsonStructure {
public:
  Out &beginObject(TextPiece name = {}) { return open(name, "{"); }
  Out &endObject() { return close("}"); }
  Out &beginArray(TextPiece name = {}) { return open(name, "["); }
  Out &endArray() { return close("]"); }

  Out &text(TextPiece name, TextPiece value) {
    key(name);
    string(value);
    return out();
  }
  template <class Integer> Out &number(TextPiece name, Integer value) {
    key(name);
    const bool negative = value < Integer(0);
    const uint64_t bits = static_cast<uint64_t>(value);
    digits(negative ? "-" : "", negative ? 0 - bits : bits, 10, 1);
    return out();
  }
  Out &boolean(TextPiece name, bool value) { return json(name, value ? "true" : "false"); }
  Out &null(TextPiece name) { return json(name, "null"); }
  /// null if the text is empty.
  Out &textOrNull(TextPiece name, TextPiece value) { return value.empty() ? null(name) : text(name, value); }
  /// A string, "0x" and at least `count` digits.
  Out &hex(TextPiece name, uint64_t value, unsigned count = 1) {
    key(name);
    digits("\"0x", value, 16, count);
    put("\"");
    return out();
  }
  /// A value that is JSON already.
  Out &json(TextPiece name, TextPiece value) {
    key(name);
    put(value);
    return out();
  }
  /// Members or elements that are JSON already, with the commas between them; nothing if empty.
  Out &raw(TextPiece members) { return members.empty() ? out() : json({}, members); }
  /// Ends a part that is not JSON by itself, for raw(): starts a new line,
  /// and the next member is the first one of its part.
  Out &endOfPart() {
    put("\n");
    first_ = true;
    return out();
  }
  /// A new line before the next member or element, for people who open the file.
  Out &line() {
    lineBreak_ = !isOneLine_;
    return out();
  }
  /// From now on everything is on one line.
  Out &inOneLine() {
    isOneLine_ = true;
    return out();
  }

private:
  Out &out() { return static_cast<Out &>(*this); }
  void put(TextPiece text) { out().put(text.data, text.size); }
  void string(TextPiece text) {
    putJsonString(text, [this](const char *bytes, size_t size) { out().put(bytes, size); }, isAscii_);
  }
  void key(TextPiece name) {
    if (!first_)
      put(",");
    if (lineBreak_)
      put("\n");
    first_ = lineBreak_ = false;
    if (name.data) {
      string(name);
      put(":");
    }
  }
  Out &open(TextPiece name, const char *bracket) {
    key(name);
    put(bracket);
    first_ = true;
    return out();
  }
  Out &close(const char *bracket) {
    put(bracket);
    first_ = lineBreak_ = false;
    return out();
  }
  void digits(const char *prefix, uint64_t value, unsigned base, unsigned least) {
    char text[20];
    char *const end = text + sizeof text, *at = end;
    do
      *--at = "0123456789abcdef"[value % base];
    while ((value /= base) != 0);
    while (end - at < static_cast<ptrdiff_t>(least) && at > text)
      *--at = '0';
    put(prefix);
    put({at, static_cast<size_t>(end - at)});
  }

  bool first_ = true, lineBreak_ = false, isOneLine_ = false;

protected:
  bool isAscii_ = false;
};

} // namespace ada
