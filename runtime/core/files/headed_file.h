// A thread's file that begins with a header: a placeholder while it grows, and the true one once it is finished.
//
// Owned by the drain thread. The file can be read up to its last whole event at any time: a final header, which would
// hide what is appended, becomes a placeholder again first.
#pragma once

#include "core/base/crc.h"
#include "shared/encode/atf.h"
#include "thread_file.h"

namespace ada::runtime {

// `Self` derives from this, and its header(finished) makes the header.
template <class Self> class HeadedFile {
public:
  // Closes the descriptor; the next use opens the file again.
  void closeDescriptor() { file_.close(); }
  bool isOpen() const { return file_.isOpen(); }
  bool exists() const { return file_.exists(); }

protected:
  // `directory` (of the process) must outlive this object. Creates nothing yet.
  void begin(const char *directory, uint32_t index, const char *name, const atf::FileOrigin &origin) {
    static_cast<Self &>(*this) = Self();
    file_.begin(directory, index, name);
    origin_ = origin;
  }
  int open() {
    return file_.open([&] { return writeHeader(false); });
  }
  int writeHeader(bool finished) {
    const auto header = static_cast<const Self &>(*this).header(finished);
    const int error = file_.write(&header, sizeof header, 0);
    if (error == 0)
      finished_ = finished;
    return error;
  }

  ThreadFile file_;
  atf::FileOrigin origin_;
  bool finished_ = false;
};

// An ATF file: header, events, footer. `Totals` are those of its events, of which eventBytes() is the size.
template <class Self, class Totals> class AtfFile : public HeadedFile<Self> {
public:
  // The number of events, and the size of the file without its footer.
  uint64_t events() const { return totals_.events; }
  uint64_t bytes() const { return end(); }

protected:
  using HeadedFile<Self>::file_, HeadedFile<Self>::origin_, HeadedFile<Self>::finished_;

  uint64_t end() const { return atf::kHeaderBytes + static_cast<const Self &>(*this).eventBytes(); }

  // Appends events, without counting them. On an error the file keeps the whole events that it has.
  int add(const unsigned char *events, size_t n) {
    int error = this->open();
    if (error == 0 && finished_) {
      error = this->writeHeader(false);
      file_.truncate(end()); // drop the footer
    }
    if (error == 0)
      error = file_.write(events, n, end());
    if (error < 0)
      file_.truncate(end()); // no half event at the end
    else
      crc_ = sumOf(origin_.version, crc_, events, n);
    return error;
  }
  int finishWith(const atf::Frame &footer) {
    const int error = file_.write(footer.bytes, sizeof footer, end());
    return error < 0 ? error : this->writeHeader(true);
  }

  uint32_t crc_ = 0;
  Totals totals_;
};

} // namespace ada::runtime
