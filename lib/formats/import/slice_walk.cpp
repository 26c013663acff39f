// Turns slices into calls.
#include "slice_walk.h"

#include <simdjson.h>

namespace ada::formats {

namespace ondemand = simdjson::ondemand;

struct SliceWalk::Parsers {
  simdjson::dom::parser dom;
  ondemand::parser raw;
  std::string padded;
};

SliceWalk::SliceWalk(TraceBuilder &out, model::LossList &lost, FunctionOf functionOf)
    : out_(out), lost_(lost), functionOf_(std::move(functionOf)), parsers_(std::make_unique<Parsers>()) {}
SliceWalk::~SliceWalk() = default;

void SliceWalk::take(const LooseEvent &event, std::string_view text) {
  if (event.thread != thread_)
    leave();
  thread_ = event.thread;
  // An event that begins when a whole slice ends comes after it.
  const bool isEnd = event.type >= kEnd && event.type <= kEndMissing;
  closeUntil(event.timeNs, /*alsoAtOnce=*/!isEnd);
  if (isEnd)
    return close(event, text);
  if (event.type == kBegin)
    return open(event, kNever, text);
  if (event.type == kInstant) {
    const size_t end = text.find('\0');
    return out_.events().addText({.timeNs = event.timeNs, .thread = thread_, .kind = model::Kind::Mark},
                                 text.substr(0, end), end == text.npos ? std::string_view() : text.substr(end + 1));
  }
  uint64_t endNs = event.endNs;
  if (!complete_.empty() && stack_[complete_.back()].endNs < endNs) {
    endNs = stack_[complete_.back()].endNs;
    lost_.add("calls that end after the call around them: they end with it");
  }
  complete_.push_back(stack_.size());
  open(event, endNs, text);
}

void SliceWalk::leave() {
  if (thread_ == kNone)
    return;
  closeUntil(kNever, true);
  stack_.clear();
  out_.endThread(thread_);
  thread_ = kNone;
}

void SliceWalk::put(model::Kind kind, uint64_t timeNs, uint32_t function) {
  out_.events().add({.timeNs = timeNs, .thread = thread_, .function = functionOf_(thread_, function), .kind = kind});
}

void SliceWalk::putValues(uint64_t timeNs, std::string_view json) {
  // The JSON is checked as a whole but taken as text, so that numbers stay as they are written.
  simdjson::dom::object checked;
  if (json.empty() || parsers_->dom.parse(json.data(), json.size()).get(checked))
    return;
  std::string &padded = parsers_->padded;
  padded.reserve(json.size() + simdjson::SIMDJSON_PADDING);
  padded.assign(json);
  ondemand::document document;
  ondemand::object members;
  if (parsers_->raw.iterate(padded.data(), padded.size(), padded.capacity()).get(document) ||
      document.get_object().get(members))
    return;
  for (auto field : members) {
    std::string_view key, text;
    ondemand::value value;
    ondemand::json_type type;
    if (field.unescaped_key().get(key) || field.value().get(value) || value.type().get(type))
      return;
    if (type == ondemand::json_type::object) {
      ondemand::object object;
      if (value.get_object().get(object) || object.raw_json().get(text))
        return;
    } else if (type == ondemand::json_type::array) {
      ondemand::array array;
      if (value.get_array().get(array) || array.raw_json().get(text))
        return;
    } else {
      text = value.raw_json_token();
      text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
    }
    out_.events().addText({.timeNs = timeNs, .thread = thread_, .kind = model::Kind::Value}, key, text);
  }
}

void SliceWalk::open(const LooseEvent &event, uint64_t endNs, std::string_view text) {
  stack_.push_back({event.function, endNs, event.type == kComplete});
  put(model::Kind::Call, event.timeNs, event.function);
  putValues(event.timeNs, text);
}

void SliceWalk::close(const LooseEvent &event, std::string_view text) {
  size_t at = stack_.size();
  while (at > 0 &&
         (stack_[at - 1].isComplete || (event.function != kNoName && stack_[at - 1].function != event.function)))
    --at;
  const model::Kind kind = event.type == kEndByException ? model::Kind::Exception
                           : event.type == kEndInferred  ? model::Kind::Inferred
                           : event.type == kEndMissing   ? model::Kind::Missing
                                                         : model::Kind::Return;
  if (at == 0) {
    if (event.function == kNoName || event.type == kEndMissing)
      return lost_.add("ends without a name where nothing is open");
    return put(kind, event.timeNs, event.function);
  }
  putValues(event.timeNs, text);
  put(kind, event.timeNs, stack_[at - 1].function);
  stack_.resize(at - 1);
  while (!complete_.empty() && complete_.back() >= stack_.size())
    complete_.pop_back();
}

// Closes the whole slices that end before `timeNs` or, with `alsoAtOnce`, at it.
void SliceWalk::closeUntil(uint64_t timeNs, bool alsoAtOnce) {
  while (!complete_.empty()) {
    const Open &innermost = stack_[complete_.back()];
    if (innermost.endNs > timeNs || (innermost.endNs == timeNs && !alsoAtOnce))
      return;
    put(model::Kind::Return, innermost.endNs, innermost.function);
    stack_.resize(complete_.back());
    complete_.pop_back();
  }
}

} // namespace ada::formats
