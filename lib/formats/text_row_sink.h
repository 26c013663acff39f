// The common part of sinks for text formats with one row per call: several threads write the rows.
#pragma once

#include "formats/ordered_text.h"
#include "formats/row_sink.h"
#include "trace/base/stable_list.h"

#include <memory>

namespace ada::formats {

/// Some rows, with copies of their texts.
class TextRows {
public:
  struct Row {
    uint64_t id, parent, root; ///< see RowSink::Row
    uint32_t thread;
    const Span &span;
    std::string_view arguments, result, values;
  };
  size_t size() const { return rows_.size(); }
  Row operator[](size_t index) const {
    const Stored &row = rows_[index];
    const std::string_view texts = std::string_view(texts_).substr(row.texts);
    return {.id = row.id,
            .parent = row.parent,
            .root = row.root,
            .thread = row.thread,
            .span = row.span,
            .arguments = texts.substr(0, row.result),
            .result = texts.substr(row.result, row.values - row.result),
            .values = texts.substr(row.values, row.end - row.values)};
  }
  void add(const Row &row) {
    const size_t result = row.arguments.size(), values = result + row.result.size();
    rows_.push_back({.id = row.id,
                     .parent = row.parent,
                     .root = row.root,
                     .thread = row.thread,
                     .span = row.span,
                     .texts = texts_.size(),
                     .result = result,
                     .values = values,
                     .end = values + row.values.size()});
    texts_.append(row.arguments).append(row.result).append(row.values);
  }

private:
  struct Stored {
    uint64_t id, parent, root;
    uint32_t thread;
    Span span;
    size_t texts, result, values, end; // start of its texts; relative to it, the other texts and the end
  };
  std::vector<Stored> rows_;
  std::string texts_;
};

/// `Format` defines the look of rows: format(const TextRows &, std::string &to) const appends them. It is called in any
/// thread, also in several at a time. Data that it reads must not change while rows are written; a StableList may grow.
///
/// Memory: besides the open calls, some thousand rows per core.
template <class Format> class TextRowSink : public RowSink {
protected:
  explicit TextRowSink(model::ByteSink bytes) : out_(std::move(bytes)) {}

  Format &format() { return format_; }
  /// Writes text before the first row.
  void put(std::string_view text) { out_.put(text); }

private:
  static constexpr size_t kRowsOfAPiece = 2000;

  void writeRow(const Row &row) final {
    rows_->add({row.id, row.parent, row.root, row.thread, row.span, row.arguments, row.result, row.values});
    if (rows_->size() == kRowsOfAPiece)
      handOver();
  }
  void handOver() {
    if (rows_->size() == 0)
      return;
    texts_.add([this, rows = std::move(rows_)](std::string &to) { format_(*rows, to); });
    rows_ = std::make_shared<TextRows>();
  }
  void endTrace() final {
    handOver();
    texts_.finish();
    out_.flush();
  }
  const Expected<void> &status() const final { return out_.status(); }

  Format format_;
  std::shared_ptr<TextRows> rows_ = std::make_shared<TextRows>();
  ByteOutput out_;
  OrderedText texts_{out_}; // the last member: its threads use the others
};

} // namespace ada::formats
