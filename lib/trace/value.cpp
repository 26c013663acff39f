// Shows values: for people, and as JSON.
#include "ada/trace/types.h"

#include "trace/base/json.h"
#include "trace/base/number_text.h"
#include "trace/base/quantities.h"
#include "trace/base/text.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <map>

namespace ada::types {

namespace {

// A value's text is cut at this length; its JSON has null for what comes later.
constexpr size_t kMaxTextBytes = 4096;

//===--- names ------------------------------------------------------------===//

std::string enumText(const Type &type, uint64_t value) {
  for (const Enumerator &one : type.enumerators)
    if (one.value == value)
      return oneLine(one.name);
  // Enumerators of one bit that together make the value.
  std::string text;
  uint64_t rest = value;
  for (const Enumerator &one : type.enumerators)
    if (std::has_single_bit(one.value) && (rest & one.value)) {
      text += (text.empty() ? "" : "|") + oneLine(one.name);
      rest &= ~one.value;
    }
  if (rest == 0 && !text.empty())
    return text;
  std::string digits = decimal(extend(value, 64, type.isSigned), type.isSigned);
  return type.name.empty() ? digits : oneLine(type.name) + "(" + digits + ")";
}

std::string flagsText(const FlagNames &names, uint64_t value) {
  if (names.octal) {
    char digits[28];
    auto end = std::to_chars(digits, std::end(digits), value, 8).ptr;
    return (value ? "0" : "") + std::string(digits, end);
  }
  std::string text;
  uint64_t rest = value;
  for (const Flag &flag : names.flags)
    if ((value & flag.mask) == flag.value && (flag.value == 0 || (rest & flag.value) == flag.value)) {
      text += (text.empty() ? "" : "|") + std::string(flag.name);
      rest &= ~flag.value;
    }
  if (rest != 0 || text.empty())
    text += (text.empty() ? "" : "|") + hex(rest);
  return text;
}

//===--- rendering --------------------------------------------------------===//

// Writes one value, for people or as JSON.
class Renderer {
public:
  // `leftOut`: bit i says that byte i from `first` on holds nothing.
  explicit Renderer(bool json, const std::byte *first = nullptr, uint64_t leftOut = 0)
      : json_(json), first_(first), leftOut_(leftOut) {}
  std::string out;

  // `bytes`: the bytes there are from the value's first byte on.
  void write(const Type &type, Bytes bytes, const FlagNames *flags) {
    if (out.size() > kMaxTextBytes)
      return word(json_ ? "null" : "…");
    if (type.kind == Kind::Void)
      return word(json_ ? "null" : "");
    if (type.kind == Kind::Struct) {
      word("{");
      Names keys;
      structure(type, bytes, keys);
      return word("}");
    }
    if (type.kind == Kind::Array)
      return array(type, bytes);
    const size_t size = type.bytes();
    // Unknown types need not say how big they are.
    const size_t shown = size == 0 && type.kind == Kind::Unknown ? bytes.size() : size;
    if (shown > bytes.size() || shown == 0)
      return word(json_ ? "null" : "?");
    if (const size_t missing = missingOf(bytes.first(shown)); missing > 0)
      return word(json_ ? "null" : missing == shown ? "<unused>" : "?");
    scalar(type, bytes.first(shown), flags);
  }

private:
  using Names = std::map<std::string, unsigned>; // the last number given

  // How many bytes were left out.
  size_t missingOf(Bytes bytes) const {
    if (leftOut_ == 0)
      return 0;
    size_t missing = 0;
    for (const std::byte &byte : bytes)
      if (const auto at = static_cast<size_t>(&byte - first_); at < 64)
        missing += leftOut_ >> at & 1;
    return missing;
  }

  void word(std::string_view text) { out += text; }
  // Values that JSON has no type for become strings.
  void string(const std::string &text) { out += json_ ? jsonString(text) : text; }

  void scalar(const Type &type, Bytes bytes, const FlagNames *flags) {
    const bool isSigned = type.kind == Kind::Signed || (type.kind == Kind::Enum && type.isSigned);
    const Wide value = extend(load(bytes), type.bits, isSigned);
    const auto low = static_cast<uint64_t>(value);
    switch (type.kind) {
    case Kind::Bool:
      return word(low == 0 ? "false" : low == 1 ? "true" : std::to_string(low));
    case Kind::Char:
      if (json_ && low < 0x80)
        return word(jsonString(std::string(1, static_cast<char>(low))));
      return json_ ? word(std::to_string(low)) : word(charText(static_cast<unsigned char>(low)));
    case Kind::Signed:
    case Kind::Unsigned:
      if (type.bits > 128)
        return string(hexOf(bytes));
      if (flags)
        return string(flagsText(*flags, static_cast<uint64_t>(extend(low, type.bits, false))));
      return type.bits > 64 ? string(decimal(value, isSigned)) : word(decimal(value, isSigned));
    case Kind::Float: {
      std::string text = type.isBfloat ? bfloatText(bytes) : floatText(bytes, type.bits);
      bool number = type.bits <= 64 && text.find_first_of("nx") == text.npos;
      return number ? word(text) : string(text);
    }
    case Kind::Pointer:
    case Kind::Reference:
      return string(low == 0 && type.kind == Kind::Pointer && !json_ ? "nullptr" : hex(low));
    case Kind::Enum:
      return string(enumText(type, low));
    default:
      return string(hexOf(bytes));
    }
  }

  // A member's name in an object, once only.
  std::string key(const std::string &name, Names &keys) {
    const std::string plain = oneLine(name);
    const auto [used, isNew] = keys.try_emplace(plain, 1);
    if (isNew)
      return plain;
    std::string unique;
    do
      unique = plain + "#" + std::to_string(++used->second);
    while (!keys.try_emplace(unique, 1).second);
    return unique;
  }

  // The members of base classes and anonymous structs are the struct's own.
  void structure(const Type &type, Bytes bytes, Names &keys) {
    for (const Member &member : type.members) {
      if (out.size() > kMaxTextBytes)
        return;
      Bytes rest = member.offset <= bytes.size() ? bytes.subspan(member.offset) : Bytes();
      if (member.name.empty() && member.type.kind == Kind::Struct) {
        structure(member.type, rest, keys);
        continue;
      }
      if (!out.ends_with('{'))
        word(json_ ? "," : ", ");
      std::string name = json_ ? jsonString(key(member.name, keys)) + ":" : oneLine(member.name) + "=";
      if (json_ || !member.name.empty())
        word(name);
      if (member.type.kind == Kind::Void) // its value can't be known
        word(json_ ? "null" : "?");
      else
        write(member.type, rest, nullptr);
    }
  }

  void array(const Type &type, Bytes bytes) {
    const Type &element = type.members[0].type;
    const size_t size = element.bytes();
    const size_t there = size == 0 ? 0 : std::min<size_t>(type.count, bytes.size() / size);
    if (element.kind == Kind::Char && there == type.count && missingOf(bytes.first(there)) == 0) {
      // Text, up to its end as C sees it.
      std::string text;
      for (size_t i = 0; i < there && bytes[i] != std::byte{0}; ++i)
        text += static_cast<char>(bytes[i]);
      return word(jsonString(text));
    }
    if (there == 0 && type.count > 0)
      return word(json_ ? "null" : "?");
    word("[");
    for (size_t i = 0; i < there; ++i) {
      if (i > 0)
        word(json_ ? "," : ", ");
      write(element, bytes.subspan(i * size, size), nullptr);
    }
    if (there < type.count && !json_)
      word(", …");
    word("]");
  }

  bool json_;
  const std::byte *first_;
  uint64_t leftOut_;
};

} // namespace

//===--- Value ------------------------------------------------------------===//

Value::Value(const Type &type, Bytes bytes, const FlagNames *flags, uint64_t leftOut)
    : shape_(&type), flags_(flags), leftOut_(leftOut), size_(static_cast<uint8_t>(std::min(bytes.size(), kMaxBytes))),
      known_(true) {
  std::copy_n(bytes.begin(), size_, storage_.begin());
}

bool Value::hasNumber() const noexcept {
  const uint32_t bytes = shape_->bytes();
  return known_ && bytes <= size_ && (bytes >= 64 ? leftOut_ : leftOut_ & ((uint64_t{1} << bytes) - 1)) == 0;
}

std::optional<uint64_t> Value::asUnsigned() const {
  switch (shape_->kind) {
  case Kind::Bool:
  case Kind::Char:
  case Kind::Signed:
  case Kind::Unsigned:
  case Kind::Enum:
  case Kind::Pointer:
  case Kind::Reference:
    break;
  default:
    return std::nullopt;
  }
  if (!hasNumber() || shape_->bits > 64)
    return std::nullopt;
  const bool isSigned = shape_->kind == Kind::Signed || (shape_->kind == Kind::Enum && shape_->isSigned);
  const Wide value = extend(load(bytes()), shape_->bits, isSigned);
  if (value >> 127)
    return std::nullopt; // negative
  return static_cast<uint64_t>(value);
}

std::optional<int64_t> Value::asSigned() const {
  if (std::optional<uint64_t> value = asUnsigned())
    return *value >> 63 ? std::nullopt : std::optional(static_cast<int64_t>(*value));
  const bool isSigned = shape_->kind == Kind::Signed || (shape_->kind == Kind::Enum && shape_->isSigned);
  if (!hasNumber() || !isSigned || shape_->bits > 64)
    return std::nullopt;
  return static_cast<int64_t>(static_cast<uint64_t>(extend(load(bytes()), shape_->bits, true)));
}

std::optional<double> Value::asDouble() const {
  if (!hasNumber())
    return std::nullopt;
  if (shape_->kind == Kind::Float && shape_->isBfloat)
    return static_cast<double>(bfloatOf(bytes()));
  if (shape_->kind == Kind::Float) {
    if (std::optional<long double> value = floatOf(load(bytes()), shape_->bits))
      return static_cast<double>(*value);
    return std::nullopt;
  }
  if (shape_->kind != Kind::Signed && shape_->kind != Kind::Unsigned)
    return std::nullopt;
  if (shape_->bits > 128)
    return std::nullopt;
  const bool isSigned = shape_->kind == Kind::Signed;
  const Wide value = extend(load(bytes()), shape_->bits, isSigned);
  if (isSigned && value >> 127)
    return -static_cast<double>(-value);
  return static_cast<double>(value);
}

std::string Value::text() const {
  if (!known_)
    return shape_->kind == Kind::Void ? "" : "?";
  Renderer renderer(false, storage_.data(), leftOut_);
  renderer.write(*shape_, bytes(), flags_);
  return std::move(renderer.out);
}

std::string Value::json() const {
  if (!known_)
    return "null";
  Renderer renderer(true, storage_.data(), leftOut_);
  renderer.write(*shape_, bytes(), flags_);
  return std::move(renderer.out);
}

//===--- what a pointer points to -----------------------------------------===//

static std::string pointeeText(const Contents &contents, const Type &pointer, bool isJson) {
  const Type &target = pointer.members[0].type;
  Renderer renderer(isJson);
  const bool isOne = !pointer.pointsToVector && (target.kind == Kind::Struct || pointer.kind == Kind::Reference);
  if (isOne) {
    renderer.write(target, contents.bytes, nullptr);
    return (pointer.kind == Kind::Pointer && !isJson ? "&" : "") + renderer.out;
  }
  const uint64_t size = target.bytes(), there = contents.bytes.size() / size;
  const uint64_t all = contents.length ? *contents.length / size : there + 1; // unknown: there may be more
  Type elements;
  elements.kind = Kind::Array;
  elements.count = static_cast<uint32_t>(std::min<uint64_t>(all, 1u << 30));
  elements.members.push_back(pointer.members[0]);
  renderer.write(elements, contents.bytes, nullptr);
  if (contents.length && there < all && !isJson)
    renderer.out.insert(renderer.out.size() - renderer.out.ends_with(']'), " (" + formatCount(all, "element") + ")");
  if (contents.isUnreadable && !isJson)
    renderer.out += " (unreadable)";
  return std::move(renderer.out);
}

static bool isTextBehind(const Type &pointer, const Contents &contents) {
  return (pointer.kind != Kind::Pointer && pointer.kind != Kind::Reference) || pointer.members.empty() ||
         (contents.isUnreadable && contents.bytes.empty()) ||
         (pointer.pointsToVector && pointer.members[0].type.kind == Kind::Char);
}

std::string Contents::text(const Type &pointer) const {
  return isTextBehind(pointer, *this) ? text() : pointeeText(*this, pointer, false);
}

std::string Contents::json(const Type &pointer) const {
  return isTextBehind(pointer, *this) ? json() : pointeeText(*this, pointer, true);
}

} // namespace ada::types
