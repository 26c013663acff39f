// Which arguments of a function are text that is somewhere else, and reading it (option strings).
//
// Only detail hooks come here. Reading never faults, whatever the pointers are: the kernel copies, and says how much
// could be read.
#ifndef ADA_RUNTIME_CORE_TEXT_ARGUMENTS_H
#define ADA_RUNTIME_CORE_TEXT_ARGUMENTS_H

#include <ada/abi.h>

namespace ada {

enum class TextForm : uint32_t {
  None,
  Terminated, // char *: up to the first zero
  Object,     // the address of libstdc++'s std::string
  View,       // std::string_view: the length in one register, the address in the next
};

// What docs/types.md's text of a function says of that: two bits for each register of the arguments, and for the
// result.
class TextArguments {
public:
  static constexpr unsigned kRegisters = 8;

  TextArguments() = default;
  // Of the text `types`; null: nothing is known.
  static TextArguments parse(const char *types);
  // The same, from a table of those that were asked for before. Any thread, signal handlers too.
  static TextArguments of(const ada_function &function);
  // Forgets them all: what has an address now may be another function later.
  static void forget();

  TextForm argument(unsigned number) const { return (TextForm)(bits_ >> (2 * number) & 3); }
  TextForm result() const { return argument(kRegisters); }
  // The result is a std::string, made where the caller has room for it.
  bool isResultObject() const { return bits_ >> kResultObject & 1; }
  // How many there may be, at most ADA_MOST_CONTENTS.
  unsigned count(bool isCall) const;

private:
  static constexpr unsigned kResultObject = 2 * kRegisters + 2, kBits = kResultObject + 1;
  void set(unsigned number, TextForm form) { bits_ = (bits_ & ~(3u << (2 * number))) | (uint32_t)form << (2 * number); }

  uint32_t bits_ = 0;
};

// The room that `count` texts of at most `most` bytes may take while they are read: a zero may follow them.
inline uint32_t roomForTexts(unsigned count, uint32_t most) {
  return count * (uint32_t)(sizeof(ada_contents) + (most + 8) / 8 * 8);
}

// Reads what the registers in `detail` point to, up to `most` bytes of each text, and writes it to `to`, which has room
// for all. Fills in detail.contents and detail.contents_bytes. `memory`: a result that is there; else null.
void readTexts(ada_detail &detail, unsigned char *to, TextArguments texts, uint32_t most, bool isCall,
               const void *memory);

// Copies up to `bytes` bytes from there, as many as can be read; returns how many.
uint64_t readMemory(void *to, uint64_t from, uint64_t bytes);

} // namespace ada
#endif
