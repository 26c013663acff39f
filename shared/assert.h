// ADA_ASSERT(condition): what must hold on both sides of a boundary, whatever the input is.
//
// Checked in builds without NDEBUG and in those that define ADA_ASSERTIONS (debug builds, and tests with sanitizers);
// costs nothing in others. A violation ends the program at once, by a trap instead of abort(), so that the runtime and
// code without libc may use it. Input is checked by Expected (include/ada/trace/error.h), never by this.
#pragma once

#if defined(ADA_ASSERTIONS) || !defined(NDEBUG)
#define ADA_ASSERT(condition) ((condition) ? static_cast<void>(0) : __builtin_trap())
#else
#define ADA_ASSERT(condition) static_cast<void>(sizeof(!(condition)))
#endif
