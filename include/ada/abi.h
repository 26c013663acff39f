/* The bytes that the compiler pass, the runtime and the readers agree on.
 *
 * ABI version 3. It needs a bump when a field moves or changes its meaning, a
 * hook changes its calling convention, or a record kind is reused. It needs no
 * bump when a reserved field or an unused record kind gets a meaning that old
 * code ignores. The pass writes the version into every image (ada_image), the
 * runtime refuses other versions with a message that names both, and the
 * manifest records it.
 *
 *   object file                               process
 *   ┌──────────────┐   ┌───────────────┐      ┌────────────────────────────┐
 *   │ ada_functions│──▶│ ada_function  │◀─────│ hook argument: its address │
 *   │ (one entry   │   │ name, file,   │      └────────────────────────────┘
 *   │ per function)│   │ enable byte…  │      ring record, 16 bytes:
 *   └──────────────┘   └───────────────┘      │ stamp (8) │ entry | kind (8) │
 *
 * Compiles as C11 and as C++. No dependency but <stddef.h> and <stdint.h>.
 */
#ifndef ADA_ABI_H
#define ADA_ABI_H

/* The numbers that the trampolines need, in a form for both the assembler and the compiler.
 * Each is checked below or in ring_file.h against what it stands for. */
#define ADA_RECORD_BYTES 16
#define ADA_RECORD_KIND_MASK 15
#define ADA_RECORD_CALL 1      /* what: ada_function */
#define ADA_RECORD_RETURN 2    /* what: ada_function */
#define ADA_RECORD_EXCEPTION 3 /* what: ada_function; left by unwinding */

/* Values of an enable byte. The pass reads the byte once, at function entry, and
 * keeps the answer for the exit, so that a call is recorded with both its ends
 * or not at all, whenever the byte is written. Bytes start as 0 and are written
 * by the runtime only (relaxed byte stores, any thread). */
#define ADA_ENABLE_INDEX 1  /* record calls and exits */
#define ADA_ENABLE_DETAIL 2 /* registers and stack as well; together with INDEX */

#ifndef ADA_CHUNK_FULL        /* tests of the ring make chunks of a few records */
#define ADA_CHUNK_FULL 0xe000 /* low 16 bits of a position where no record may begin any more */
#endif

#ifndef __ASSEMBLER__

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#define ADA_ABI_ASSERT(cond, text) static_assert(cond, text)
#else
#define ADA_ABI_ASSERT(cond, text) _Static_assert(cond, text)
#endif

#define ADA_ABI_VERSION 3u

/* Sections the pass emits. Both names are C identifiers, so that the linker
 * provides __start_ and __stop_ symbols for them. */
#define ADA_SECTION_FUNCTIONS "ada_functions"
#define ADA_SECTION_ENABLED "ada_enabled"
/* The section of annotations.h. */
#define ADA_SECTION_ANNOTATIONS "ada_annotations"
/* Functions that can't have hooks: for each its symbol and the reason, both NUL-terminated. It is not loaded; `adatrace
 * info` and `doctor` read it from the file. */
#define ADA_SECTION_LEFT_OUT "ada_left_out"

/* One entry for each instrumented function, in section ada_functions.
 *
 * Constant data without dynamic relocations: every `_off` field is the distance
 * in bytes from the start of this entry to what it names, 0 if there is none.
 * The entry is 16-byte aligned, so its address has four low bits to spare for
 * the record kind, and 48 bytes long, so that
 *     symbol index = (entry - __start_ada_functions) / 48,
 * which limits an image to 2^32 functions and 2 GiB between entry and target. */
typedef struct ada_function {
  int32_t name_off;      /* NUL-terminated symbol name, mangled, as in the object file */
  int32_t file_off;      /* NUL-terminated source path from debug info, or the module's */
  uint32_t line;         /* line of the definition, 0 if unknown */
  int32_t address_off;   /* the function's first instruction; 0 where it is not known */
  int32_t signature_off; /* NUL-terminated signature text from debug info */
  int32_t enable_off;    /* the function's enable byte, in section ada_enabled */
  uint32_t flags;        /* ADA_FUNCTION_* */
  int32_t pretty_off;    /* NUL-terminated demangled name; 0 where the name is not mangled */
  int32_t types_off;     /* NUL-terminated types of return value and parameters, see docs/reference/types.md; */
                         /* 0 without debug info */
  uint32_t carried;      /* what is found for its detail, see ADA_CARRIED_* */
  int32_t shown_off;     /* NUL-terminated name to show: ADA_NAMED, or one of Ada; 0 if there is none */
  int32_t reserved;      /* 0 */
} ada_function;

ADA_ABI_ASSERT(sizeof(ada_function) == 48, "ada_function is 48 bytes");
ADA_ABI_ASSERT(offsetof(ada_function, enable_off) == 20, "enable_off is at 20");

/* ada_function.carried: what a hook with detail finds in registers and in memory. It is stored here because it would
 * otherwise be code in the function, which most programs never run. */
#define ADA_CARRIED_INTEGERS(c) ((c) & 15u)             /* general registers that carry parameters */
#define ADA_CARRIED_VECTORS(c) ((c) >> 4 & 15u)         /* vector registers that do, at most 8 */
#define ADA_CARRIED_RESULT_INTEGERS(c) ((c) >> 8 & 15u) /* the same for the result */
#define ADA_CARRIED_RESULT_VECTORS(c) ((c) >> 12 & 15u)
#define ADA_CARRIED_RESULT_BYTES(c) ((c) >> 16 & 127u) /* of a result in memory, at most 64 */
#define ADA_CARRIED_VARIADIC (1u << 24)                /* on entry ada_frame.memory is a va_list */
#define ADA_CARRIED_AT_EXIT (1u << 25)                 /* at exit ada_frame.memory says what there is */

/* ada_function.flags. Unknown bits are ignored. */
#define ADA_FUNCTION_NORETURN 1u    /* declared noreturn: its call is never closed by a return */
#define ADA_FUNCTION_INTERNAL 2u    /* local linkage: the name need not be unique in the image */
#define ADA_FUNCTION_EARLY 4u       /* hooked before inlining */
#define ADA_FUNCTION_EXTERNAL 8u    /* a library function: hooks are in a wrapper; file, line of the declaration */
#define ADA_FUNCTION_ANNOTATION 16u /* not a function: the entry is an ada_annotation */
#define ADA_FUNCTION_INLINED 32u    /* with EARLY: the hooks of copies that were inlined into other functions */
#define ADA_FUNCTION_COROUTINE 64u  /* creates a coroutine, or is a part of one (f.resume), or of a future of Rust */

/* A span, instant, counter or flow: an entry as large as an ada_function, with `line` and `flags` in the same places.
 * It holds pointers because a macro (annotations.h) makes it, and macros can't write distances.
 * The two kinds of entries are never in one table: an image registers its annotations as a separate ada_image. */
typedef struct ada_annotation {
  const char *name;
  uint32_t line;
  uint8_t enabled; /* its enable byte */
  uint8_t reserved[3];
  const char *file;
  uint32_t flags;           /* ADA_FUNCTION_ANNOTATION and, from ADA_ANNOTATION_KIND_SHIFT on, the kind */
  uint32_t argument_count;  /* at most ADA_MOST_ANNOTATION_ARGUMENTS */
  const char *const *types; /* one for each argument, as in docs/reference/types.md, or ADA_TEXT_TYPE */
  const char *expressions;  /* the source text of name and arguments: "\"parse\", path, n + 1" */
} ada_annotation;

ADA_ABI_ASSERT(sizeof(ada_annotation) == sizeof(ada_function), "one table has entries of one size");
ADA_ABI_ASSERT(offsetof(ada_annotation, flags) == offsetof(ada_function, flags), "flags tell which of both it is");
ADA_ABI_ASSERT(offsetof(ada_annotation, line) == offsetof(ada_function, line), "line is in the same place");

#define ADA_ANNOTATION_KIND_SHIFT 8
#define ADA_ANNOTATION_KIND(flags) ((flags) >> ADA_ANNOTATION_KIND_SHIFT & 15u)
#define ADA_ANNOTATION_SPAN 1u
#define ADA_ANNOTATION_INSTANT 2u
#define ADA_ANNOTATION_COUNTER 3u
#define ADA_ANNOTATION_FLOW_BEGIN 4u
#define ADA_ANNOTATION_FLOW_STEP 5u
#define ADA_ANNOTATION_FLOW_END 6u

#define ADA_MOST_ANNOTATION_ARGUMENTS 6u
#define ADA_TEXT_TYPE "text"
#define ADA_TEXT_BYTES 64u          /* bytes recorded of a text */
#define ADA_MOST_TEXTS 4u           /* texts recorded per annotation */
#define ADA_TEXT_TO_ZERO UINT64_MAX /* ada_value.bytes of a text that ends with a NUL */

/* An argument of an annotation: the bits of a number (doubles as such), an address, or a text. */
typedef struct ada_value {
  uint64_t bits;
  uint64_t bytes; /* of a text at the address `bits` */
} ada_value;

/* What an image tells the runtime about itself. Each linked image (executable or
 * shared object) has one: every instrumented translation unit emits it, hidden
 * and in a comdat. */
typedef struct ada_image {
  uint32_t abi_version;                /* ADA_ABI_VERSION of the pass */
  uint32_t entry_size;                 /* sizeof(ada_function) */
  const ada_function *functions_begin; /* __start_ada_functions */
  const ada_function *functions_end;   /* __stop_ada_functions */
  uint8_t *enabled_begin;              /* __start_ada_enabled */
  uint8_t *enabled_end;                /* __stop_ada_enabled */
} ada_image;

#pragma GCC visibility push(default) /* exported by the runtime, whatever the flags */

/* Called by the hidden constructor (priority 0, before the image's own static constructors) and destructor of each
 * instrumented image. A program also registers from .preinit_array: a second call for the same image changes nothing.
 * Any thread; not from signal handlers. Neither ever fails visibly: an image that can't be recorded stays switched
 * off. */
void __ada_register_image(const ada_image *image);
/* The same from .preinit_array, where libc does not know the environment yet. */
void __ada_register_program(const ada_image *image, char **environment);
/* Does nothing. The constructor of an image calls it, because linkers print its name if the runtime is missing. */
void __ada_runtime_is_missing_link_with_ada_clang_or_with_adatrace_flags(void);
void __ada_unregister_image(const ada_image *image);

/* The hooks. Their convention is preserve_mostcc: on x86-64 a hook preserves
 * every general register except r11 and may clobber vector registers; the address of the activation's ada_frame,
 * plus the enable byte's value as it was read on entry, travels in the `nest` register (x86-64: r10).
 * After it the pass forwards, in the ordinary argument registers,
 *     __ada_enter   the function's own arguments, in order,
 *     __ada_exit    its return value, if it has one,
 *     __ada_unwind  nothing (called from the cleanup landing pad, also where the
 *                   byte was 0: then the frame is not filled in, and the hook returns).
 * x87 values and anything that would be passed on the stack are never forwarded: forwarding stops before them.
 * On AArch64 `nest` is x18 for LLVM up to 19 and x15 for LLVM 22, so there each hook has two symbols:
 * code of LLVM 22 calls __ada_enter_x15, __ada_exit_x15 and __ada_unwind_x15; there a hook preserves x9-x15 and the
 * callee-saved ones. They are never called through a lazily bound PLT entry: the dynamic linker's resolver does not
 * preserve r10 (`nonlazybind`). They are declared here for the assembler and the tests only;
 * C code can't call them correctly. */
void __ada_enter(void);
void __ada_exit(void);
void __ada_unwind(void);

/* Describes one activation of a traced function, because a hook can't know the frame that it is called from.
 * It lies in the frame of the function, aligned to 16 bytes if the stack is, so that its address has bits to spare.
 * It is filled in where the entry hook is called; exits set `memory` if they have something to say.
 * All fields except `function` are for the hooks' detail. */
typedef struct ada_frame {
  const ada_function *function;
  uint64_t sp;             /* stack pointer at the function's first instruction: x86-64 the */
                           /* address of its return address, AArch64 llvm.sponentry */
  const void *memory;      /* on entry with ADA_CARRIED_VARIADIC: a va_list that was started there; on exit with */
                           /* ADA_CARRIED_AT_EXIT: the result, if it is in memory or on the x87 stack, null if it is */
                           /* in registers, ADA_NO_RESULT if nothing is returned here (a tail call) */
  uint64_t return_address; /* AArch64 only: llvm.returnaddress(0) */
} ada_frame;
#define ADA_NO_RESULT 1 /* as an address */

ADA_ABI_ASSERT(sizeof(ada_frame) == 32, "ada_frame is 32 bytes");

/* On AArch64 `nest` is x18 in LLVM 14 and 19, and x15 in LLVM 22, whose pass calls these: */
void __ada_enter_x15(void);
void __ada_exit_x15(void);
void __ada_unwind_x15(void);

/* Plain C calls, emitted only where they are needed. `frame` is the address of
 * the calling function's frame, distinct for all live activations.
 *   __ada_mark_frame  before the first returns_twice call (setjmp, vfork) of an
 *                     activation: remembers it with the innermost open call.
 *   __ada_resync      after each return of such a call: every call above the one
 *                     that was marked with `frame` has been left by longjmp.
 *   __ada_landed      the same after each return by a jump, also in functions that
 *                     are not traced. `is_marked`: not 0 if __ada_mark_frame was
 *                     called. Otherwise `frame`, whatever is known of it, is above
 *                     the calls that were left.
 *   __ada_before_exec before execve and similar functions, __ada_before_exit before
 *                     _exit, _Exit and syscall(SYS_exit_group, status): write out what is
 *                     in the rings, because none of these runs destructors.
 *   __ada_before_thread_exit before syscall(SYS_exit, status): the status may become
 *                     that of the process.
 *   __ada_after_exec  after execve and similar functions, which return only if they
 *                     fail: recording goes on.
 *   __ada_before_clone before _Fork, clone and the system calls that make a process:
 *                     the child must not write to its parent's ring.
 *   __ada_before_signal_stack, __ada_after_signal_stack around sigaltstack: where
 *                     handlers run may change. */
void __ada_mark_frame(const void *frame);
void __ada_resync(const void *frame);
void __ada_landed(const void *frame, uint64_t is_marked);
void __ada_before_exec(void);
void __ada_before_exit(int status);
void __ada_before_thread_exit(int status);
void __ada_after_exec(void);
void __ada_before_clone(void);
void __ada_before_signal_stack(void);
void __ada_after_signal_stack(void);

/* The symbols by which objects call the hooks that have "exit" in their names: some builds refuse a library that has an
 * undefined symbol with this word, because it must not end the program. The old symbols stay, for objects that call
 * those. */
void __ada_leave(void);
void __ada_leave_x15(void);
void __ada_before_leave(int status);
void __ada_before_thread_leave(int status);

/* Around calls that change the stack; also in functions that are not traced. A
 * token says which stack it is. It is kept in the frame of the caller, and so
 * belongs to its stack.
 *   __ada_fiber_leave    before swapcontext and setcontext: what is recorded from
 *                        now on belongs to another stack. Returns the token of this one.
 *   __ada_fiber_current  before getcontext and setjmp: the token of this stack.
 *   __ada_fiber_resume   after each return of the contexts' three: control is back on
 *                        the stack of the token. If another one was not left by
 *                        __ada_fiber_leave, it has ended (uc_link).
 *   __ada_fiber_land     after each return of setjmp by a jump: likewise; but the
 *                        other one may have called setjmp, too, and can come back.
 *   __ada_fiber_make     before makecontext: a fiber that was left on the stack of
 *                        this ucontext_t can't come back. */
void *__ada_fiber_leave(void);
void *__ada_fiber_current(void);
void __ada_fiber_resume(void *token);
void __ada_fiber_land(void *token);
void __ada_fiber_make(const void *context);

/* Hooks of annotations that are switched on: ordinary C functions, called by annotations.h. `values`: one per argument.
 *   __ada_annotation_begin       a span without arguments begins: like __ada_enter, except for the register
 *   __ada_annotation_begin_with  a span with arguments begins
 *   __ada_annotation_end         either of them ends
 *   __ada_annotation_point       an instant, counter or flow; values may be null if it has no arguments */
void __ada_annotation_begin(const ada_annotation *site);
void __ada_annotation_begin_with(const ada_annotation *site, const ada_value *values);
void __ada_annotation_end(const ada_annotation *site);
void __ada_annotation_point(const ada_annotation *site, const ada_value *values);

#pragma GCC visibility pop

/* A ring record. The stamp is written last: a record counts only if its stamp is
 * not older than the start stamp of the chunk that it lies in. */
typedef struct ada_record {
  uint64_t stamp; /* raw clock counter (x86-64 TSC, AArch64 CNTVCT_EL0) */
  uint64_t what;  /* entry or frame address; kind in the low four bits; of a CALL also its place on the stack, see */
                  /* ADA_RECORD_STACK */
} ada_record;

ADA_ABI_ASSERT(sizeof(ada_record) == ADA_RECORD_BYTES, "ada_record is 16 bytes");
ADA_ABI_ASSERT(offsetof(ada_record, stamp) == 0 && offsetof(ada_record, what) == 8, "trampolines store both");

#define ADA_RECORD_MARK 4     /* what: frame address (rounded down to 16) */
#define ADA_RECORD_RESYNC 5   /* what: frame address (rounded down to 16); and its place as for a CALL, see */
                              /* ADA_RECORD_STACK: calls below are gone if no open call has that mark */
#define ADA_RECORD_GAP 6      /* Records were lost here. what: closed << 34 | opened << 4 | kind. `closed` */
                              /* calls that were open before the gap have ended in it; `opened` calls */
                              /* that began in it are still open. */
#define ADA_RECORD_LOST 7     /* Comes before the first record after a gap. what: how many records the thread has */
                              /* lost so far << 4 | kind */
#define ADA_RECORD_NOTHING 12 /* a place that was reserved for something else */
#define ADA_RECORD_STACK                                                                                               \
  13 /* What: an address | kind. Until the next such record, a CALL with n in the top 16 bits of */
     /* `what` had its ada_frame.sp at this address plus 16 * n, rounded down to 16. n is 0 */
     /* where that is not known, and so is the address on stacks that prove nothing. */
#define ADA_RECORD_JUMP 14  /* RESYNC of a frame that was not marked: only its place is known */
#define ADA_RECORD_DETAIL 8 /* added to CALL and RETURN: an ada_detail follows in the next units; how many is in */
                            /* the top byte of `what` */

/* Registers and stack, after a record with ADA_RECORD_DETAIL, in units of 16 bytes. */
typedef struct ada_detail {
  uint16_t contents_bytes; /* of what arguments point to, after the stack; at most ADA_MOST_CONTENTS_BYTES */
  uint16_t stack_bytes;    /* of the stack window, at most 256 */
  uint8_t integers;        /* general registers that carry arguments, or the return value */
  uint8_t vectors;         /* 16 bytes each, before the stack */
  uint8_t contents;        /* how many contents there are */
  uint8_t reserved;
  uint64_t registers[8]; /* as in the ATF detail payload; [7] on a library function's return: errno */
  uint64_t lr, fp, sp;
  uint64_t reserved2[2];
  /* uint8_t vectors[vectors][16]; uint8_t stack[stack_bytes], filled up to a unit; ada_contents with their bytes */
} ada_detail;

ADA_ABI_ASSERT(sizeof(ada_detail) == 112, "ada_detail is 7 units");

/* What one argument, or the result, points to (options strings and pointees).
 * Its bytes follow, padded to a multiple of 8. */
typedef struct ada_contents {
  uint8_t where;   /* general register that holds the address, as in `registers`; ADA_CONTENTS_RESULT: it is in the */
                   /* result, which is in memory */
  uint8_t flags;   /* ADA_CONTENTS_* */
  uint16_t bytes;  /* that follow */
  uint32_t unused; /* 0 */
  uint64_t length; /* of all there is; ~0 if that is not known */
} ada_contents;
#define ADA_CONTENTS_RESULT 0x80u
#define ADA_CONTENTS_UNREADABLE 1u /* the memory can't be read, or not all of it */

ADA_ABI_ASSERT(sizeof(ada_contents) == 16, "ada_contents is a unit");

#define ADA_MOST_STACK_BYTES 256u
#define ADA_MOST_CONTENTS 4u                                                             /* of one event */
#define ADA_MOST_STRING_BYTES 256u                                                       /* of one string */
#define ADA_MOST_CONTENTS_BYTES (ADA_MOST_CONTENTS * (16u + ADA_MOST_STRING_BYTES + 8u)) /* a zero may follow */
#define ADA_MOST_DETAIL_UNITS (7u + 8u + ADA_MOST_STACK_BYTES / 16u + ADA_MOST_CONTENTS_BYTES / 16u)

#ifdef __cplusplus
}
#endif
#endif /* __ASSEMBLER__ */
#endif /* ADA_ABI_H */
