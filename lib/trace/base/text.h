// Texts that may hold anything: UTF-8 or not, and made safe to show.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ada {

bool isUtf8(std::string_view text);
/// The text as UTF-8: U+FFFD stands for each byte that is not.
std::string validUtf8(std::string_view text);

/// `text` as a part of one line on a terminal. Every text that comes from a trace, a program or the file system is
/// shown through this: names may hold anything, even characters that move the cursor or turn the direction of the text
/// that follows. '?' stands for each such character (see isUnprintable()), U+FFFD for each byte that is not UTF-8.
std::string oneLine(std::string_view text);

/// The word as a shell takes it, in quotes if it needs them (shared/text/shell_word.h). Every value in a command that
/// is printed goes through this or the next one.
std::string quotedForShell(std::string_view word);
/// The path of a session or file as an operand of a command: "./-x" for "-x", and FILE for "-", because what was read
/// from standard input must be read from a file then.
std::string pathForShell(std::string_view path);

/// The parts of a text between separators, without empty ones; they point into the text.
std::vector<std::string_view> partsOf(std::string_view text, char separator);

/// How many columns of a terminal the text takes: two for wide characters, none for marks on the one before.
size_t displayWidth(std::string_view text);
/// The text, cut at its end if it takes more columns; then "…" is the last of them.
std::string fitted(std::string_view text, size_t columns);

} // namespace ada
