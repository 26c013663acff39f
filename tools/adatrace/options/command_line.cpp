// Command lines, parsed by CLI11.
#include "command_line.h"

#include "exit_codes.h"
#include "suggestion.h"
#include "terminal/terminal.h"
#include "trace/base/format.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <optional>
#include <string_view>

namespace ada::cli {

Option Option::type(const std::string &name) const {
  text().value = name;
  return *this;
}
Option Option::required() const {
  parser().required();
  text().isRequired = true;
  return *this;
}
Option Option::repeatable() const {
  parser().allow_extra_args(false);
  return *this;
}
Option Option::oneOf(const std::vector<std::string> &words) const {
  parser().check(CLI::IsMember(words).description(""));
  text().words = words;
  return *this;
}
template <class Number> Option Option::between(Number least, Number most) const {
  parser().check(CLI::Range(least, most).description(""));
  return *this;
}
template Option Option::between(int, int) const;
template Option Option::between(unsigned, unsigned) const;
template Option Option::between(double, double) const;
Option Option::check(const std::function<std::string(const std::string &)> &faultOf) const {
  parser().check(faultOf, "");
  return *this;
}
Option Option::under(const std::string &heading) const {
  text().heading = heading;
  return *this;
}
Option Option::needs(const std::string &other) const {
  parser().needs(other);
  text().needs = other;
  return *this;
}
Option Option::excludes(const std::string &other) const {
  parser().excludes(other);
  text().excludes = other;
  return *this;
}
void Option::addText(const std::string &more) const { text().text += more; }

std::string Option::name() const { return parser().get_name(); }
bool Option::isArgument() const { return text().isArgument; }
bool Option::isGiven() const { return parser().count() > 0; }
const std::vector<std::string> &Option::values() const { return parser().results(); }

CommandLine::CommandLine(const std::string &path) : path_(path), app_(std::make_unique<CLI::App>("", path)) {
  declare(app_->get_help_ptr(), "", "Print this help and exit").under(heading::kGeneral);
}
CommandLine::~CommandLine() = default;

template <class Target> Option CommandLine::option(const std::string &names, Target &target, const std::string &text) {
  return declare(app_->add_option(names, target), "TEXT", text);
}
template Option CommandLine::option(const std::string &, std::string &, const std::string &);
template Option CommandLine::option(const std::string &, std::vector<std::string> &, const std::string &);
template Option CommandLine::option(const std::string &, int &, const std::string &);
template Option CommandLine::option(const std::string &, unsigned &, const std::string &);
template Option CommandLine::option(const std::string &, size_t &, const std::string &);
template Option CommandLine::option(const std::string &, std::optional<int> &, const std::string &);
template Option CommandLine::option(const std::string &, std::optional<double> &, const std::string &);

Option CommandLine::flag(const std::string &names, bool &target, const std::string &text) {
  return declare(app_->add_flag(names, target), "", text);
}

// The function that CLI11 calls to set an option. CLI11 expects an exception if the value is wrong.
template <class Value>
static std::function<void(const Value &)> setter(const std::string &names,
                                                 std::function<std::string(const Value &)> set) {
  return [name = names.substr(names.find("--")), set = std::move(set)](const Value &value) {
    if (const std::string fault = set(value); !fault.empty())
      throw CLI::ValidationError(name, fault);
  };
}
Option CommandLine::parsed(const std::string &names, Set set, const std::string &text) {
  return declare(app_->add_option_function<std::string>(names, setter(names, std::move(set))), "TEXT", text);
}
Option CommandLine::alias(const std::string &name, const std::string &of, Set set) {
  return declare(app_->add_option_function<std::string>(name, setter(of, std::move(set))), "TEXT", "").hidden();
}
Option CommandLine::parsed(const std::string &names, SetAll set, const std::string &text) {
  return declare(app_->add_option_function<std::vector<std::string>>(names, setter(names, std::move(set))), "TEXT",
                 text)
      .repeatable();
}

Option CommandLine::declare(CLI::Option *parser, const std::string &value, const std::string &text) {
  OptionText about;
  about.value = value, about.text = text, about.heading = heading_, about.isArgument = parser->get_positional();
  for (const std::string &name : parser->get_snames())
    about.names.push_back("-" + name);
  for (const std::string &name : parser->get_lnames())
    about.names.push_back("--" + name);
  if (about.isArgument)
    about.names = {parser->get_name()};
  about.isRepeated = parser->get_expected_max() > 1;
  return declared_.emplace_back(new Option::Declared{parser, std::move(about)}).get();
}

Option CommandLine::find(const std::string &name) const {
  const CLI::Option *parser = app_->get_option(name);
  return std::ranges::find(declared_, parser, [](const auto &declared) { return declared->parser; })->get();
}
std::vector<Option> CommandLine::all() const {
  std::vector<Option> options;
  for (const auto &declared : declared_)
    options.emplace_back(declared.get());
  return options;
}
std::vector<OptionText> CommandLine::texts() const {
  std::vector<OptionText> texts;
  for (const auto &declared : declared_)
    if (!declared->text.heading.empty())
      texts.push_back(declared->text);
  return texts;
}

// The program's own arguments begin at the first word that is neither an option nor the value of one. CLI11 finds that
// place only while it parses, and would take options that come after it.
std::vector<std::string> CommandLine::takeProgram(std::vector<std::string> &args) const {
  size_t at = 0;
  for (; at < args.size(); ++at) {
    const std::string &arg = args[at];
    if (arg == "--")
      break;
    if (arg.size() < 2 || arg[0] != '-')
      break;
    if (arg.find('=') != std::string::npos)
      continue;
    const bool isShort = arg[1] != '-';
    const CLI::Option *option = app_->get_option_no_throw(isShort ? arg.substr(0, 2) : arg);
    const bool valueAttached = isShort && arg.size() > 2;
    if (option && option->get_items_expected_max() > 0 && !valueAttached)
      ++at;
  }
  at = std::min(at, args.size());
  const size_t first = at + (at < args.size() && args[at] == "--");
  std::vector<std::string> program(args.begin() + static_cast<ptrdiff_t>(first), args.end());
  args.resize(at);
  return program;
}

// What is wrong with a value in the words of this tool: CLI11 names types ("1 required UINT missing"). Texts that
// another version words in another way (these are 2.1's) come unchanged.
static std::string aboutValue(const std::string &text, const std::vector<OptionText> &options) {
  constexpr std::string_view kConversion = "Could not convert: ", kIs = " = ";
  const bool isConversion = text.starts_with(kConversion);
  const size_t begin = isConversion ? kConversion.size() : 0, end = text.find(isConversion ? kIs : ": ", begin);
  const std::string name = text.substr(begin, end - begin);
  const std::string value = isConversion && end != text.npos ? text.substr(end + kIs.size()) : "";
  const auto option =
      std::ranges::find_if(options, [&](const OptionText &one) { return std::ranges::count(one.names, name) > 0; });
  if (end == text.npos || option == options.end() || option->isArgument)
    return text;
  if (isConversion && !value.starts_with("-"))
    return fmt::format("{}: '{}' is not a number", name, value);
  if (isConversion || text.ends_with(" missing"))
    return fmt::format("{0} needs a value: {0}={1}", name, option->value);
  return text;
}

// Prints one line instead of the library's two: what is wrong, and what was probably meant.
static int reportUsageError(const CLI::App &app, const std::string &path, const std::vector<OptionText> &options,
                            const CLI::ParseError &error) {
  std::string text = error.what();
  if (dynamic_cast<const CLI::ConversionError *>(&error) || dynamic_cast<const CLI::ArgumentMismatch *>(&error))
    text = aboutValue(text, options);
  std::string hint;
  const std::vector<std::string> extras = app.remaining();
  if (dynamic_cast<const CLI::ExtrasError *>(&error) && !extras.empty()) {
    const std::string extra = extras.front().substr(0, extras.front().find('='));
    if (extra.size() > 1 && extra[0] == '-') {
      std::vector<std::string> names;
      for (const CLI::Option *option : app.get_options())
        for (const std::string &name : option->get_lnames())
          names.push_back("--" + name);
      text = "unknown option " + extra;
      hint = nearest(extra, names);
    } else {
      text = "unexpected argument '" + extras.front() + "'";
    }
  }
  std::replace(text.begin(), text.end(), '\n', ' ');
  if (!hint.empty())
    text += " (did you mean " + hint + "?)";
  return fail(kWrongUsage, "{}: {}; see {} --help", path.substr(std::min(path.find(' ') + 1, path.size())), text, path);
}

std::optional<int> CommandLine::parse(std::vector<std::string> args, const std::function<void()> &help) {
  std::reverse(args.begin(), args.end());
  try {
    app_->parse(args);
  } catch (const CLI::CallForHelp &) {
    help();
    return kOk;
  } catch (const CLI::ParseError &error) {
    return reportUsageError(*app_, path_, texts(), error);
  }
  return std::nullopt;
}

} // namespace ada::cli
