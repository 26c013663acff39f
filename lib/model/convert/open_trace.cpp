// Opens a trace whatever its format is.
#include "ada/trace/convert.h"

#include <sys/stat.h>

namespace ada::model {

namespace {

// An ATF source of bytes that came through a pipe and must stay open.
class OwningSource : public TraceSource {
public:
  OwningSource(std::unique_ptr<TraceSource> source, ByteInput input)
      : input(std::move(input)), source(std::move(source)) {}
  Expected<void> read(TraceSink &sink) override { return source->read(sink); }
  bool knowsRange() const override { return source->knowsRange(); }
  std::optional<double> progress() const override { return source->progress(); }
  const std::vector<Error> &problems() const override {
    return source->problems();
  }
  const std::vector<Warning> &warnings() const override {
    return source->warnings();
  }
  std::vector<Loss> losses() const override { return source->losses(); }

private:
  ByteInput input;
  std::unique_ptr<TraceSource> source;
};

Expected<std::unique_ptr<TraceSource>> openSession(const std::string &path) {
  auto session =
      atf::Session::open(path, {.checksum = atf::ChecksumPolicy::Defer,
                                .detail = false,
                                .lowMemory = true});
  if (!session)
    return session.error();
  return makeAtfSource(*std::move(session));
}

} // namespace

Expected<std::unique_ptr<TraceSource>> openTrace(const std::string &path) {
  struct stat info;
  if (path != "-" && ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode))
    return openSession(path);
  auto input = ByteInput::open(path);
  if (!input)
    return input.error();
  return openTrace(*std::move(input));
}

Expected<std::unique_ptr<TraceSource>> openTrace(ByteInput input) {
  switch (sniff(input.head())) {
  case Format::AtfIndex: {
    if (auto kept = input.spool(); !kept)
      return kept.error();
    auto source = openSession(input.path());
    if (!source)
      return source;
    return std::unique_ptr<TraceSource>(
        std::make_unique<OwningSource>(*std::move(source), std::move(input)));
  }
  case Format::AtfDetail:
    return Error{.code = "E_BAD_MAGIC",
                 .message = "an ATF detail file says nothing without its index "
                            "file; give the thread's directory, or index.atf",
                 .file = input.name()};
  case Format::Dial9:
  case Format::Gzip:
    return makeDial9Source(std::move(input));
  case Format::Wtf:
    return makeWtfSource(std::move(input));
  case Format::Unknown:
    break;
  }
  return Error{.code = "E_BAD_MAGIC",
               .message = input.head().empty()
                              ? "the file is empty"
                              : "not a trace: it begins like none of ATF, "
                                "dial9 (also gzip) and wtf-trace",
               .file = input.name()};
}

} // namespace ada::model
