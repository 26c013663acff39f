// Types and values of arguments and results, from the registers of detail events.
//
// The compiler pass writes for each function what its parameters are called,
// what types they have and which registers carry them (docs/reference/types.md); the
// manifest passes it on as Symbol::types. Together with the registers of a
// detail event that gives values:
//
//   ada::types::FunctionTypes types =
//       ada::types::FunctionTypes::parse("i0:b;v:v0:f64;n:i0:s32");
//   ada::types::Registers registers;
//   registers.general = function.registers; // of a call
//   for (const auto &parameter : types.parameters)
//     print(parameter.name, parameter.value(registers).text());
//
// Nothing in a text is trusted. parse() reads from the front and stops at the
// first thing that it does not understand. Values never read beyond the registers
// that were recorded. Pointers are followed as far as what they pointed to was
// recorded (Contents).
//
// Values point into the types they were made with, so a FunctionTypes must
// outlive them. Everything here may be read by several threads at once.
#ifndef ADA_TRACE_TYPES_H
#define ADA_TRACE_TYPES_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ada::types {

enum class Kind : uint8_t {
  Void,
  Bool,
  Char,
  Signed,
  Unsigned,
  Float,
  Pointer,
  Reference,
  Enum,
  Struct,
  Array,
  Unknown, ///< shown as bits
};

struct Member;

struct Enumerator {
  std::string name;   ///< "Mode::Fast", or "RED" of an unscoped one
  uint64_t value = 0; ///< sign-extended if the enum is signed
};

/// A type by its layout.
struct Type {
  Kind kind = Kind::Void;
  bool isSigned = false; ///< enums
  bool isBfloat = false; ///< a floating-point number that is the upper half of one of 32 bits
  uint32_t bits = 0;     ///< 0 for void, structs and arrays
  uint32_t count = 0;    ///< elements of an array
  /// The enum's or struct's name, what a pointer points to ("const char"), the
  /// unknown type's name. May be empty.
  std::string name;
  std::vector<Enumerator> enumerators;
  /// For a struct, its members; a base class or an anonymous struct has no name. For an array: one, the element.
  /// For a pointer or reference: one, what it points to, if the text says more about that than its name;
  /// for a std::vector, its element.
  std::vector<Member> members;
  bool pointsToVector = false;

  /// Bytes that a value takes: for a struct, up to the end of its last member.
  uint32_t bytes() const noexcept;
  /// What it is called: "int32", "uint8", "float64", "bool", "const char *",
  /// "int &", "Mode", "char[16]"; names are those of the source, on one line.
  std::string text() const;
};

struct Member {
  std::string name;
  uint32_t offset = 0; ///< bytes
  Type type;
};

/// One register, or a part of one, or a part of the stack that holds a part of
/// a value.
struct Piece {
  enum class Place : uint8_t {
    General, ///< `number` as in a detail event's registers
    Vector,  ///< `number` as in its vector registers
    Stack,   ///< `number` bytes above the stack pointer at entry
    Memory,  ///< at the address in general register `number`; known if its contents were recorded
    LeftOut, ///< nowhere: the function does not use these bytes, and callers need not pass them
  };
  Place place = Place::General;
  uint32_t number = 0;
  uint32_t bytes = 8;
};

/// What an argument, or the result, points to, as it was recorded (options strings and pointees of the runtime).
struct Contents {
  static constexpr uint8_t kOfResult = 0x80;

  uint8_t where = 0; ///< number of the general register that holds the address; kOfResult: of the result in memory
  bool isUnreadable = false;             ///< the memory could not be read, or not all of it
  std::optional<uint64_t> length = {};   ///< of everything there in bytes, if that is known
  std::span<const std::byte> bytes = {}; ///< its first ones

  bool isWhole() const noexcept { return length == bytes.size(); }
  /// "text" in quotes, escaped as in JSON; `"te"… (100,000 bytes)` if there is more; `(unreadable)`.
  std::string text() const;
  /// A JSON string with the text, and "…" after it if there is more.
  std::string json() const;

  /// Formatted by the type of the pointer or reference, if that says what is there: &{x=1, y=2} ({…} for a reference),
  /// [1, 2, …], [1, 2, … (1,000 elements)] for a std::vector, 5 for a reference to a number. Otherwise text().
  std::string text(const Type &pointer) const;
  /// Likewise: an object, an array of the elements that were recorded, a number. Otherwise json().
  std::string json(const Type &pointer) const;
};

/// What a detail event recorded. Default: nothing was.
struct Registers {
  /// The general registers; empty spans mean that they were not recorded.
  std::span<const uint64_t> general = {};
  /// The vector registers, one after the other, `vectorBytes` each.
  std::span<const std::byte> vectors = {};
  uint32_t vectorBytes = 16;
  /// Stack bytes from the stack pointer upwards.
  std::span<const std::byte> stack = {};
  /// What the general registers point to, as far as it was recorded.
  std::span<const Contents> contents = {};
};

struct Flag {
  uint64_t value, mask;
  const char *name;
};

/// Names for the bits of an integer parameter that C libraries document:
/// O_RDONLY|O_CLOEXEC.
struct FlagNames {
  std::span<const Flag> flags;
  bool octal = false; ///< no names: shown as 0644
};

/// A value of a type: its bytes, and how to show them.
class Value {
public:
  /// No value: the parameter was not in a register that was recorded.
  explicit Value(const Type &type) : shape_(&type) {}
  /// At most kMaxBytes of `bytes` are taken. `leftOut`: bit i says that byte i holds nothing of the value.
  Value(const Type &type, std::span<const std::byte> bytes, const FlagNames *flags = nullptr, uint64_t leftOut = 0);

  /// The largest value that is held completely; structs in registers have 64.
  static constexpr size_t kMaxBytes = 64;

  const Type &type() const noexcept { return *shape_; }
  /// True if its bytes are known; in some values, a part may have been left out.
  bool isKnown() const noexcept { return known_; }
  std::span<const std::byte> bytes() const noexcept { return {storage_.data(), size_}; }

  /// The value of integers, enums, bool and char of up to 64 bits; nothing for
  /// other types, for values that don't fit and for unknown ones.
  std::optional<int64_t> asSigned() const;
  std::optional<uint64_t> asUnsigned() const;
  /// The value of any number as a double, rounded if it must be.
  std::optional<double> asDouble() const;

  /// For people: 10, -1, true, 'a', 2.5, Mode::Fast, A|B, Mode(7), 0x7ffe…,
  /// nullptr, {x=1, y=2}, [1, 2], "text" for an array of char,
  /// O_RDONLY|O_CLOEXEC; "?" if it is not known and "" for
  /// void. Numbers are whole: floating point as short as reads back the same.
  /// One line: control characters in names are replaced. A member that was left out is "<unused>",
  /// a member of which a part was left out is "?".
  std::string text() const;

  /// As JSON: numbers and booleans as such, structs as objects, arrays as
  /// arrays, a char as a string of one character; everything else, NaN,
  /// infinity and integers of more than 64 bits too, as the string that text()
  /// gives; null if it is not known.
  std::string json() const;

private:
  /// Whether all bytes of a number are there.
  bool hasNumber() const noexcept;

  const Type *shape_;
  const FlagNames *flags_ = nullptr;
  std::array<std::byte, kMaxBytes> storage_{};
  uint64_t leftOut_ = 0;
  uint8_t size_ = 0;
  bool known_ = false;
};

/// A parameter, or the result.
struct Parameter {
  std::string name;         ///< empty if it has none in the source
  std::vector<Piece> where; ///< empty: not known
  bool isLeftOut = false;   ///< the function does not use it and callers need not pass it
  Type type;
  const FlagNames *flags = nullptr; ///< see FunctionTypes::nameFlags

  /// Its value on a call (of the result: on a return).
  Value value(const Registers &registers) const;
  /// What it points to, if that was recorded; else null.
  const Contents *contents(const Registers &registers) const;
};

/// The description of a function that a types text gives.
struct FunctionTypes {
  Parameter result;
  std::vector<Parameter> parameters;
  /// A library function: the last general register of its return is not a register, but errno.
  bool isExternal = false;
  bool hasResult = false;  ///< the text said what the function returns
  bool isVariadic = false; ///< there may be more arguments than parameters
  bool isWhole = false;    ///< the whole text was understood
  /// Where in the text the reader stopped, if it is not whole.
  size_t stoppedAt = 0;

  /// Reads a text of docs/reference/types.md. Everything from the first thing on that is not understood (a newer
  /// writer's type, damage, nesting deeper than kMaxNesting, more than kMaxNodes members and enumerators) is left
  /// out.
  static FunctionTypes parse(std::string_view text);

  static constexpr unsigned kMaxNesting = 16;
  static constexpr size_t kMaxNodes = 4096;
  static constexpr size_t kMaxTextBytes = 1 << 20;

  /// Gives integer parameters whose bits a C library documents their names:
  /// `flags` of open(), `prot` of mmap(). `function` is the function's name
  /// (open, or my::File::open), `arch` ATF's code, because the values of O_DIRECT and others depend on it.
  void nameFlags(std::string_view function, uint8_t arch);
};

/// "n=10, v=2.5"; a parameter without a name is its value alone. Where the text
/// was not understood to its end (or is empty), the general registers that no
/// parameter claims follow, labelled as the architecture calls them
/// ("rdi=0x1, rsi=0x2"), and the vector registers. `arch`: ATF's code.
std::string argumentsText(const FunctionTypes &types, const Registers &registers, uint8_t arch);
/// "55"; "" for void; "rax=0x37" if the type is not known.
std::string resultText(const FunctionTypes &types, const Registers &registers, uint8_t arch);

/// {"n":10,"v":2.5}: parameters without a name are called "#2" by their number
/// from 1. Registers are not in there: see registerName().
std::string argumentsJson(const FunctionTypes &types, const Registers &registers);
/// {"n":"int32","v":"float64"}, with the keys of argumentsJson().
std::string argumentTypesJson(const FunctionTypes &types);
/// The result's value, "null" for void and where the type is not known.
std::string resultJson(const FunctionTypes &types, const Registers &registers);

/// errno after a call of a library function that returned -1 or a null pointer, as failed functions do.
/// Nothing for other functions, other results, and where errno was 0 or not recorded.
std::optional<uint32_t> errorOf(const FunctionTypes &types, const Registers &registers);
/// "ENOENT"; "errno 4711" if it has no name.
std::string errorName(uint64_t number);

/// The name of general register `number` of a call (of a return: with `isReturn`): "rdi", "x0";
/// "r0" for unknown architectures. Empty if the architecture has no register of that number.
std::string registerName(uint8_t arch, unsigned number, bool isReturn);
/// "xmm0", "v0".
std::string vectorName(uint8_t arch, unsigned number);

} // namespace ada::types

#endif // ADA_TRACE_TYPES_H
