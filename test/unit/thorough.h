// How thorough tests are whose cases are very many.
#ifndef ADA_TEST_UNIT_THOROUGH_H
#define ADA_TEST_UNIT_THOROUGH_H

#include <cstddef>
#include <cstdlib>

namespace ada::test {

/// Whether all cases are wanted, for minutes: ADA_LONG=1 in the environment, as the part `long` of the tests sets it.
inline bool isLong() { return std::getenv("ADA_LONG") != nullptr; }

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kIsSanitized = true;
#elif defined(__has_feature)
constexpr bool kIsSanitized = __has_feature(address_sanitizer);
#else
constexpr bool kIsSanitized = false;
#endif

/// How many cases a test takes that takes random ones: `all`, or with sanitizers, where a case takes up to ten times as
/// long, `sanitized`.
template <class Number> Number casesOf(Number all, Number sanitized) {
  return kIsSanitized && !isLong() ? sanitized : all;
}

/// Every how many cases a test looks at that cuts or changes a file at each of its bytes: all, or with sanitizers every
/// `sanitized`th. A prime, so that it meets all places within a record.
inline std::size_t stride(std::size_t sanitized) { return casesOf<std::size_t>(1, sanitized); }

} // namespace ada::test

#endif // ADA_TEST_UNIT_THOROUGH_H
