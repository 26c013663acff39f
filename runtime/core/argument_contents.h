// Which arguments of a function point to something that is recorded, and reading it (options strings and pointees).
//
// Only detail hooks come here. Reading never faults, whatever the pointers are: the kernel copies, and says how much
// could be read.
#ifndef ADA_RUNTIME_CORE_ARGUMENT_CONTENTS_H
#define ADA_RUNTIME_CORE_ARGUMENT_CONTENTS_H

#include <ada/abi.h>

namespace ada {

enum class ContentForm : uint8_t {
  None,
  Terminated, // char *: up to the first zero
  Object,     // the address of libstdc++'s std::string
  Libcxx,     // the address of libc++'s
  View,       // std::string_view: the length in one register, the address in the next
  LibcxxView, // the other way round
  Whole,      // the address of a struct, or of what a reference means
  Row,        // the address of elements, nobody knows how many
  Vector,     // the address of a std::vector: its first two words are where its elements begin and end
};

// What of a function's arguments and result is recorded.
class ArgumentContents {
public:
  static constexpr unsigned kRegisters = 8, kResult = kRegisters, kResultObject = kRegisters + 1;
  // Bytes of each text, and of each of the others; 0: none.
  struct Sizes {
    uint32_t strings = 0, pointees = 0;
  };

  ArgumentContents() = default;
  // Of docs/types.md's text `types`; null: nothing is known. `arguments`: those that were asked for by name
  // (shared/select/argument_list.h), then no others; null: no names were given.
  static ArgumentContents parse(const char *types, Sizes sizes, const char *arguments = nullptr);
  // The same, from a table of those that were asked for before. `argumentsOf(function)` says the names.
  // Any thread, signal handlers too.
  static ArgumentContents of(const ada_function &function, Sizes sizes,
                             const char *(*argumentsOf)(const ada_function &));
  // Forgets which function has which: what has an address now may be another function later.
  static void forget();

  ContentForm argument(unsigned number) const { return places_[number].form; }
  ContentForm result() const { return argument(kResult); }
  // The result is a std::string, made where the caller has room for it.
  bool isResultObject() const { return argument(kResultObject) != ContentForm::None; }
  uint32_t bytes(unsigned number) const { return places_[number].bytes; }
  // Whether there is any. Then `room` bytes may be taken while they are read.
  bool any(bool isCall) const { return room(isCall) > 0; }
  uint32_t room(bool isCall) const { return isCall ? roomOfCall_ : roomOfReturn_; }

private:
  struct Place {
    ContentForm form = ContentForm::None;
    uint16_t bytes = 0; // at most
    bool operator==(const Place &) const = default;
  };
  void set(unsigned number, ContentForm form, uint64_t bytes) { places_[number] = {form, (uint16_t)bytes}; }
  void measure();

  Place places_[kRegisters + 2] = {};
  uint16_t roomOfCall_ = 0, roomOfReturn_ = 0;

  friend bool operator==(const ArgumentContents &, const ArgumentContents &) = default;
};

// Reads what the registers in `detail` point to, and writes it to `to`, which has the room. Fills in detail.contents
// and detail.contents_bytes. `memory`: a result that is there; else null.
void readContents(ada_detail &detail, unsigned char *to, const ArgumentContents &contents, bool isCall,
                  const void *memory);

// What the executable has loaded to be read only, such as its literals: nobody takes that away, so no kernel need be
// asked. Called once, before the first readContents().
struct AddressRange {
  uint64_t from = 0, to = 0;
};
constexpr int kMostConstants = 4;
void setConstants(const AddressRange (&ranges)[kMostConstants]);

// Copies up to `bytes` bytes from there, as many as can be read; returns how many.
uint64_t readMemory(void *to, uint64_t from, uint64_t bytes);

} // namespace ada
#endif
