// Finds the text arguments of a function, and reads them.
#include "text_arguments.h"
#include "os.h"

#include "shared/text/text_piece.h"

#include <sys/uio.h>

namespace ada {
namespace {

constexpr uint64_t kLeastPage = 4096;

// A part of the text of a function's types. `\` stands before each special character of a name.
struct Field {
  const char *at, *end;

  char first() const { return at < end ? *at : 0; }
  // What comes before the next unescaped `stop`, which goes as well.
  Field take(char stop) {
    Field part{at, at};
    for (; at < end && *at != stop; ++at)
      at += *at == '\\' && at + 1 < end;
    part.end = at;
    at += at < end;
    return part;
  }
  bool takes(TextPiece text) {
    const char *p = at;
    for (size_t i = 0; i < text.size; ++i, ++p) {
      p += p < end && *p == '\\';
      if (p >= end || *p != text[i])
        return false;
    }
    at = p;
    return true;
  }
  bool has(TextPiece text) const {
    for (Field rest = *this; rest.at < rest.end; ++rest.at)
      if (Field from = rest; from.takes(text))
        return true;
    return false;
  }
  // "i3": 3. Otherwise a number that is none of a register.
  unsigned takeRegister() {
    if (!takes("i") || first() < '0' || first() > '7')
      return TextArguments::kRegisters;
    return (unsigned)(*at++ - '0');
  }
};

TextForm formOf(Field type, bool isTwo) {
  if (isTwo)
    return type.takes("{basic_string_view<char,") && type.has("|_M_len@0:u64,_M_str@8:p(const char)}") ? TextForm::View
                                                                                                       : TextForm::None;
  const bool isPointer = type.first() == 'p';
  if (!type.takes("p(") && !type.takes("r("))
    return TextForm::None;
  type.takes("const ");
  if (isPointer && type.takes("char)"))
    return TextForm::Terminated;
  return type.takes("std::string)") ? TextForm::Object : TextForm::None;
}

bool isObject(Field type) {
  return type.takes("{basic_string<char,") && type.has("_M_p@0:p(char)") && type.has("_M_string_length@8:u64");
}

// A word of the table: the function's address, whose low four bits and high sixteen are 0, and above it what was found.
constexpr unsigned kFoundBits = 20, kPlaces = 1024;
uint64_t table[kPlaces];

bool isReadable(uint64_t address) { return sys::call(SYS_rt_sigprocmask, ~0L, address, nullptr, 8L) == -EINVAL; }

// Where the system does not know the call: emulators. A page that another thread takes away meanwhile would be a fault.
uint64_t readCheckedMemory(void *to, uint64_t from, uint64_t bytes) {
  uint64_t done = 0;
  while (done < bytes) {
    const uint64_t at = from + done, left = kLeastPage - at % kLeastPage;
    uint64_t n = bytes - done;
    n = n < left ? n : left;
    if (!isReadable(left < 8 ? at + left - 8 : at))
      break;
    for (uint64_t i = 0; i < n; ++i)
      ((volatile char *)to)[done + i] = ((const volatile char *)at)[i]; // no call of memcpy
    done += n;
  }
  return done;
}

struct Reader {
  unsigned char *to;
  uint32_t most;
  ada_contents *contents = nullptr;

  void begin(unsigned where) {
    contents = (ada_contents *)to;
    *contents = {};
    contents->where = (uint8_t)where;
    to += sizeof(ada_contents);
  }
  void end(uint64_t bytes, uint64_t length, bool isUnreadable) {
    contents->bytes = (uint16_t)bytes, contents->length = length;
    contents->flags = isUnreadable ? ADA_CONTENTS_UNREADABLE : 0;
    for (; bytes % 8 != 0; ++bytes)
      to[bytes] = 0;
    to += bytes;
  }
  void terminated(uint64_t address) {
    const uint64_t wanted = most + 1, got = readMemory(to, address, wanted);
    uint64_t n = 0;
    while (n < got && to[n] != 0)
      ++n;
    end(n < most ? n : most, n < got ? n : ~0ull, n == got && got < wanted);
  }
  void sized(uint64_t address, uint64_t length) {
    const uint64_t wanted = length < most ? length : most, got = readMemory(to, address, wanted);
    end(got, length, got < wanted);
  }
  void object(uint64_t address) {
    uint64_t head[2]; // libstdc++: the address of the characters, and how many there are
    if (readMemory(head, address, sizeof head) == sizeof head)
      sized(head[0], head[1]);
    else
      end(0, ~0ull, true);
  }
};

} // namespace

TextArguments TextArguments::parse(const char *types) {
  TextArguments found;
  Field rest{types, types};
  while (types && *rest.end)
    ++rest.end;
  for (bool isResult = true; rest.at < rest.end; isResult = false) {
    Field field = rest.take(';');
    if (!isResult)
      field.take(':');
    Field where = field.take(':');
    if (isResult && where.first() == 'v') {
      found.bits_ |= (uint32_t)isObject(field) << kResultObject;
      continue;
    }
    const unsigned number = where.takeRegister();
    if (number >= kRegisters || (isResult && number != 0))
      continue;
    const bool isTwo = where.takes("+") && number + 1 < kRegisters && where.takeRegister() == number + 1;
    if (where.at == where.end)
      found.set(isResult ? kRegisters : number, formOf(field, isTwo));
  }
  return found;
}

TextArguments TextArguments::of(const ada_function &function) {
  static_assert(kBits <= kFoundBits && alignof(ada_function) <= 16);
  const uint64_t address = (uint64_t)&function;
  uint64_t *place = address >> 48 == 0 ? &table[address / sizeof(ada_function) % kPlaces] : nullptr;
  const uint64_t key = address >> 4 << kFoundBits;
  TextArguments found;
  if (const uint64_t word = place ? __atomic_load_n(place, __ATOMIC_RELAXED) : 0;
      word >> kFoundBits << kFoundBits == key) {
    found.bits_ = (uint32_t)(word & ((1u << kFoundBits) - 1));
    return found;
  }
  found = parse(function.types_off ? (const char *)&function + function.types_off : nullptr);
  if (place)
    __atomic_store_n(place, key | found.bits_, __ATOMIC_RELAXED);
  return found;
}

void TextArguments::forget() {
  for (uint64_t &word : table)
    __atomic_store_n(&word, 0, __ATOMIC_RELAXED);
}

unsigned TextArguments::count(bool isCall) const {
  if (!isCall)
    return result() != TextForm::None || isResultObject();
  unsigned n = 0;
  for (unsigned i = 0; i < kRegisters; ++i)
    n += argument(i) != TextForm::None;
  return n < ADA_MOST_CONTENTS ? n : ADA_MOST_CONTENTS;
}

uint64_t readMemory(void *to, uint64_t from, uint64_t bytes) {
  if (bytes == 0 || from + bytes < from)
    return 0;
  // The kernel copies a part completely or not at all, so each is of one page.
  iovec here = {to, bytes}, there[3];
  unsigned parts = 0;
  for (uint64_t at = from, end = from + bytes; at < end && parts < 3; ++parts) {
    const uint64_t left = kLeastPage - at % kLeastPage, n = left < end - at ? left : end - at;
    there[parts] = {(void *)at, n};
    at += n;
  }
  const long got = sys::call(SYS_process_vm_readv, (long)sys::processId(), &here, 1L, there, (long)parts, 0L);
  if (got >= 0)
    return (uint64_t)got;
  return got == -EFAULT ? 0 : readCheckedMemory(to, from, bytes);
}

void readTexts(ada_detail &detail, unsigned char *to, TextArguments texts, uint32_t most, bool isCall,
               const void *memory) {
  Reader reader{to, most};
  unsigned count = 0;
  const auto add = [&](unsigned where, TextForm form, const uint64_t *registers) {
    const uint64_t address = form == TextForm::View ? registers[1] : registers[0];
    if (address == 0 || count == ADA_MOST_CONTENTS) // null says so itself
      return;
    ++count;
    reader.begin(where);
    if (form == TextForm::Terminated)
      reader.terminated(address);
    else if (form == TextForm::Object)
      reader.object(address);
    else
      reader.sized(address, registers[0]);
  };
  const auto isThere = [&](unsigned number, TextForm form) {
    return form != TextForm::None && number + (form == TextForm::View) < detail.integers;
  };
  if (!isCall) {
    if (isThere(0, texts.result()))
      add(0, texts.result(), detail.registers);
    const uint64_t address = (uint64_t)memory;
    if (texts.isResultObject() && memory)
      add(ADA_CONTENTS_RESULT, TextForm::Object, &address);
  }
  for (unsigned i = 0; isCall && i < TextArguments::kRegisters; ++i)
    if (isThere(i, texts.argument(i)))
      add(i, texts.argument(i), detail.registers + i);
  detail.contents = (uint8_t)count;
  detail.contents_bytes = (uint16_t)(reader.to - to);
}

} // namespace ada
