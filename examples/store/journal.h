// The file behind a table: every change is appended to it.
#ifndef STORE_JOURNAL_H
#define STORE_JOURNAL_H

#include <cstddef>
#include <string>

class Journal {
public:
  enum class Writes {
    Soon, ///< the system decides when to write a block
    Now,  ///< every block is on the disk before the next one
  };

  /// Starts an empty file.
  Journal(std::string path, Writes writes);
  ~Journal();
  Journal(const Journal &) = delete;
  Journal &operator=(const Journal &) = delete;

  void append(const std::string &key, const std::string &value);
  /// Writes what is not in the file yet.
  void flush();
  /// Continues with the file of `other`, under this one's name.
  void replaceBy(Journal &other);

  size_t bytes() const { return written_ + block_.size(); }

private:
  void writeBlock();

  std::string path_;
  Writes writes_;
  int file_;
  std::string block_; // not written yet
  size_t written_ = 0;
};

#endif // STORE_JOURNAL_H
