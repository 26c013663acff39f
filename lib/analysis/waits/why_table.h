// The columns of `why` about one call.
#pragma once

#include "wait_table.h"
#include "why.h"

namespace ada::analysis {

/// "own", "callee", …: the words of --format=json.
const char *whyPartKind(const WhyPart &part);

struct WhyPartRow {
  const WhyPart *part;
  const NamedTrace *trace;

  bool isWait() const { return part->kind == PartKind::Waiting; }
};
Columns<WhyPartRow> whyPartColumns();

struct WhyHolderRow {
  const WhyPart::Holder *holder;
  const NamedTrace *trace;

  const model::Thread &thread() const { return trace->table.threads[holder->thread]; }
};
Columns<WhyHolderRow> whyHolderColumns();

struct WhyRow {
  const Why *why;
  const NamedTrace *trace;

  const model::Thread &thread() const { return trace->table.threads[why->thread]; }
};
Columns<WhyRow> whyColumns();

} // namespace ada::analysis
