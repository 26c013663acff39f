// Reads the packets of Perfetto traces: names, clocks and tracks, and the events on them.
#pragma once

#include "formats/import/event_sorter.h"
#include "formats/name_limit.h"
#include "trace/base/json.h"
#include "trace/loss_list.h"

#include <cstdint>
#include <map>
#include <optional>
#include <protozero/pbf_reader.hpp>
#include <simdjson.h>
#include <string>
#include <unordered_map>
#include <vector>

namespace ada::formats::perfetto {

using protozero::pbf_reader;

constexpr uint32_t kNoTrack = ~uint32_t{0};

struct ClockState {
  int64_t offset = 0; ///< to the trace's clock
  uint64_t now = 0;   ///< the time of a clock whose times are differences
  uint64_t unit = 1;  ///< in nanoseconds
  bool isIncremental = false;
};

// The state of a sequence, to which its packets refer.
struct Sequence {
  bool isValid = false;
  std::unordered_map<uint64_t, uint32_t> eventNames;
  std::unordered_map<uint64_t, std::string> annotationNames, texts;
  std::optional<uint32_t> defaultClock;
  std::optional<uint64_t> defaultTrack;
  uint32_t threadTrack = kNoTrack; ///< from a thread descriptor
  std::map<uint32_t, ClockState> clocks;
};

struct Track {
  std::optional<uint64_t> uuid = {}, parent = {};
  std::string name = {}, threadName = {}, processName = {};
  std::optional<uint32_t> pid = {}, tid = {};
  bool isProcess = false, hasEvents = false;
  bool isOffCpu = false; ///< off-CPU times in our own exports
};

inline std::string_view viewOf(pbf_reader &field) {
  const auto view = field.get_view();
  return {view.data(), view.size()};
}

struct Annotations {
  std::string json; ///< an object; empty if there are none
  std::string end;  ///< how a call ended, in a trace that AdaTrace wrote
};

/// Puts the events of tracks into `events`: LooseEvent::thread is the track, function the name.
class PacketReader {
public:
  PacketReader(EventSorter &events, model::LossList &lost) : events_(events), lost_(lost), limit_(lost) {}

  /// False if no more packets are wanted.
  bool take(std::string_view packet, uint64_t offset, bool isUnpacked = false);
  const std::vector<Track> &tracks() const { return tracks_; }
  /// The track that `track` is inside; null if there is none.
  const Track *parentOf(const Track &track) const {
    const auto found = track.parent ? byUuid_.find(*track.parent) : byUuid_.end();
    return found == byUuid_.end() ? nullptr : &tracks_[found->second];
  }
  const std::string &name(uint32_t number) const { return *byNumber_[number]; }
  /// Names from the list of processes, by pid and tid.
  const std::map<uint32_t, std::string> &processNames() const { return processNames_; }
  const std::map<uint32_t, std::string> &threadNames() const { return threadNames_; }

  uint64_t damaged = 0, damagedAt = 0, usable = 0;
  uint64_t unknownClocks = 0;
  Expected<void> status;

private:
  struct Packet {
    std::optional<uint64_t> timestamp;
    std::optional<uint32_t> clock;
    uint32_t sequence = 0;
    uint64_t flags = 0;
    bool isCleared = false, isAfterLoss = false;
    std::vector<pbf_reader> interned; // parts of one message
    std::optional<pbf_reader> event, defaults, snapshot, track, process, thread, tree;
    std::string_view compressed;
  };
  void read(std::string_view bytes, Packet &packet);
  void use(Packet &packet);
  void addSnapshot(pbf_reader snapshot, Sequence &sequence);
  void addInterned(pbf_reader interned, Sequence &sequence);
  void addDefaults(pbf_reader defaults, Sequence &sequence);
  void addTrack(pbf_reader descriptor);
  void addThread(pbf_reader descriptor, Track &track);
  void addProcess(pbf_reader descriptor, Track &track);
  void addTree(pbf_reader tree);
  void addEvent(pbf_reader event, uint64_t timeNs, Sequence &sequence);
  void unpack(std::string_view compressed, uint64_t offset);
  std::optional<uint64_t> timeOf(const Packet &packet, Sequence &sequence);
  void annotate(pbf_reader annotation, const Sequence &sequence, JsonMembers &out, Annotations *about, unsigned depth);
  uint32_t trackOf(uint64_t uuid);
  uint32_t nameOf(std::string_view name) {
    const auto [found, isNew] =
        names_.try_emplace(std::string(limit_.kept(name)), static_cast<uint32_t>(names_.size()));
    if (isNew) {
      byNumber_.push_back(&found->first);
      (void)limit_.take(name); // counts it
    }
    return found->second;
  }
  bool isJson(std::string_view text) {
    simdjson::dom::element ignored;
    return !text.empty() && !parser_.parse(text.data(), text.size()).get(ignored);
  }

  EventSorter &events_;
  model::LossList &lost_;
  NameLimit limit_;
  std::unordered_map<uint32_t, Sequence> sequences_;
  std::map<uint32_t, ClockState> clocks_; // of the whole trace
  std::vector<Track> tracks_;
  std::unordered_map<uint64_t, uint32_t> byUuid_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> byThread_; // by pid and tid
  std::unordered_map<std::string, uint32_t> names_;
  std::vector<const std::string *> byNumber_;                  // of names_
  std::map<uint32_t, std::string> processNames_, threadNames_; // of the process tree
  simdjson::dom::parser parser_{16 << 20};
};

} // namespace ada::formats::perfetto
