// Finds what the arguments of functions point to, and reads it.
#include "argument_contents.h"
#include "core/base/any_word.h"
#include "core/base/os.h"

#include "shared/select/argument_list.h"

#include <sys/uio.h>

namespace ada::runtime {
namespace {

constexpr uint64_t kLeastPage = 4096;

// A part of a function's types text. In names, `\` precedes each special character.
struct Field {
  const char *at, *end;

  char first() const { return at < end ? *at : 0; }
  // Takes the text before the next unescaped `stop`, and the `stop`.
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
  // Digits.
  uint64_t takeNumber() {
    uint64_t number = 0;
    for (; first() >= '0' && first() <= '9'; ++at)
      number = number < 100000 ? number * 10 + static_cast<uint64_t>(*at - '0') : number;
    return number;
  }
  // "i3": 3. Otherwise a number that is not a register's.
  unsigned takeRegister() {
    if (!takes("i") || first() < '0' || first() > '7')
      return ArgumentContents::kRegisters;
    return static_cast<unsigned>(*at++ - '0');
  }
};

struct Found {
  ContentForm form = ContentForm::None;
  uint64_t unit = 1; // bytes of one element, or of the whole
};

bool isView(ContentForm form) { return form == ContentForm::View || form == ContentForm::LibcxxView; }
bool isText(ContentForm form) {
  return form == ContentForm::Terminated || form == ContentForm::Object || form == ContentForm::Libcxx || isView(form);
}

// The target of a type: "*12{…": it has 12 bytes; "#4s32": elements of 4 bytes. See docs/reference/types.md.
Found formOfTarget(Field rest, bool isPointer) {
  const bool isVector = rest.takes("#");
  if (!isVector && !rest.takes("*"))
    return {};
  const uint64_t unit = rest.takeNumber();
  const ContentForm form = isVector                           ? ContentForm::Vector
                           : isPointer && rest.first() != '{' ? ContentForm::Row
                                                              : ContentForm::Whole;
  return unit > 0 ? Found{form, unit} : Found{};
}

Found formOf(Field type, bool isTwo) {
  if (isTwo) {
    Field rust = type;
    if ((rust.takes("{&str|") || rust.takes("{&mut str|")) && rust.takes("data_ptr@0:p(u8),length@8:u64}"))
      return {ContentForm::LibcxxView};
    if (!type.takes("{basic_string_view<char,") || type.has(")-"))
      return {};
    if (type.has("|_M_len@0:u64,_M_str@8:p(const char)}"))
      return {ContentForm::View};
    // Since version 16 its members' names end in "_".
    const bool isLibcxx = (type.has("|__data_@0:p(const ") && type.has(",__size_@8:u64}")) ||
                          (type.has("|__data@0:p(const ") && type.has(",__size@8:u64}"));
    return {isLibcxx ? ContentForm::LibcxxView : ContentForm::None};
  }
  const bool isPointer = type.first() == 'p';
  if (!type.takes("p(") && !type.takes("r("))
    return {};
  Field text = type;
  text.takes("const ");
  type.take(')');
  if (type.first() == '-') // callers need not have stored it
    return {};
  if (text.takes("std::string)"))
    return {ContentForm::Object};
  if (text.takes("std::__1::string)"))
    return {ContentForm::Libcxx};
  if (isPointer && text.takes("char)"))
    return {ContentForm::Terminated};
  return formOfTarget(type, isPointer);
}

// The number of bytes of that target that are recorded.
uint64_t bytesOf(const Found &found, ArgumentContents::Sizes sizes, const char *arguments, Field name) {
  constexpr uint64_t kUsual = 64, kMaxRow = 8; // elements, if their number is unknown
  using Form = select::ArgumentWish::Form;
  uint64_t bytes = isText(found.form) ? sizes.strings : sizes.pointees;
  bool isExact = false;
  if (arguments) {
    select::ArgumentWish wish;
    TextPiece list = arguments;
    bool isNamed = false;
    while (!isNamed && !list.empty() && select::takeArgument(list, wish)) {
      Field rest = name;
      isNamed = rest.takes(wish.name) && rest.at == rest.end;
    }
    const bool isWanted = isNamed && wish.form != Form::None &&
                          (wish.form == Form::Bytes || isText(found.form) == (wish.form == Form::Text));
    isExact = wish.form == Form::Bytes;
    bytes = !isWanted ? 0 : isExact ? wish.bytes : bytes > 0 ? bytes : kUsual;
  }
  if (found.form == ContentForm::Whole)
    return bytes < found.unit ? bytes : found.unit;
  if (found.form == ContentForm::Row && !isExact && bytes > kMaxRow * found.unit)
    bytes = kMaxRow * found.unit;
  return bytes / found.unit * found.unit;
}

// The form of a std::string in memory.
ContentForm formOfObject(Field type) {
  if (!type.takes("{basic_string<char,"))
    return ContentForm::None;
  if (type.has("_M_p@0:p(char)") && type.has("_M_string_length@8:u64"))
    return ContentForm::Object;
  return type.has("__r_@0:") || type.has("__rep_@0:") ? ContentForm::Libcxx : ContentForm::None;
}

// Results are kept once each for the life of the process: there are few different ones.
constexpr unsigned kMaxKept = 1024;
struct Kept {
  ArgumentContents contents;
  bool isReady; // (atomic)
};
constinit Kept kept[kMaxKept] = {};
uint32_t keptCount; // (atomic) started; may be more than fit

// Returns its number, from 1; 0 if there is no room.
uint64_t keep(const ArgumentContents &contents) {
  const uint32_t count = __atomic_load_n(&keptCount, __ATOMIC_ACQUIRE);
  for (uint32_t i = 0; i < count && i < kMaxKept; ++i)
    if (__atomic_load_n(&kept[i].isReady, __ATOMIC_ACQUIRE) && kept[i].contents == contents)
      return i + 1;
  const uint32_t mine = count < kMaxKept ? __atomic_fetch_add(&keptCount, 1, __ATOMIC_ACQ_REL) : kMaxKept;
  if (mine >= kMaxKept)
    return 0;
  kept[mine].contents = contents;
  __atomic_store_n(&kept[mine].isReady, true, __ATOMIC_RELEASE);
  return mine + 1;
}

// A word of the table: the function's address, whose low four bits and high sixteen are 0, combined with the number of
// the kept result.
constexpr unsigned kKeptBits = 20, kPlaces = 1024;
uint64_t table[kPlaces];

AddressRange constants[kMaxConstants];

// For systems without the call, such as emulators. Faults if another thread unmaps a page meanwhile.
uint64_t readCheckedMemory(void *to, uint64_t from, uint64_t bytes) {
  uint64_t done = 0;
  while (done < bytes) {
    const uint64_t at = from + done, left = kLeastPage - at % kLeastPage;
    uint64_t n = bytes - done;
    n = n < left ? n : left;
    if (!sys::isReadable(left < 8 ? at + left - 8 : at))
      break;
    for (uint64_t i = 0; i < n; ++i)
      static_cast<volatile char *>(to)[done + i] = reinterpret_cast<const volatile char *>(at)[i]; // no call of memcpy
    done += n;
  }
  return done;
}

struct Reader {
  unsigned char *to;
  uint32_t most = 0; // bytes of the current contents
  ada_contents *contents = nullptr;

  void begin(unsigned where) {
    contents = reinterpret_cast<ada_contents *>(to);
    *contents = {};
    contents->where = static_cast<uint8_t>(where);
    to += sizeof(ada_contents);
  }
  void end(uint64_t bytes, uint64_t length, bool isUnreadable) {
    contents->bytes = static_cast<uint16_t>(bytes), contents->length = length;
    contents->flags = isUnreadable ? ADA_CONTENTS_UNREADABLE : 0;
    for (; bytes % 8 != 0; ++bytes)
      to[bytes] = 0;
    to += bytes;
  }
  void terminated(uint64_t address) {
    const uint64_t wanted = most + 1ull, got = readMemory(to, address, wanted);
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
  // If bit 0 of the first byte is set, the length is in the second word and the address in the third. Otherwise the
  // other bits are the length, and the characters follow.
  void libcxxObject(uint64_t address) {
    constexpr uint64_t kLongestShort = 22;
    union {
      uint64_t words[3];
      unsigned char bytes[24];
    } head;
    if (readMemory(&head, address, sizeof head) != sizeof head)
      return end(0, ~0ull, true);
    if (head.bytes[0] & 1)
      sized(head.words[2], head.words[1]);
    else if (head.bytes[0] >> 1 <= kLongestShort)
      sized(address + 1, head.bytes[0] >> 1);
    else
      end(0, ~0ull, true);
  }
  // Up to `most` bytes; if `isAll`, that is the whole object.
  void plain(uint64_t address, bool isAll) {
    const uint64_t got = readMemory(to, address, most);
    end(got, isAll ? most : ~0ull, got < most);
  }
  void vector(uint64_t address) {
    uint64_t head[2];
    if (readMemory(head, address, sizeof head) == sizeof head && head[0] <= head[1])
      sized(head[0], head[1] - head[0]);
    else
      end(0, ~0ull, true);
  }
};

} // namespace

void ArgumentContents::measure() {
  const auto roomOf = [](const Place &p) {
    return static_cast<uint16_t>(sizeof(ada_contents) + (p.bytes + 8u) / 8 * 8);
  };
  unsigned n = 0;
  for (unsigned i = 0; i < kRegisters; ++i)
    if (places_[i].form != ContentForm::None && n++ < ADA_MOST_CONTENTS)
      roomOfCall_ = static_cast<uint16_t>(roomOfCall_ + roomOf(places_[i]));
  for (unsigned i = kResult; i <= kResultObject; ++i)
    if (places_[i].form != ContentForm::None)
      roomOfReturn_ = static_cast<uint16_t>(roomOfReturn_ + roomOf(places_[i]));
}

ArgumentContents ArgumentContents::parse(const char *types, Sizes sizes, const char *arguments) {
  ArgumentContents found;
  Field rest{types, types};
  while (types && *rest.end)
    ++rest.end;
  for (bool isResult = true; rest.at < rest.end; isResult = false) {
    Field field = rest.take(';');
    const char *kReturn = "return";
    const Field name = isResult ? Field{kReturn, kReturn + 6} : field.take(':');
    Field where = field.take(':');
    const bool isInMemory = isResult && where.first() == 'v';
    Found one;
    unsigned number = kResultObject;
    if (isInMemory) {
      one.form = formOfObject(field);
    } else if (where.takes("@")) { // "@1.24": 24 bytes at the address in i1
      number = static_cast<unsigned>(where.takeNumber());
      one = {ContentForm::Whole, where.takes(".") ? where.takeNumber() : 8};
      if (number >= kRegisters || isResult || where.at != where.end || one.unit == 0)
        continue;
    } else {
      number = where.takeRegister();
      if (number >= kRegisters || (isResult && number != 0))
        continue;
      const bool isTwo = where.takes("+") && number + 1 < kRegisters && where.takeRegister() == number + 1;
      if (where.at != where.end)
        continue;
      one = formOf(field, isTwo);
      number = isResult ? kResult : number;
    }
    if (const uint64_t bytes = one.form == ContentForm::None ? 0 : bytesOf(one, sizes, arguments, name))
      found.set(number, one.form, bytes);
  }
  found.measure();
  return found;
}

ArgumentContents ArgumentContents::of(const ada_function &function, Sizes sizes,
                                      const char *(*argumentsOf)(const ada_function &)) {
  static_assert(kMaxKept < 1u << kKeptBits && alignof(ada_function) <= 16);
  const auto address = reinterpret_cast<uint64_t>(&function);
  uint64_t *place = address >> 48 == 0 ? &table[address / sizeof(ada_function) % kPlaces] : nullptr;
  const uint64_t key = address >> 4 << kKeptBits;
  if (const uint64_t word = place ? __atomic_load_n(place, __ATOMIC_ACQUIRE) : 0; word >> kKeptBits << kKeptBits == key)
    return kept[(word & ((1u << kKeptBits) - 1)) - 1].contents;
  const char *types = function.types_off ? reinterpret_cast<const char *>(&function) + function.types_off : nullptr;
  const ArgumentContents found = parse(types, sizes, types ? argumentsOf(function) : nullptr);
  if (const uint64_t number = place ? keep(found) : 0)
    __atomic_store_n(place, key | number, __ATOMIC_RELEASE);
  return found;
}

void ArgumentContents::forget() {
  for (uint64_t &word : table)
    __atomic_store_n(&word, 0, __ATOMIC_RELAXED);
}

void setConstants(const AddressRange (&ranges)[kMaxConstants]) {
  for (int i = 0; i < kMaxConstants; ++i)
    constants[i] = ranges[i];
}

uint64_t readMemory(void *to, uint64_t from, uint64_t bytes) {
  if (bytes == 0 || from + bytes < from)
    return 0;
  for (const AddressRange &range : constants)
    if (from >= range.from && from + bytes <= range.to) {
      uint64_t i = 0;
      for (; i + 8 <= bytes; i += 8)
        *reinterpret_cast<volatile AnyWord *>(static_cast<char *>(to) + i) =
            *reinterpret_cast<const volatile AnyWord *>(from + i); // no call of memcpy
      for (; i < bytes; ++i)
        static_cast<volatile char *>(to)[i] = reinterpret_cast<const volatile char *>(from)[i];
      return bytes;
    }
  // The kernel copies a part completely or not at all, so each part lies within one page.
  iovec here = {to, bytes}, there[3];
  unsigned parts = 0;
  for (uint64_t at = from, end = from + bytes; at < end && parts < 3; ++parts) {
    const uint64_t left = kLeastPage - at % kLeastPage, n = left < end - at ? left : end - at;
    there[parts] = {reinterpret_cast<void *>(at), n};
    at += n;
  }
  const long got = sys::call(SYS_process_vm_readv, static_cast<long>(sys::processId()), &here, 1L, there,
                             static_cast<long>(parts), 0L);
  if (got >= 0)
    return static_cast<uint64_t>(got);
  return got == -EFAULT ? 0 : readCheckedMemory(to, from, bytes);
}

void readContents(ada_detail &detail, unsigned char *to, const ArgumentContents &contents, bool isCall,
                  const void *memory) {
  Reader reader{to};
  unsigned count = 0;
  const auto add = [&](unsigned where, unsigned number, const uint64_t *registers) {
    const ContentForm form = contents.argument(number);
    const uint64_t address = form == ContentForm::View ? registers[1] : registers[0];
    if (address == 0 || count == ADA_MOST_CONTENTS) // the register shows that it is null
      return;
    ++count;
    reader.most = contents.bytes(number);
    reader.begin(where);
    if (form == ContentForm::Terminated)
      reader.terminated(address);
    else if (form == ContentForm::Object)
      reader.object(address);
    else if (form == ContentForm::Libcxx)
      reader.libcxxObject(address);
    else if (form == ContentForm::View)
      reader.sized(address, registers[0]);
    else if (form == ContentForm::LibcxxView)
      reader.sized(address, registers[1]);
    else if (form == ContentForm::Vector)
      reader.vector(address);
    else
      reader.plain(address, form == ContentForm::Whole);
  };
  const auto isThere = [&](unsigned number, ContentForm form) {
    return form != ContentForm::None && number + isView(form) < detail.integers;
  };
  if (!isCall) {
    if (isThere(0, contents.result()))
      add(0, ArgumentContents::kResult, detail.registers);
    const auto address = reinterpret_cast<uint64_t>(memory);
    if (contents.isResultObject() && memory)
      add(ADA_CONTENTS_RESULT, ArgumentContents::kResultObject, &address);
  }
  for (unsigned i = 0; isCall && i < ArgumentContents::kRegisters; ++i)
    if (isThere(i, contents.argument(i)))
      add(i, i, detail.registers + i);
  detail.contents = static_cast<uint8_t>(count);
  detail.contents_bytes = static_cast<uint16_t>(reader.to - to);
}

} // namespace ada::runtime
