// The public C API (include/ada/trace.h), and the functions that images call when they are loaded and unloaded.
#include "core/base/message.h"
#include "core/control/waiting_room.h"
#include "core/record/thread.h"
#include "process_events.h"
#include "session.h"
#include "standard_error.h"
#include "start_block.h"

#include <ada/trace.h>

using namespace ada::runtime;

// Option control: gets ready for orders.
__attribute__((noinline)) static void startParked() {
  SignalsBlocked blocked;
  startRecording(/*startsParked=*/true);
}

// `isFirst`: no code of the program has run yet.
static void noteStart(bool isFirst) {
  static bool isNoted = false;
  if (!__atomic_exchange_n(&isNoted, true, __ATOMIC_ACQ_REL))
    noteStandardError(/*isLate=*/!isFirst);
}

extern "C" {

ADA_ANY_STACK void __ada_register_image(const ada_image *image) {
  noteStart(false);
  if (image->abi_version != ADA_ABI_VERSION || image->entry_size != sizeof(ada_function)) {
    say(Message("an image was built by a plugin with ABI version ")
        << image->abi_version << ", but this runtime has version " << ADA_ABI_VERSION
        << ": its functions are not recorded. Build both with the same AdaTrace.");
    return;
  }
  startOnce();
  Runtime &r = runtime;
  State state = recorder.currentState();
  if (state != State::On && state != State::Waiting)
    return;
  if (r.images.has(image)) { // its constructor, after .preinit_array
    watchExitStatus();
    return;
  }
  // The drain must read what unloaded libraries recorded before others can take their slots.
  if (state == State::On && !recorder.ring.hasRoomForModule())
    r.drain.flush();
  if (!r.images.add(image, recorder.ring, r.recording))
    say(Message("too many instrumented libraries are loaded at once: calls in one of them are not recorded"));
  if (r.options.control && state == State::Waiting)
    startParked();
  // Waits until the manifest has the image: a program that is killed right away must have its symbols.
  if (state == State::On)
    r.drain.flush();
}

ADA_ANY_STACK void __ada_register_program(const ada_image *image, char **environment) {
  noteStart(true);
  setStartEnvironment(environment);
  __ada_register_image(image);
}

ADA_ANY_STACK void __ada_runtime_is_missing_link_with_ada_clang_or_with_adatrace_flags(void) {}

ADA_ANY_STACK void __ada_unregister_image(const ada_image *image) {
  State state = recorder.currentState();
  if (state == State::On || state == State::Waiting)
    runtime.images.remove(image, recorder.ring);
  if (runtime.images.isOfProgramWithRuntime(image))
    finishProcess(processExitStatus());
}

ADA_ANY_STACK void ada_start(void) {
  State state = recorder.currentState();
  if (state == State::On)
    runtime.drain.askToGoOn(); // `adatrace stop` may have stopped it
  SignalsBlocked<kGlobStack> blocked;
  runtime.recording = true;
  waiting::setEnabled(true);
  if (state == State::On || state == State::Waiting)
    runtime.images.enable();
}

ADA_ANY_STACK void ada_stop(void) {
  SignalsBlocked blocked;
  runtime.recording = false;
  waiting::setEnabled(false);
  State state = recorder.currentState();
  if (state == State::On || state == State::Waiting)
    runtime.images.disable();
}

ADA_ANY_STACK int64_t ada_enable(const char *glob) {
  return runtime.images.choose(glob, Choice::Select, runtime.recording);
}

ADA_ANY_STACK int64_t ada_disable(const char *glob) {
  return runtime.images.choose(glob, Choice::Deselect, runtime.recording);
}

ADA_ANY_STACK int64_t ada_enable_detail(const char *glob) {
  return runtime.images.choose(glob, Choice::Detail, runtime.recording);
}

ADA_ANY_STACK int64_t ada_disable_detail(const char *glob) {
  return runtime.images.choose(glob, Choice::NoDetail, runtime.recording);
}

ADA_ANY_STACK void ada_trigger(void) {
  State state = recorder.currentState();
  if (state == State::On || state == State::Waiting)
    runtime.drain.trigger(sys::nowNs());
}

ADA_ANY_STACK int ada_flush(void) { return recorder.currentState() == State::On ? runtime.drain.flush() : -1; }

ADA_ANY_STACK void ada_set_thread_name(const char *name) {
  ada_ring_thread *slot = ada_thread.slot;
  if (!slot)
    return;
  size_t n = length(name);
  n = n < sizeof slot->name ? n : sizeof slot->name - 1;
  __builtin_memcpy(slot->name, name, n);
  slot->name[n] = 0;
  runtime.drain.manifestChanged();
}

ADA_ANY_STACK void ada_timing_anchor(const char *label, int64_t value, int64_t timescale) {
  Runtime &r = runtime;
  const State state = recorder.currentState();
  if (state != State::On && state != State::Waiting)
    return;
  if (!r.timingAnchors.add(label, value, timescale))
    say(Message("there are too many timing anchors: further ones are not added to the manifest"));
  else if (state == State::On)
    r.drain.flush(); // then it is in a file and outlives the process
}

ADA_ANY_STACK uint64_t ada_get_timestamp_ns(void) {
  if (__builtin_expect(!isBootOffsetFound(), 0))
    findClock();
  return sys::nowNs();
}

ADA_ANY_STACK const char *ada_session_path(void) {
  State state = recorder.currentState();
  return state == State::On || state == State::Finished ? runtime.processDirectory.c_str() : "";
}
}
