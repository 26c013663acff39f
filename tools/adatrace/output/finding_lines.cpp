// Prints what is wrong: a few lines for each finding.
#include "finding_lines.h"

#include "analysis/findings/finding_table.h"
#include "shared/text/utf8.h"
#include "trace/base/format.h"
#include "trace/base/quantities.h"

#include <algorithm>

namespace ada::cli {

namespace {

constexpr size_t kMaxBytes = 1990, kLongestText = 230, kLongestEvidence = 150;

std::string cutTo(std::string text, size_t most) {
  if (text.size() <= most)
    return text;
  return text.substr(0, wholeCharacters(text.data(), most - 3)) + "...";
}

std::string headOf(const analysis::Findings &found) {
  if (found.requests.empty())
    return fmt::format("no calls repeat; the run took {}\n", formatDuration(found.runNs));
  std::string names;
  constexpr size_t kMaxNames = 3;
  for (size_t i = 0; i < std::min(kMaxNames, found.requests.size()); ++i)
    names += (i ? ", " : "") + cutTo(found.requests[i], 60);
  if (found.requests.size() > kMaxNames)
    names += fmt::format(" and {} more", found.requests.size() - kMaxNames);
  return fmt::format("{} of {}: {} in {}\n", formatCount(found.requestCalls, "request"), names,
                     formatDuration(found.requestsNs), formatDuration(found.runNs));
}

std::string shareText(const analysis::Finding &finding) {
  return fmt::format("{:>3.0f} % {:>11}", 100 * finding.share(), formatDuration(finding.stakeNs));
}

} // namespace

void printFindings(Output &out, const Palette &palette, const analysis::Findings &found) {
  // Colours do not count: they are not what a reader has to read.
  std::string head = headOf(found);
  size_t left = kMaxBytes - head.size();
  out.write(head);
  if (found.findings.empty())
    out.write("nothing stands out\n");
  for (const auto &missing : found.cannotSay)
    left -= std::min(left, std::min<size_t>(missing.what.size(), 130) + missing.command.size() + 20);
  size_t shown = 0;
  for (const analysis::Finding &finding : found.findings) {
    const std::string share = shareText(finding), kind = std::string(findingKindName(finding.kind));
    const std::string text = cutTo(finding.text, kLongestText);
    size_t bytes = share.size() + kind.size() + text.size() + finding.command.size() + 32;
    if (bytes > left && shown > 0)
      break;
    left -= std::min(left, bytes);
    out.print("{}{}{} {}{}{} ({}): {}\n", palette.number, share, palette.reset, palette.name, kind, palette.reset,
              sureName(finding.sure), text);
    for (const std::string &evidence : finding.evidence) {
      const std::string line = cutTo(evidence, kLongestEvidence);
      if (line.size() + 7 > left || (shown >= 3 && &evidence != finding.evidence.data()))
        break;
      left -= line.size() + 7;
      out.print("      {}{}{}\n", palette.dim, line, palette.reset);
    }
    if (!finding.command.empty())
      out.print("      next: {}\n", finding.command);
    ++shown;
  }
  if (shown < found.findings.size())
    out.print("{}... and {} more: --format=json{}\n", palette.dim, found.findings.size() - shown, palette.reset);
  for (const auto &missing : found.cannotSay)
    out.print("{}cannot say{} {}{}\n", palette.dim, palette.reset, cutTo(missing.what, 130),
              missing.command.empty() ? "" : ": " + missing.command);
}

void printFindingsJson(Output &out, const analysis::Findings &found) {
  out.write(jsonOf(analysis::findingsColumns(), found) + "\n");
}

} // namespace ada::cli
