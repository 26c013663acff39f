/* Attributes that choose, in the source, which functions AdaTrace traces.
 *
 *     #include <ada/attributes.h>
 *
 *     ADA_ALWAYS int parse(const char *text);        traced, though it is small or in a system header
 *     ADA_NEVER static inline int hot(int x) { … }   never traced, whatever the build says
 *
 *     ADA_NAMED("parse a request") int f(int x) { … } traced under this name; globs match both names
 *
 * Put them on a declaration or the definition, in front of everything else. In a lambda they follow the parameter list:
 * [](int x) ADA_NEVER { … }.
 *
 * ADA_ALWAYS overrides the compiler plugin's -ada-include, -ada-min-size and its rule of leaving out system headers.
 * An explicit -ada-exclude or -ada-ignorelist overrides ADA_ALWAYS. Nothing overrides ADA_NEVER.
 *
 * Whether a traced function is recorded is decided when the program runs; see ada/trace.h. An ADA_NEVER function has no
 * hooks, so nothing can switch it on, and it costs nothing at all.
 *
 * The macros are empty for compilers that do not know the attribute. C and C++; nothing else is declared here. */
#ifndef ADA_ATTRIBUTES_H
#define ADA_ATTRIBUTES_H

#if defined(__clang__)
#if defined(__cplusplus) && __clang_major__ >= 12 && __clang_major__ < 19
/* Up to clang 18, annotations of constructors and destructors do not reach the plugin. Assumptions do; clang warns that
 * it does not know what they mean. */
#define ADA_ANNOTATED(text)                                                                                            \
  _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wunknown-assumption\"")                        \
      __attribute__((annotate(text), assume(text))) _Pragma("clang diagnostic pop")
#else
#define ADA_ANNOTATED(text) __attribute__((annotate(text)))
#endif
#define ADA_NAMED(text) ADA_ANNOTATED("ada_name:" text)
#define ADA_ALWAYS ADA_ANNOTATED("ada_always")
#define ADA_NEVER ADA_ANNOTATED("ada_never")
#elif defined(__has_attribute)
#if __has_attribute(ada_never) /* the plugin for GCC defines them */
#define ADA_NAMED(text) __attribute__((ada_name(text)))
#define ADA_ALWAYS __attribute__((ada_always))
#define ADA_NEVER __attribute__((ada_never))
#endif
#endif
#ifndef ADA_NEVER
#define ADA_NAMED(text)
#define ADA_ALWAYS
#define ADA_NEVER
#endif

#endif /* ADA_ATTRIBUTES_H */
