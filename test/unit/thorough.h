// How many generated cases tests with very many cases try.
#pragma once

#include <cstddef>
#include <cstdlib>

namespace ada::test {

/// Whether to run all cases, which takes minutes: ADA_LONG=1 in the environment, as the test part `long` sets it.
inline bool isLong() { return std::getenv("ADA_LONG") != nullptr; }

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kIsSanitized = true;
#elif defined(__has_feature)
constexpr bool kIsSanitized = __has_feature(address_sanitizer);
#else
constexpr bool kIsSanitized = false;
#endif

/// The number of cases for a test with random cases: `all`, or `sanitized` with sanitizers, where a case takes up to
/// ten times as long.
template <class Number> Number casesOf(Number all, Number sanitized) {
  return kIsSanitized && !isLong() ? sanitized : all;
}

/// The step between cases, for a test that cuts or changes a file at each of its bytes: 1, or `sanitized` with
/// sanitizers. It should be a prime, so that all places within a record are met.
inline size_t stride(size_t sanitized) { return casesOf<size_t>(1, sanitized); }

} // namespace ada::test
