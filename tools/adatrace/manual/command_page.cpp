// Puts the declarations of commands into pages.
#include "command_page.h"

#include "trace/base/text.h"

#include <algorithm>
#include <string_view>

namespace ada::cli {

namespace {

struct Status {
  const char *number, *meaning;
};
constexpr Status kStatuses[] = {
    {"0", "success"},
    {"1", "the trace has problems, or a glob that chooses functions matches none"},
    {"2", "wrong usage"},
    {"3", "the input can't be read, or the output can't be written"},
};
// `record` has these, and otherwise passes the status of the program through.
constexpr Status kRecordStatuses[] = {
    {"125", "recording could not be set up"},
    {"126", "the program can't be executed"},
    {"127", "the program was not found"},
    {"128+n", "signal n killed the program"},
};
// Likewise `cargo`.
constexpr Status kCargoStatuses[] = {
    {"2", "wrong usage, or no plugin for rustc's LLVM"},
    {"3", "no plugin is installed"},
    {"127", "cargo was not found"},
};
constexpr Status kServerStatuses[] = {
    {"4", "no server answers, or it was overloaded for too long"},
    {"5", "the server rejects the user or the password"},
    {"6", "the database does not exist, or has tables of another version"},
    {"7", "the server's disk is full"},
};

constexpr const char *kTakesSession =
    "If a command takes a session and you name none, it uses the newest one under ./ada-traces.";

std::string nameOf(const Command &command) { return std::string("adatrace ") + command.name; }

std::string sentence(const std::string &text) { return text + (text.ends_with('.') || text.ends_with(']') ? "" : "."); }

std::string usageOf(const CommandText &about) {
  std::string usage = nameOf(*about.command) + " [OPTIONS]";
  for (const OptionText &option : about.options)
    if (option.isArgument) {
      const std::string label = option.label() + (option.isRepeated && !about.command->takesProgram ? "..." : "");
      usage +=
          option.isRequired ? " " + label : " [" + label + (about.command->takesProgram ? " [ARGUMENTS]" : "") + "]";
    }
  return usage;
}

void addExamples(Page &page, const Command &command) {
  for (const std::string_view line : partsOf(command.examples, '\n'))
    page.code(std::string(line));
}

// Headings in the order in which they are shown.
std::vector<std::string> headingsOf(const std::vector<OptionText> &options) {
  std::vector<std::string> headings;
  for (const OptionText &option : options)
    if (!option.isArgument && std::ranges::find(headings, option.heading) == headings.end())
      headings.push_back(option.heading);
  const auto rank = [](const std::string &text) {
    return text == heading::kGeneral ? 3 : text == heading::kOutput ? 2 : text == heading::kOptions ? 0 : 1;
  };
  std::ranges::stable_sort(headings, {}, rank);
  return headings;
}

/// `addHeading` is called with each heading.
void addOptions(Page &page, const CommandText &about, const std::function<void(const std::string &)> &addHeading) {
  const auto isArgument = [](const OptionText &option) { return option.isArgument; };
  if (std::ranges::any_of(about.options, isArgument))
    addHeading("Arguments");
  for (const OptionText &option : about.options)
    if (option.isArgument)
      page.item(option.label(), sentence(option.wholeText()));
  for (const std::string &heading : headingsOf(about.options)) {
    addHeading(heading);
    for (const OptionText &option : about.options)
      if (!option.isArgument && option.heading == heading)
        page.item(termOf(option), sentence(option.wholeText()));
  }
}

template <size_t size> void addStatuses(Page &page, const Status (&statuses)[size]) {
  for (const Status &status : statuses)
    page.item(status.number, status.meaning);
}

} // namespace

void addCommands(Page &page, const std::function<void(const std::string &)> &addHeading) {
  for (const CommandGroup &group : commandGroups()) {
    if (std::ranges::all_of(group.commands, [](const Command *command) { return command->option != nullptr; }))
      continue;
    addHeading(group.heading);
    for (const Command *command : group.commands)
      if (!command->option)
        page.item(command->name, command->summary);
  }
}

std::vector<CommandText> allCommands() {
  std::vector<CommandText> all;
  for (const Command *command : commands()) {
    if (command->option)
      continue;
    CommandLine line(nameOf(*command));
    Invocation invocation;
    (void)declareAll(*command, line, invocation);
    all.push_back({command, line.texts()});
  }
  return all;
}

std::string termOf(const OptionText &option) {
  std::string term;
  for (const std::string &name : option.names)
    term += (term.empty() ? "" : ", ") + name;
  return term + (option.value.empty() ? "" : (option.names.back().starts_with("--") ? "=" : " ") + option.value);
}

Page helpPage(const CommandText &about) {
  Page page;
  page.text("Usage: " + usageOf(about));
  page.text(sentence(about.command->summary));
  addOptions(page, about, [&page](const std::string &heading) { page.heading(heading + ":"); });
  page.heading(std::string_view(about.command->examples).find('\n') == std::string_view::npos ? "Example:"
                                                                                              : "Examples:");
  addExamples(page, *about.command);
  return page;
}

Page manualPage(const CommandText &about) {
  const Command &command = *about.command;
  Page page = {.name = std::string("adatrace-") + command.name, .summary = command.summary, .blocks = {}};
  page.begin(page.name, {usageOf(about)});
  page.heading("OPTIONS");
  addOptions(page, about, [&page](const std::string &heading) { page.subheading(heading); });
  page.heading("EXIT STATUS");
  const std::string_view name = command.name;
  if (name == "record") {
    page.text("That of the program, or:");
    addStatuses(page, kRecordStatuses);
  } else if (name == "cargo") {
    page.text("That of cargo, or:");
    addStatuses(page, kCargoStatuses);
  } else {
    addStatuses(page, kStatuses);
    if (name == "load" || name == "ship" || name == "fleet" || name == "flame" || name == "diff")
      addStatuses(page, kServerStatuses);
  }
  page.heading("EXAMPLES");
  addExamples(page, command);
  page.heading("SEE ALSO");
  std::string others = "`adatrace`(1), `adatrace-options`(7)";
  for (const CommandGroup &group : commandGroups())
    if (std::ranges::find(group.commands, &command) != group.commands.end())
      for (const Command *other : group.commands)
        if (other != &command && !other->option)
          others += std::string(", `adatrace-") + other->name + "`(1)";
  page.text(others);
  return page;
}

Page overviewPage() {
  Page page;
  page.text("Usage: adatrace COMMAND [OPTIONS] ...");
  page.text("Records and reads traces of function calls.");
  addCommands(page, [&page](const std::string &heading) { page.heading(heading + ":"); });
  page.text(
      std::string("`adatrace COMMAND --help` describes a command, and `adatrace help COMMAND` shows its manual page. "
                  "`adatrace help` lists all pages, `adatrace --version` prints the version. ") +
      kTakesSession);
  page.heading("Example:");
  page.code("adatrace record ./program && adatrace tree");
  page.heading("Exit status:");
  addStatuses(page, kStatuses);
  page.text("`record` passes the status of the program through, or ends with:");
  addStatuses(page, kRecordStatuses);
  return page;
}

Page overviewManualPage() {
  Page page = {.name = "adatrace", .summary = "record and read traces of function calls", .blocks = {}};
  page.begin(page.name, {"adatrace COMMAND [OPTIONS] ..."});
  page.heading("DESCRIPTION");
  page.text(
      "AdaTrace records the function calls of programs that were compiled with its plugin, see `ada-clang`(1), and "
      "shows what they did: when, in which thread, with which arguments, and what they waited for.");
  page.text(
      std::string(
          "Each command has a page of its own, adatrace-COMMAND(1), which `adatrace help COMMAND` shows as well. ") +
      kTakesSession);
  page.heading("COMMANDS");
  addCommands(page, [&page](const std::string &heading) { page.subheading(heading); });
  page.heading("EXIT STATUS");
  addStatuses(page, kStatuses);
  page.text("`adatrace record` passes the status of the program through, or ends with:");
  addStatuses(page, kRecordStatuses);
  page.heading("ENVIRONMENT");
  page.item("ADA_OPTIONS", "what programs record: `adatrace-options`(7)");
  page.item("NO_COLOR", "no colours if it is set and not empty");
  page.heading("FILES");
  page.item("ada-traces/session_*", "sessions, below the working directory of the program");
  page.item("/dev/shm/adatrace-*", "rings of programs that are recording, or were killed: `adatrace-recover`(1)");
  page.heading("EXAMPLES");
  page.code("ada-clang++ -O2 -g app.cpp -o app");
  page.code("adatrace record ./app");
  page.code("adatrace tree");
  page.heading("SEE ALSO");
  page.text("`ada-clang`(1), `adatrace-options`(7), and the documents in share/doc/adatrace");
  return page;
}

} // namespace ada::cli
