// Lambdas by the place where they are written, in place of the numbers that compilers give them.
#ifndef ADA_LIB_ATF_LAMBDA_PLACES_H
#define ADA_LIB_ATF_LAMBDA_PLACES_H

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ada::atf {

/// The lambdas of one program. "main::$_0::operator()(int) const" of app.cpp, line 42, is
/// "main::{lambda at app.cpp:42}(int) const"; where another name has "main::$_0" in it (a std::function's invoker, a
/// lambda in the lambda) that becomes "main::{lambda at app.cpp:42}". The second one of a function in one line of it
/// gets " #2": of those that the trace knows, so a conversion of the calls alone may number them otherwise.
class LambdaPlaces {
public:
  /// Whether a mangled name may be that of a lambda's function: few are, and only these need to be given to add().
  static bool mayName(std::string_view mangled);

  /// A function with a place. Those that are no member of a lambda tell nothing.
  void add(std::string_view demangled, std::string_view file, std::uint64_t line);
  /// All are added.
  void finish();

  /// The name with places; as it is if there are none in it.
  std::string apply(std::string demangled) const;

private:
  struct Lambda {
    std::string name; // "main::$_0"
    std::string place;
  };
  using Line = std::pair<std::string, std::uint64_t>;

  std::map<Line, std::vector<std::string>> lines_;
  std::map<std::string, std::vector<Lambda>, std::less<>> byEnd_; // by "$_0", "{lambda(int)#1}"
};

} // namespace ada::atf

#endif // ADA_LIB_ATF_LAMBDA_PLACES_H
