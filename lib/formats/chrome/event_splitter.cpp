// Finds the events in Chrome's trace JSON.
#include "event_splitter.h"

namespace ada::formats {

static constexpr size_t kMaxMemberBytes = 64 << 10;

static bool isSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

void EventSplitter::fail(const char *code, std::string message) {
  problem_ = Error{.code = code, .message = std::move(message), .offset = offset_};
}

bool EventSplitter::push(std::string_view bytes) {
  if (problem_ || isStopped_)
    return false;
  size_t at = 0;
  while (at < bytes.size()) {
    // Nearly all bytes are inside events, where they mean nothing to the splitter.
    if (state_ == State::Event || state_ == State::Collected || state_ == State::Skipped) {
      size_t plain = at;
      if (!isEscaped_) {
        if (isInString_)
          while (plain < bytes.size() && bytes[plain] != '"' && bytes[plain] != '\\')
            ++plain;
        else
          while (plain < bytes.size() && bytes[plain] != '"' && bytes[plain] != '{' && bytes[plain] != '}' &&
                 bytes[plain] != '[' && bytes[plain] != ']' && bytes[plain] != ',')
            ++plain;
      }
      if (plain > at) {
        const size_t most = state_ == State::Event ? mostEventBytes_ : kMaxMemberBytes;
        isTooLong_ = isTooLong_ || text_.size() + (plain - at) > most;
        if (!isTooLong_ && state_ != State::Skipped)
          text_.append(bytes.substr(at, plain - at));
        offset_ += plain - at;
        at = plain;
        continue;
      }
    }
    if (!step(bytes[at]))
      return false;
    ++at;
    ++offset_;
  }
  return true;
}

bool EventSplitter::closeEvent() {
  state_ = State::Events;
  if (isTooLong_)
    visitor_.onUnusable(eventAt_);
  else
    isStopped_ = !visitor_.onEvent(text_, eventAt_);
  text_.clear();
  return !isStopped_;
}

void EventSplitter::openValue(char c) {
  text_.clear();
  isTooLong_ = false;
  depth_ = 0;
  if (key_ == "traceEvents" && c == '[') {
    foundEvents_ = true;
    state_ = State::Events;
    return;
  }
  state_ = State::Collected;
}

// Long because it is one state machine.
bool EventSplitter::step(char c) {
  switch (state_) {
  case State::Begin:
    if (isSpace(c) || (offset_ < 3 && static_cast<unsigned char>(c) >= 0xbb)) // a byte order mark
      return true;
    isObject_ = c == '{';
    foundEvents_ = !isObject_;
    state_ = isObject_ ? State::Members : State::Events;
    if (c != '{' && c != '[')
      fail("E_BAD_JSON", "the text is neither a JSON array nor an object");
    return !problem_;
  case State::Events:
    if (isSpace(c) || c == ',')
      return true;
    if (c == ']') {
      state_ = isObject_ ? State::Members : State::Done;
      return true;
    }
    if (c == '}' || c == ':') {
      fail("E_BAD_JSON", std::string("expected an event, found '") + c + "'");
      return false;
    }
    eventAt_ = offset_;
    isTooLong_ = isInString_ = isEscaped_ = false;
    depth_ = 0;
    text_.clear();
    state_ = c == '{' ? State::Event : State::Skipped;
    return step(c);
  case State::Event:
  case State::Collected:
  case State::Skipped: {
    const bool isText = isInString_;
    if (isInString_) {
      isInString_ = isEscaped_ || c != '"';
      isEscaped_ = !isEscaped_ && c == '\\';
    } else if (c == '"') {
      isInString_ = true;
    } else if (c == '{' || c == '[') {
      ++depth_;
    } else if ((c == '}' || c == ']') && depth_ > 0) {
      --depth_;
    } else if (depth_ == 0 && (c == ',' || c == '}' || c == ']')) { // after a value without brackets
      if (state_ == State::Skipped) {
        visitor_.onUnusable(eventAt_);
        state_ = State::Events;
      } else {
        visitor_.onMember(key_, isTooLong_ ? std::string_view() : text_);
        text_.clear();
        state_ = State::Members;
      }
      return step(c);
    }
    const size_t most = state_ == State::Event ? mostEventBytes_ : kMaxMemberBytes;
    isTooLong_ = isTooLong_ || text_.size() >= most;
    if (!isTooLong_ && state_ != State::Skipped)
      text_ += c;
    return state_ != State::Event || depth_ > 0 || isText || closeEvent();
  }
  case State::Members:
    if (isSpace(c) || c == ',')
      return true;
    if (c == '"') {
      key_.clear();
      isEscaped_ = false;
      state_ = State::Key;
      return true;
    }
    state_ = State::Done;
    if (c != '}')
      fail("E_BAD_JSON", std::string("expected the name of a member, found '") + c + "'");
    return !problem_;
  case State::Key:
    if (!isEscaped_ && c == '"')
      state_ = State::Colon;
    else if (key_.size() < kMaxMemberBytes)
      key_ += c;
    isEscaped_ = !isEscaped_ && c == '\\';
    return true;
  case State::Colon:
    if (isSpace(c))
      return true;
    state_ = State::Value;
    if (c != ':')
      fail("E_BAD_JSON", "expected ':' after the name of a member");
    return !problem_;
  case State::Value:
    if (isSpace(c))
      return true;
    openValue(c);
    return state_ == State::Events || step(c);
  case State::Done:
    return true;
  }
  return true;
}

void EventSplitter::finish() {
  if (problem_ || isStopped_)
    return;
  const bool mayEnd = state_ == State::Done || (state_ == State::Events && !isObject_);
  if (!mayEnd)
    fail("E_TRUNCATED", state_ == State::Event ? "the text ends within an event; everything before it was read"
                                               : "the text is incomplete; everything before its end was read");
}

} // namespace ada::formats
