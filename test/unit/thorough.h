// How many generated cases tests with very many cases try.
#pragma once

#include <cstddef>
#include <cstdlib>

namespace ada::test {

/// Whether to run all cases, which takes minutes: ADA_LONG=1 in the environment, as the test part `long` sets it.
inline bool isLong() { return std::getenv("ADA_LONG") != nullptr; }

#ifdef __OPTIMIZE__
constexpr bool kIsOptimised = true;
#else
constexpr bool kIsOptimised = false;
#endif

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kIsSlow = true;
#elif defined(__has_feature)
constexpr bool kIsSlow = __has_feature(address_sanitizer) || !kIsOptimised;
#else
constexpr bool kIsSlow = !kIsOptimised;
#endif

/// The number of cases for a test with random cases: `all`, or `few` in a build with sanitizers or without
/// optimisation, where a case takes up to ten times as long.
template <class Number> Number casesOf(Number all, Number few) { return kIsSlow && !isLong() ? few : all; }

/// The step between cases, for a test that cuts or changes a file at each of its bytes: 1, or `large` in those builds.
/// It should be a prime, so that all places within a record are met.
inline size_t stride(size_t large) { return casesOf<size_t>(1, large); }

} // namespace ada::test
