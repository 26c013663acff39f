// What the texts of docs/reference/types.md are made of, whatever the compiler.
#pragma once

#include <string>
#include <string_view>

namespace ada::pass {

/// The largest result in memory that is recorded, and the part of a value that readers show, in bytes.
constexpr unsigned kMaxResultBytes = 64, kMaxShownBytes = 64;

/// The largest struct that is described, in bits.
constexpr unsigned kMaxStructBits = 2048;

/// A part of a value, in one register or on the stack. General registers are numbered in the order in which they carry
/// arguments (or, for a result, results).
struct ValuePiece {
  enum class Where {
    General,
    Vector,
    Stack,
    Memory,  ///< at the address in a general register
    LeftOut, ///< nowhere: callers need not pass it
  };
  Where where;
  unsigned number; // on the stack: bytes above the stack pointer at the function's first instruction; in memory: of the
                   // register
  unsigned bytes;
};

/// The COUNT pieces of a value: "!" if callers leave out all of them; "-" if a register is wider than the part of it
/// that is recorded. A piece on the stack or in memory is given as many bytes as readers show.
std::string placeText(const ValuePiece *pieces, size_t count);

/// TEXT with a backslash before each character that has a meaning in types.
std::string escaped(std::string_view text);

/// TYPE, a parameter's, with a '-' after the pointer or reference in it: what that points to is not recorded.
std::string withoutContents(const std::string &type);

/// The names by which the runtime recognizes strings (argument_contents.h): laid out as in today's libstdc++, and as in
/// libc++.
inline constexpr const char *kStdString = "std::string", *kLibcxxString = "std::__1::string";

} // namespace ada::pass
