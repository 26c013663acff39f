// Names lambdas by their place in the source instead of the numbers that compilers give them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ada::atf {

/// The lambdas of one program. "main::$_0::operator()(int) const" at line 42 of app.cpp becomes
/// "main::{lambda at app.cpp:42}(int) const". If another name contains "main::$_0" (a std::function's invoker, a lambda
/// in the lambda), that part becomes "main::{lambda at app.cpp:42}". The second lambda of a function on the same line
/// gets " #2". Only lambdas that the trace knows are counted, so a conversion of the calls alone may number them
/// differently.
class LambdaPlaces {
public:
  /// Whether a mangled name may be that of a lambda's function. Few are, and only those need to be passed to add().
  static bool mayName(std::string_view mangled);

  /// Adds a function and its place. Functions that are not members of a lambda are ignored.
  void add(std::string_view demangled, std::string_view file, uint64_t line);
  /// Call after the last add().
  void finish();

  /// The name with its lambdas replaced by places; unchanged if it has no known lambdas.
  std::string apply(std::string demangled) const;

private:
  struct Lambda {
    std::string name; // "main::$_0"
    std::string place;
  };
  using Line = std::pair<std::string, uint64_t>;

  std::map<Line, std::vector<std::string>> lines_;
  std::map<std::string, std::vector<Lambda>, std::less<>> byEnd_; // by "$_0", "{lambda(int)#1}"
};

} // namespace ada::atf
