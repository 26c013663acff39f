// Which arguments of a function point to something that is recorded, and how it is read (options strings and pointees).
//
// Only detail hooks use this. Reading never faults, whatever the pointers are: the kernel copies, and reports how much
// could be read.
#pragma once

#include <ada/abi.h>

namespace ada::runtime {

enum class ContentForm : uint8_t {
  None,
  Terminated, // char *: up to the first zero
  Object,     // the address of libstdc++'s std::string
  Libcxx,     // the address of libc++'s std::string
  View,       // std::string_view: the length in one register, the address in the next
  LibcxxView, // the other way round; so is Rust's &str
  Whole,      // the address of a struct, or of the target of a reference
  Row,        // the address of elements of unknown number
  Vector,     // the address of a std::vector: its first two words are where its elements begin and end
};

// The parts of a function's arguments and result that are recorded.
class ArgumentContents {
public:
  static constexpr unsigned kRegisters = 8, kResult = kRegisters, kResultObject = kRegisters + 1;
  // Bytes recorded of each text and of each other target; 0: none.
  struct Sizes {
    uint32_t strings = 0, pointees = 0;
  };

  ArgumentContents() = default;
  // From a `types` text (docs/reference/types.md); null: nothing is known. `arguments`: the arguments that were asked
  // for by name (shared/select/argument_list.h), and then no others; null: no names were given.
  static ArgumentContents parse(const char *types, Sizes sizes, const char *arguments = nullptr);
  // The same, with a table of earlier results. `argumentsOf(function)` returns the names.
  // Any thread, signal handlers too.
  static ArgumentContents of(const ada_function &function, Sizes sizes,
                             const char *(*argumentsOf)(const ada_function &));
  // Clears that table: an address may later belong to another function.
  static void forget();

  ContentForm argument(unsigned number) const { return places_[number].form; }
  ContentForm result() const { return argument(kResult); }
  // The result is a std::string, constructed in memory that the caller provides.
  bool isResultObject() const { return argument(kResultObject) != ContentForm::None; }
  uint32_t bytes(unsigned number) const { return places_[number].bytes; }
  // Whether anything is recorded. Reading it may take up to `room` bytes.
  bool any(bool isCall) const { return room(isCall) > 0; }
  uint32_t room(bool isCall) const { return isCall ? roomOfCall_ : roomOfReturn_; }

private:
  struct Place {
    ContentForm form = ContentForm::None;
    uint16_t bytes = 0; // at most
    bool operator==(const Place &) const = default;
  };
  void set(unsigned number, ContentForm form, uint64_t bytes) {
    places_[number] = {form, static_cast<uint16_t>(bytes)};
  }
  void measure();

  Place places_[kRegisters + 2] = {};
  uint16_t roomOfCall_ = 0, roomOfReturn_ = 0;

  friend bool operator==(const ArgumentContents &, const ArgumentContents &) = default;
};

// Reads what the registers in `detail` point to and writes it to `to`, which must have enough room. Sets
// detail.contents and detail.contents_bytes. `memory`: a result that is in memory; otherwise null.
void readContents(ada_detail &detail, unsigned char *to, const ArgumentContents &contents, bool isCall,
                  const void *memory);

// The executable's read-only memory, such as its literals: it is never unmapped, so it is read without asking the
// kernel. Called once, before the first readContents().
struct AddressRange {
  uint64_t from = 0, to = 0;
};
constexpr int kMaxConstants = 4;
void setConstants(const AddressRange (&ranges)[kMaxConstants]);

// Copies up to `bytes` bytes from `from`, as many as can be read, and returns how many.
uint64_t readMemory(void *to, uint64_t from, uint64_t bytes);

} // namespace ada::runtime
