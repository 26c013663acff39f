// manifest.cpp - manifest.json: written when recording starts, and replaced whole whenever its content has changed.
#include "drain.h"
#include "images.h"
#include "json.h"
#include "options.h"
#include "process_info.h"

namespace ada {

void Drain::writeThreads(JsonWriter &json) {
  json.line().beginArray("threads");
  for (uint64_t i = 0; i < summaryCount_; ++i) {
    const ThreadSummary &s = summaries_[i];
    if (s.tid == 0)
      continue; // a thread that has not written anything yet
    json.line().beginObject();
    json.number("id", s.index).boolean("has_detail", s.details > 0).number("tid", s.tid).text("name", s.name);
    json.number("event_count", s.events).number("detail_count", s.details);
    json.beginObject("dropped");
    static const char *const kReasons[ADA_LOST_REASONS] = {"ring_full", "no_memory", "write_error"};
    for (unsigned r = 0; r < ADA_LOST_REASONS; ++r)
      if (s.lost[r])
        json.number(kReasons[r], s.lost[r]);
    json.endObject();
    json.number("time_start_ns", s.timeStart).number("time_end_ns", s.timeEnd);
    json.endObject();
  }
  json.endArray();
}

void Drain::writeManifest() {
  uint64_t began = sys::nowNs();
  __atomic_store_n(&manifestDirty_, 0, __ATOMIC_RELEASE);
  summariseAll();

  Path path(directory_), temporary;
  path << "/manifest.json";
  temporary << path.c_str() << ".new";
  int fd = sys::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC);
  int error = fd;
  if (fd >= 0) {
    JsonWriter json(fd);
    json.beginObject();
    json.text("format_version", "2.1");
    json.number("time_start_ns", timeStart_).number("time_end_ns", timeEnd_);
    json.number("clock_type", atf::kClockBoottime);
    writeProcess(json, ending_, exitStatus_);
    writeHost(json);

    json.line().beginObject("clock");
    bool system = ring_->header().clock == ADA_CLOCK_SYSTEM;
    json.text("source", system ? "clock_gettime" : arch::kCounterName);
    if (uint64_t frequency = system ? 0 : arch::counterFrequency())
      json.number("frequency_hz", frequency);
    json.beginArray("anchors");
    // A few are enough to see the counter's rate: the first that is still known, the last, and some between.
    uint64_t anchors = ring_->header().anchors_used;
    uint64_t first = anchors > ADA_RING_ANCHORS ? anchors - ADA_RING_ANCHORS : 0;
    uint64_t step = (anchors - first) / 16 + 1;
    for (uint64_t n = first; n < anchors; n = n + step < anchors || n + 1 == anchors ? n + step : anchors - 1) {
      const ada_anchor &a = ring_->anchors()[n % ADA_RING_ANCHORS];
      json.beginObject().number("counter", a.counter).number("time_ns", a.time_ns).endObject();
    }
    json.endArray().endObject();

    json.line().beginObject("options");
    visitOptions(
        *options_,
        [](void *context, const char *name, const char *value, bool isText) {
          JsonWriter &j = *(JsonWriter *)context;
          if (isText)
            j.text(name, value);
          else if (value[0] == 't' || value[0] == 'f')
            j.boolean(name, value[0] == 't');
          else {
            uint64_t v = 0;
            while (*value)
              v = v * 10 + (uint64_t)(*value++ - '0');
            j.number(name, v);
          }
        },
        &json);
    json.endObject();

    json.line().beginObject("recorder");
    json.text("name", "AdaTrace").text("version", ADA_VERSION);
    json.number("abi_version", ADA_ABI_VERSION);
    if (ending_ != Ending::Exit)
      json.text("ring", ring_->path());
    if (failed_)
      json.text("failure", failure_);
    json.endObject();

    writeThreads(json);
    windows_.writeManifest(json);
    images_->writeManifest(json);
    json.line().endObject();
    error = json.finish();
    sys::close(fd);
    if (error == 0)
      error = sys::rename(temporary.c_str(), path.c_str());
    if (error < 0)
      sys::unlink(temporary.c_str()); // the old one stays
  }
  if (error < 0)
    fail("manifest.json", error);
  // A large manifest is not written again at once: at most a twentieth of the drain's time goes into it.
  uint64_t took = sys::nowNs() - began;
  uint64_t pause = took * 20 > 1000000000 ? took * 20 : 1000000000;
  manifestDueNs_ = sys::nowNs() + pause;
}

} // namespace ada
