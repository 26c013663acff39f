// Names of the flag bits that C library functions take as parameters.
// The values are Linux's, for the two architectures that can be recorded.
#include "ada/trace/types.h"

#include "shared/arch.h"
#include "shared/select/function_name.h"

#include <array>

namespace ada::types {

namespace {

constexpr Flag bit(uint64_t value, const char *name) { return {value, value, name}; }

// The access mode is a number of two bits. O_SYNC and O_TMPFILE include other
// flags' bits, so they come first. O_LARGEFILE is the kernel's value: libc's is 0 on 64-bit systems, but flags that
// pass through a system call wrapper have it. 040000 to 0400000 are four flags whose order the architectures chose.
constexpr std::array<Flag, 20> openFlags(uint64_t directory, Flag first, Flag second, Flag third, Flag fourth) {
  return {{
      {0, 3, "O_RDONLY"},
      {1, 3, "O_WRONLY"},
      {2, 3, "O_RDWR"},
      bit(04010000, "O_SYNC"),
      bit(020000000 | directory, "O_TMPFILE"),
      bit(0100, "O_CREAT"),
      bit(0200, "O_EXCL"),
      bit(0400, "O_NOCTTY"),
      bit(01000, "O_TRUNC"),
      bit(02000, "O_APPEND"),
      bit(04000, "O_NONBLOCK"),
      bit(010000, "O_DSYNC"),
      bit(020000, "O_ASYNC"),
      first,
      second,
      third,
      fourth,
      bit(01000000, "O_NOATIME"),
      bit(02000000, "O_CLOEXEC"),
      bit(010000000, "O_PATH"),
  }};
}
constexpr auto kOpenX86 = openFlags(0200000, bit(040000, "O_DIRECT"), bit(0100000, "O_LARGEFILE"),
                                    bit(0200000, "O_DIRECTORY"), bit(0400000, "O_NOFOLLOW"));
constexpr auto kOpenArm64 = openFlags(040000, bit(040000, "O_DIRECTORY"), bit(0100000, "O_NOFOLLOW"),
                                      bit(0200000, "O_DIRECT"), bit(0400000, "O_LARGEFILE"));
constexpr Flag kProt[] = {
    {0, ~uint64_t{0}, "PROT_NONE"}, bit(1, "PROT_READ"), bit(2, "PROT_WRITE"), bit(4, "PROT_EXEC")};
constexpr Flag kMap[] = {
    {1, 15, "MAP_SHARED"},
    {2, 15, "MAP_PRIVATE"},
    {3, 15, "MAP_SHARED_VALIDATE"},
    bit(0x10, "MAP_FIXED"),
    bit(0x20, "MAP_ANONYMOUS"),
    bit(0x100, "MAP_GROWSDOWN"),
    bit(0x2000, "MAP_LOCKED"),
    bit(0x4000, "MAP_NORESERVE"),
    bit(0x8000, "MAP_POPULATE"),
    bit(0x10000, "MAP_NONBLOCK"),
    bit(0x20000, "MAP_STACK"),
    bit(0x40000, "MAP_HUGETLB"),
    bit(0x100000, "MAP_FIXED_NOREPLACE"),
};
constexpr Flag kAccess[] = {{0, ~uint64_t{0}, "F_OK"}, bit(4, "R_OK"), bit(2, "W_OK"), bit(1, "X_OK")};

constexpr FlagNames kOpenX86Names{kOpenX86}, kOpenArm64Names{kOpenArm64}, kProtNames{kProt}, kMapNames{kMap},
    kAccessNames{kAccess}, kOctal{{}, true};

// A parameter of a function, by its place in C.
struct Known {
  std::string_view function;
  unsigned position;
  std::string_view names; ///< the parameter's names, also in methods of that function name
  const FlagNames *x86, *arm64;
};
constexpr Known kKnown[] = {
    {"open", 1, "flags oflag oflags", &kOpenX86Names, &kOpenArm64Names},
    {"open64", 1, "flags oflag oflags", &kOpenX86Names, &kOpenArm64Names},
    {"openat", 2, "flags oflag oflags", &kOpenX86Names, &kOpenArm64Names},
    {"openat64", 2, "flags oflag oflags", &kOpenX86Names, &kOpenArm64Names},
    {"open", 2, "mode", &kOctal, &kOctal},
    {"openat", 3, "mode", &kOctal, &kOctal},
    {"creat", 1, "mode", &kOctal, &kOctal},
    {"mkdir", 1, "mode", &kOctal, &kOctal},
    {"mkdirat", 2, "mode", &kOctal, &kOctal},
    {"chmod", 1, "mode", &kOctal, &kOctal},
    {"fchmod", 1, "mode", &kOctal, &kOctal},
    {"mmap", 2, "prot", &kProtNames, &kProtNames},
    {"mmap", 3, "flags", &kMapNames, &kMapNames},
    {"mmap64", 2, "prot", &kProtNames, &kProtNames},
    {"mmap64", 3, "flags", &kMapNames, &kMapNames},
    {"mprotect", 2, "prot", &kProtNames, &kProtNames},
    {"access", 1, "mode", &kAccessNames, &kAccessNames},
};

// Whether `word` is one of the words of `list`.
bool isOneOf(std::string_view word, std::string_view list) {
  while (!list.empty()) {
    size_t end = list.find(' ');
    if (list.substr(0, end) == word)
      return true;
    list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
  }
  return false;
}

} // namespace

void FunctionTypes::nameFlags(std::string_view function, uint8_t arch) {
  function = function.substr(0, select::lengthWithoutParameters(function));
  // The parameters of a C++ function need not be where C has them.
  size_t scope = function.rfind("::");
  const bool isC = scope == std::string_view::npos;
  std::string_view base = isC ? function : function.substr(scope + 2);
  while (isC && base.starts_with('_')) // __open
    base.remove_prefix(1);
  for (const Known &known : kKnown) {
    if (known.function != base)
      continue;
    for (size_t i = 0; i < parameters.size(); ++i) {
      Parameter &parameter = parameters[i];
      const Kind kind = parameter.type.kind;
      if ((kind != Kind::Signed && kind != Kind::Unsigned) || parameter.type.bits > 64)
        continue;
      if (isOneOf(parameter.name, known.names) || (isC && parameter.name.empty() && i == known.position))
        parameter.flags = arch == static_cast<uint8_t>(Arch::Arm64) ? known.arm64 : known.x86;
    }
  }
}

} // namespace ada::types
