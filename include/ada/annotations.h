/* Annotations: what a program says about itself, in its trace. Include <ada/trace.h>, which includes this.
 *
 *     void parse(const char *path, size_t size) {
 *       ADA_SPAN("parse", path, size);              // from here to the end of the block, like a call
 *       ...
 *       ADA_INSTANT("header is complete", size);    // a point in time
 *       ADA_COUNTER("queue length", queue.size());  // a value over time
 *       ADA_FLOW_BEGIN("request", request->id);     // what goes from thread to thread, by its id:
 *     }                                             // ADA_FLOW_STEP and ADA_FLOW_END where it goes on and ends
 *
 * A span that ends elsewhere in the same function, or only sometimes:
 *
 *     ADA_SPAN_BEGIN(load, "load", size);
 *     ...
 *     ADA_SPAN_END(load);
 *
 * Each use has an entry in a table, like a function: the options include, exclude and budget, ada_enable() and
 * ada_stop() apply to it, by its name and file. While it is off it costs one load and one branch, and its arguments are
 * not evaluated. While it is on, a span without arguments costs as much as a traced call.
 *
 * Names are string literals. At most six arguments follow: integers, enumerations, bool, floating-point numbers,
 * pointers, and text (char *, and in C++ anything that has data() and size()). The first 64 bytes of a text are
 * recorded, for at most four texts. The trace shows each argument with its source expression:
 * parse(path="a.json", size=4096). A counter has one number, a flow one integer or pointer.
 *
 * C11 and C++17, clang and gcc. The code need not be compiled with AdaTrace's plugin, but must be linked with the
 * runtime; with -DADA_ANNOTATIONS_OPTIONAL it may also be used in programs without the runtime, where annotations
 * stay off. -DADA_TRACE_DISABLED compiles all of it away. Not for constexpr functions. All are async-signal-safe. */
#ifndef ADA_ANNOTATIONS_H
#define ADA_ANNOTATIONS_H

#include "abi.h"
#include "attributes.h"

#if !defined(ADA_TRACE_DISABLED) && defined(__ELF__)
#pragma GCC system_header /* these macros expand in code that has its own warning settings */

/* A span until the end of the block. It is a declaration, so it can't follow `if (x)` without braces. */
#define ADA_SPAN(...) ADA_SPAN_LINE(__LINE__, #__VA_ARGS__, __VA_ARGS__)
/* A span that is called `variable` in this block, and its end. Without the end it stays open. */
#define ADA_SPAN_BEGIN(variable, ...) ADA_SPAN_OPEN(variable, , #__VA_ARGS__, __VA_ARGS__)
#define ADA_SPAN_END(variable) ada_span_end(&variable)
#define ADA_INSTANT(...) ADA_POINT(ADA_ANNOTATION_INSTANT, #__VA_ARGS__, __VA_ARGS__)
#define ADA_COUNTER(name, value) ADA_POINT(ADA_ANNOTATION_COUNTER, "\"\",value", name, value)
#define ADA_FLOW_BEGIN(name, id) ADA_POINT(ADA_ANNOTATION_FLOW_BEGIN, "\"\",id", name, id)
#define ADA_FLOW_STEP(name, id) ADA_POINT(ADA_ANNOTATION_FLOW_STEP, "\"\",id", name, id)
#define ADA_FLOW_END(name, id) ADA_POINT(ADA_ANNOTATION_FLOW_END, "\"\",id", name, id)

/*===--- How it is done ----------------------------------------------------===*/

#define ADA_PASTE(a, b) a##b
#define ADA_JOIN(a, b) ADA_PASTE(a, b)
#define ADA_EIGHTH(a, b, c, d, e, f, g, h, ...) h
/* `prefix` and the number of arguments after the name. */
#define ADA_BY_COUNT(prefix, ...) ADA_JOIN(prefix, ADA_EIGHTH(__VA_ARGS__, 6, 5, 4, 3, 2, 1, 0, 0))
#define ADA_FIRST(...) ADA_FIRST_OF(__VA_ARGS__, 0)
#define ADA_FIRST_OF(first, ...) first

#define ADA_TYPES_0(n) 0
#define ADA_TYPES_1(n, a) ADA_TYPE(a)
#define ADA_TYPES_2(n, a, b) ADA_TYPE(a), ADA_TYPE(b)
#define ADA_TYPES_3(n, a, b, c) ADA_TYPES_2(n, a, b), ADA_TYPE(c)
#define ADA_TYPES_4(n, a, b, c, d) ADA_TYPES_3(n, a, b, c), ADA_TYPE(d)
#define ADA_TYPES_5(n, a, b, c, d, e) ADA_TYPES_4(n, a, b, c, d), ADA_TYPE(e)
#define ADA_TYPES_6(n, a, b, c, d, e, f) ADA_TYPES_5(n, a, b, c, d, e), ADA_TYPE(f)
#define ADA_VALUES_1(n, a) ADA_VALUE(a)
#define ADA_VALUES_2(n, a, b) ADA_VALUE(a), ADA_VALUE(b)
#define ADA_VALUES_3(n, a, b, c) ADA_VALUES_2(n, a, b), ADA_VALUE(c)
#define ADA_VALUES_4(n, a, b, c, d) ADA_VALUES_3(n, a, b, c), ADA_VALUE(d)
#define ADA_VALUES_5(n, a, b, c, d, e) ADA_VALUES_4(n, a, b, c, d), ADA_VALUE(e)
#define ADA_VALUES_6(n, a, b, c, d, e, f) ADA_VALUES_5(n, a, b, c, d, e), ADA_VALUE(f)
/* Calls `hook` with the arguments that there are. */
#define ADA_CALL_0(hook, site, n) hook(&site, 0)
#define ADA_CALL_1(hook, site, n, ...) ADA_CALL_N(hook, site, 1, n, __VA_ARGS__)
#define ADA_CALL_2(hook, site, n, ...) ADA_CALL_N(hook, site, 2, n, __VA_ARGS__)
#define ADA_CALL_3(hook, site, n, ...) ADA_CALL_N(hook, site, 3, n, __VA_ARGS__)
#define ADA_CALL_4(hook, site, n, ...) ADA_CALL_N(hook, site, 4, n, __VA_ARGS__)
#define ADA_CALL_5(hook, site, n, ...) ADA_CALL_N(hook, site, 5, n, __VA_ARGS__)
#define ADA_CALL_6(hook, site, n, ...) ADA_CALL_N(hook, site, 6, n, __VA_ARGS__)
#define ADA_CALL_N(hook, site, count, ...)                                                                             \
  do {                                                                                                                 \
    const ada_value ada_values_of_site[count] = {ADA_PASTE(ADA_VALUES_, count)(__VA_ARGS__)};                          \
    hook(&site, ada_values_of_site);                                                                                   \
  } while (0)

/* gcc refuses to put variables of inline functions and of other functions into one section (PR 41091).
 * So each use names its own section. The assembler takes the rest of the line for a comment,
 * so all of them end up in one section. */
#if defined(__cplusplus) && !defined(__clang__)
#ifdef __x86_64__
#define ADA_SITE_SECTION_OF(number) ADA_SECTION_ANNOTATIONS ",\"aw\",@progbits#" #number
#else
#define ADA_SITE_SECTION_OF(number) ADA_SECTION_ANNOTATIONS ",\"aw\",@progbits//" #number
#endif
#define ADA_SITE_SECTION_AT(number) ADA_SITE_SECTION_OF(number)
#define ADA_SITE_SECTION ADA_SITE_SECTION_AT(__COUNTER__)
#else
#define ADA_SITE_SECTION ADA_SECTION_ANNOTATIONS
#endif

/* `volatile`, because the runtime writes the byte, which nothing in the program shows. */
#define ADA_SITE(site, kind, expressions, ...)                                                                         \
  static const char *const ADA_JOIN(site, _types)[] = {ADA_BY_COUNT(ADA_TYPES_, __VA_ARGS__)(__VA_ARGS__)};            \
  static ada_annotation site __attribute__((section(ADA_SITE_SECTION), used, aligned(16))) = {                         \
      "" ADA_FIRST(__VA_ARGS__),                                                                                       \
      __LINE__,                                                                                                        \
      0,                                                                                                               \
      {0, 0, 0},                                                                                                       \
      __FILE__,                                                                                                        \
      ADA_FUNCTION_ANNOTATION | (kind) << ADA_ANNOTATION_KIND_SHIFT,                                                   \
      ADA_BY_COUNT(, __VA_ARGS__),                                                                                     \
      ADA_JOIN(site, _types),                                                                                          \
      expressions}
#define ADA_IS_ON(site) __builtin_expect(*(const volatile uint8_t *)&(site).enabled != 0, 0)

#define ADA_SPAN_LINE(line, expressions, ...)                                                                          \
  ADA_SPAN_OPEN(ADA_JOIN(ada_span_, line), __attribute__((cleanup(ada_span_end))), expressions, __VA_ARGS__)
#define ADA_SPAN_OPEN(variable, attribute, expressions, ...)                                                           \
  ADA_SITE(ADA_JOIN(variable, _site), ADA_ANNOTATION_SPAN, expressions, __VA_ARGS__);                                  \
  ada_span variable attribute = {0};                                                                                   \
  if (ADA_IS_ON(ADA_JOIN(variable, _site))) {                                                                          \
    variable.site = &ADA_JOIN(variable, _site);                                                                        \
    ADA_BY_COUNT(ADA_CALL_, __VA_ARGS__)(ada_span_begin, ADA_JOIN(variable, _site), __VA_ARGS__);                      \
  }                                                                                                                    \
  (void)0
#define ADA_POINT(kind, expressions, ...)                                                                              \
  do {                                                                                                                 \
    ADA_SITE(ada_point_site, kind, expressions, __VA_ARGS__);                                                          \
    if (ADA_IS_ON(ada_point_site))                                                                                     \
      ADA_BY_COUNT(ADA_CALL_, __VA_ARGS__)(__ada_annotation_point, ada_point_site, __VA_ARGS__);                       \
  } while (0)

#define ADA_ANNOTATION_INLINE ADA_NEVER static inline __attribute__((always_inline, unused))

#ifdef __cplusplus
extern "C" {
#endif

#ifdef ADA_ANNOTATIONS_OPTIONAL
#define ADA_ANNOTATION_HOOK __attribute__((weak))
#else
#define ADA_ANNOTATION_HOOK
#endif
/* Weak in any case: a program that includes this but has no annotations need not be linked with the runtime. */
static __typeof__(__ada_register_image) ada_register_annotations __attribute__((weakref("__ada_register_image")));
static __typeof__(__ada_unregister_image) ada_unregister_annotations __attribute__((weakref("__ada_unregister_image")));
ADA_ANNOTATION_HOOK extern __typeof__(__ada_annotation_begin) __ada_annotation_begin;
ADA_ANNOTATION_HOOK extern __typeof__(__ada_annotation_begin_with) __ada_annotation_begin_with;
ADA_ANNOTATION_HOOK extern __typeof__(__ada_annotation_end) __ada_annotation_end;
ADA_ANNOTATION_HOOK extern __typeof__(__ada_annotation_point) __ada_annotation_point;

typedef struct ada_span {
  const ada_annotation *site; /* null if it is not recorded */
} ada_span;

ADA_ANNOTATION_INLINE void ada_span_begin(const ada_annotation *site, const ada_value *values) {
  if (values)
    __ada_annotation_begin_with(site, values);
  else
    __ada_annotation_begin(site);
}
ADA_ANNOTATION_INLINE void ada_span_end(ada_span *span) {
  if (__builtin_expect(span->site != 0, 0)) {
    __ada_annotation_end(span->site);
    span->site = 0;
  }
}

#ifndef ADA_IN_RUNTIME /* which has no annotations */
/* The sites of the executable or shared library: one of each per image, however many translation units have them. */
extern const ada_function __start_ada_annotations[] __attribute__((weak, visibility("hidden")));
extern const ada_function __stop_ada_annotations[] __attribute__((weak, visibility("hidden")));
__attribute__((weak, visibility("hidden"))) ada_image __ada_annotations_image = {
    ADA_ABI_VERSION, sizeof(ada_annotation), __start_ada_annotations, __stop_ada_annotations, 0, 0};
__attribute__((weak, visibility("hidden"))) uint8_t __ada_annotations_known = 0;

__attribute__((constructor(101), used)) ADA_NEVER static void ada_annotations_begin(void) {
  if (__ada_annotations_known || __ada_annotations_image.functions_begin == __ada_annotations_image.functions_end)
    return;
  if (!ada_register_annotations)
    return;
  __ada_annotations_known = 1;
  ada_register_annotations(&__ada_annotations_image);
}
__attribute__((destructor(101), used)) ADA_NEVER static void ada_annotations_end(void) {
  if (!__ada_annotations_known)
    return;
  __ada_annotations_known = 0;
  if (ada_unregister_annotations)
    ada_unregister_annotations(&__ada_annotations_image);
}
#endif

#ifdef __cplusplus
}

#define ADA_TYPE(x) ::ada::annotations::Argument<decltype(x)>::kType
#define ADA_VALUE(x) ::ada::annotations::Argument<decltype(x)>::value(x)

namespace ada {
namespace annotations {

template <class T> struct Bare {
  using type = T;
};
template <class T> struct Bare<T &> : Bare<T> {};
template <class T> struct Bare<T &&> : Bare<T> {};
template <class T> struct Bare<const T> : Bare<T> {};
template <class T> struct Bare<volatile T> : Bare<T> {};
template <class T> struct Bare<const volatile T> : Bare<T> {};
template <class T, size_t N> struct Bare<T[N]> {
  using type = T *;
};
template <class T, size_t N> struct Bare<const T[N]> {
  using type = const T *;
};

/* Anything that has data() and size() is text; the other types are below. */
template <class T, bool IsEnum = __is_enum(T)> struct Plain {
  static constexpr const char *kType = ADA_TEXT_TYPE;
  ADA_NEVER __attribute__((always_inline)) static inline ada_value value(const T &text) {
    const char *data = text.data();
    return {reinterpret_cast<uint64_t>(data), text.size()};
  }
};
template <class T> struct Plain<T, true> : Plain<__underlying_type(T)> {
  ADA_NEVER __attribute__((always_inline)) static inline ada_value value(T x) { return {static_cast<uint64_t>(x), 0}; }
};
#define ADA_PLAIN(T, type)                                                                                             \
  template <> struct Plain<T, false> {                                                                                 \
    static constexpr const char *kType = type;                                                                         \
    ADA_NEVER __attribute__((always_inline)) static inline ada_value value(T x) {                                      \
      return {static_cast<uint64_t>(x), 0};                                                                            \
    }                                                                                                                  \
  };
ADA_PLAIN(bool, "b")
ADA_PLAIN(char, "c")
ADA_PLAIN(signed char, "s8")
ADA_PLAIN(unsigned char, "u8")
ADA_PLAIN(short, "s16")
ADA_PLAIN(unsigned short, "u16")
ADA_PLAIN(int, "s32")
ADA_PLAIN(unsigned, "u32")
ADA_PLAIN(long, "s64")
ADA_PLAIN(unsigned long, "u64")
ADA_PLAIN(long long, "s64")
ADA_PLAIN(unsigned long long, "u64")
ADA_PLAIN(wchar_t, "s32")
ADA_PLAIN(char16_t, "u16")
ADA_PLAIN(char32_t, "u32")
#undef ADA_PLAIN

struct Floating {
  static constexpr const char *kType = "f64";
  ADA_NEVER __attribute__((always_inline)) static inline ada_value value(double x) {
    uint64_t bits = 0;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return {bits, 0};
  }
};
template <> struct Plain<float, false> : Floating {};
template <> struct Plain<double, false> : Floating {};
template <> struct Plain<long double, false> : Floating {};

struct CharPointer {
  static constexpr const char *kType = ADA_TEXT_TYPE;
  ADA_NEVER __attribute__((always_inline)) static inline ada_value value(const char *text) {
    return {reinterpret_cast<uint64_t>(text), ADA_TEXT_TO_ZERO};
  }
};
template <> struct Plain<char *, false> : CharPointer {};
template <> struct Plain<const char *, false> : CharPointer {};
template <class T> struct Plain<T *, false> {
  static constexpr const char *kType = "p(void)";
  ADA_NEVER __attribute__((always_inline)) static inline ada_value value(T *x) {
    return {reinterpret_cast<uint64_t>(x), 0};
  }
};
template <> struct Plain<decltype(nullptr), false> {
  static constexpr const char *kType = "p(void)";
  ADA_NEVER __attribute__((always_inline)) static inline ada_value value(decltype(nullptr)) { return {0, 0}; }
};

template <class T> using Argument = Plain<typename Bare<T>::type>;

} // namespace annotations
} // namespace ada

#else

#define ADA_TYPE(x)                                                                                                    \
  _Generic((x),                                                                                                        \
      _Bool: "b",                                                                                                      \
      char: "c",                                                                                                       \
      signed char: "s8",                                                                                               \
      unsigned char: "u8",                                                                                             \
      short: "s16",                                                                                                    \
      unsigned short: "u16",                                                                                           \
      int: "s32",                                                                                                      \
      unsigned: "u32",                                                                                                 \
      long: "s64",                                                                                                     \
      unsigned long: "u64",                                                                                            \
      long long: "s64",                                                                                                \
      unsigned long long: "u64",                                                                                       \
      float: "f64",                                                                                                    \
      double: "f64",                                                                                                   \
      long double: "f64",                                                                                              \
      char *: ADA_TEXT_TYPE,                                                                                           \
      const char *: ADA_TEXT_TYPE,                                                                                     \
      default: "p(void)")
#define ADA_VALUE(x)                                                                                                   \
  _Generic((x),                                                                                                        \
      _Bool: ada_integer,                                                                                              \
      char: ada_signed,                                                                                                \
      signed char: ada_signed,                                                                                         \
      unsigned char: ada_integer,                                                                                      \
      short: ada_signed,                                                                                               \
      unsigned short: ada_integer,                                                                                     \
      int: ada_signed,                                                                                                 \
      unsigned: ada_integer,                                                                                           \
      long: ada_signed,                                                                                                \
      unsigned long: ada_integer,                                                                                      \
      long long: ada_signed,                                                                                           \
      unsigned long long: ada_integer,                                                                                 \
      float: ada_floating,                                                                                             \
      double: ada_floating,                                                                                            \
      long double: ada_floating,                                                                                       \
      char *: ada_text,                                                                                                \
      const char *: ada_text,                                                                                          \
      default: ada_pointer)(x)

ADA_ANNOTATION_INLINE ada_value ada_integer(uint64_t x) { return (ada_value){x, 0}; }
ADA_ANNOTATION_INLINE ada_value ada_signed(int64_t x) { return (ada_value){(uint64_t)x, 0}; }
ADA_ANNOTATION_INLINE ada_value ada_floating(double x) {
  ada_value value = {0, 0};
  __builtin_memcpy(&value.bits, &x, sizeof x);
  return value;
}
ADA_ANNOTATION_INLINE ada_value ada_text(const char *x) { return (ada_value){(uint64_t)x, ADA_TEXT_TO_ZERO}; }
ADA_ANNOTATION_INLINE ada_value ada_pointer(const volatile void *x) { return (ada_value){(uint64_t)x, 0}; }

#endif

#else /* nothing is recorded; only the compiler looks at the arguments */

#define ADA_SPAN(...) ADA_IGNORE(__VA_ARGS__)
#define ADA_SPAN_BEGIN(variable, ...) ADA_IGNORE(__VA_ARGS__)
#define ADA_SPAN_END(variable) ((void)0)
#define ADA_INSTANT(...) ADA_IGNORE(__VA_ARGS__)
#define ADA_COUNTER(name, value) ADA_IGNORE(name, value)
#define ADA_FLOW_BEGIN(name, id) ADA_IGNORE(name, id)
#define ADA_FLOW_STEP(name, id) ADA_IGNORE(name, id)
#define ADA_FLOW_END(name, id) ADA_IGNORE(name, id)
#define ADA_IGNORE(...)                                                                                                \
  do {                                                                                                                 \
    if (0)                                                                                                             \
      ada_ignore(__VA_ARGS__);                                                                                         \
  } while (0)

#ifdef __cplusplus
template <class... Arguments> inline void ada_ignore(const char *, const Arguments &...) {}
#else
static inline void ada_ignore(const char *name, ...) { (void)name; }
#endif

#endif
#endif /* ADA_ANNOTATIONS_H */
