// The verbs of orders. What an order means is what the C API's function of that name does.
#include "orders.h"
#include "core/base/message.h"
#include "session.h"

#include <ada/trace.h>

namespace ada::runtime {
namespace {

// "start", or "start session=DIR" to continue in another session.
bool start(Order &order) {
  Drain &drain = runtime.drain;
  constinit static Path session;
  session.clear();
  TextPiece rest = order.argument;
  options::Assignment a;
  while (options::takeAssignment(rest, a) == options::Reading::Assignment) {
    if (a.name == "session")
      session << a.value;
    else if (!(a.name == "format" && a.value == "packed") && a.name != "summary")
      return order.refuse("it has recorded before, so only its session can be changed, not its other options"), false;
  }
  if (!session.empty()) {
    if (!drain.isParked())
      return order.refuse("it is recording; `adatrace stop PID` ends that"), false;
    if (const char *why = drain.whyNoMove())
      return order.refuse(why), false;
    int error = makeDirectories(session.c_str());
    if (error == 0)
      error = drain.moveTo(session.c_str());
    if (error < 0) {
      order.refuse("cannot continue in ");
      order.answer << session.c_str() << ": " << errorText(error);
      return false;
    }
    runtime.sessionDirectory = session;
  } else if (drain.isParked() && drain.isGone()) {
    return order.refuse("its session was deleted: name another one with --session"), false;
  }
  drain.goOn();
  runtime.recording = true;
  runtime.images.enable();
  return false;
}

bool stop(Order &) {
  runtime.recording = false;
  runtime.images.disable();
  runtime.drain.park();
  return true;
}

bool choose(Order &order, int64_t (*choose)(const char *)) {
  if (order.argument.empty())
    return order.refuse("no glob is given"), false;
  order.result = choose(order.argumentText());
  if (order.result < 0)
    order.refuse("there are too many different globs: the program keeps 256 of them, in 16 KiB");
  return false;
}

bool trigger(Order &order) {
  const ada_ring_header &h = recorder.ring.header();
  if (!h.detail_windows && !h.flight) {
    order.refuse(
        "it does not record windows: start it with `adatrace record --detail=GLOB --detail-mode=window PROGRAM`, or "
        "as a flight recorder with --flight=64M");
    return false;
  }
  runtime.drain.trigger(order.askedNs, TriggerKind::Outside);
  return false;
}

bool flush(Order &) {
  runtime.drain.manifestChanged();
  return true;
}

// A flight recorder writes its session; other traces are written anyway.
bool snapshot(Order &order) {
  order.isSnapshot = true;
  if (recorder.ring.header().flight)
    runtime.drain.trigger(order.askedNs, TriggerKind::Outside);
  runtime.drain.manifestChanged();
  return true;
}

// A mark is a timing anchor whose media time is the wall clock's.
bool mark(Order &order) {
  constexpr int64_t kNsPerSecond = 1000000000;
  if (order.argument.empty() || order.argument.size > TimingAnchors::kMaxLabelBytes)
    return order.refuse("a mark has 1 to 71 bytes of text"), false;
  const auto now = static_cast<int64_t>(sys::nowNs() + sys::epochOffsetNs());
  if (!runtime.timingAnchors.add(order.argumentText(), now, kNsPerSecond))
    return order.refuse("there is no room for more marks and timing anchors"), false;
  return true; // then it is in a file
}

// Lines of `name=value` that only the process knows.
bool tellStatus(Order &order) {
  const Images::Figures figures = runtime.images.figures();
  order.answer << "version=" << ADA_VERSION << "\nfunctions=" << figures.functions << "\nfunctions_on=" << figures.on
               << '\n';
  visitOptions(
      runtime.options,
      [](void *context, const char *name, const char *value, bool) {
        *static_cast<decltype(order.answer) *>(context) << "option." << name << '=' << value << '\n';
      },
      &order.answer);
  return false;
}

constexpr struct {
  const char *verb;
  bool (*execute)(Order &);
} kVerbs[] = {
    {"start", start},
    {"stop", stop},
    {"enable", [](Order &o) { return choose(o, ada_enable); }},
    {"disable", [](Order &o) { return choose(o, ada_disable); }},
    {"detail", [](Order &o) { return choose(o, ada_enable_detail); }},
    {"no-detail", [](Order &o) { return choose(o, ada_disable_detail); }},
    {"trigger", trigger},
    {"flush", flush},
    {"snapshot", snapshot},
    {"mark", mark},
    {"status", tellStatus},
};

} // namespace

bool executeOrder(Order &order) {
  for (const auto &known : kVerbs)
    if (order.verb == known.verb)
      return known.execute(order);
  order.refuse("its runtime does not know this order: use the adatrace of the same release");
  return false;
}

} // namespace ada::runtime
