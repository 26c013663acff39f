// Recognises private keys, passwords and tokens by the names of files and by their text.
#include "trace/base/secrets.h"

#include <algorithm>
#include <cctype>

namespace ada {

namespace {

//===--- names ------------------------------------------------------------===//

struct SecretName {
  std::string_view name; ///< lower case; "*" at its beginning or end stands for anything
  std::string_view what;
};

constexpr std::string_view kKey = "a private key", kPasswords = "passwords", kSettings = "settings with passwords";
constexpr SecretName kNames[] = {
    {"*.pem", "a private key or certificate"},
    {"*.key", kKey},
    {"*.ppk", kKey},
    {"*.p8", kKey},
    {"*.p12", kKey},
    {"*.pfx", kKey},
    {"*.jks", kKey},
    {"*.keystore", kKey},
    {"*.ovpn", kKey},
    {"id_rsa", kKey},
    {"id_dsa", kKey},
    {"id_ecdsa", kKey},
    {"id_ecdsa_sk", kKey},
    {"id_ed25519", kKey},
    {"id_ed25519_sk", kKey},
    {"ssh_host_*_key", kKey},
    {".env", kSettings},
    {".env.*", kSettings},
    {"*.env", kSettings},
    {".envrc", kSettings},
    {".netrc", kPasswords},
    {"_netrc", kPasswords},
    {".pgpass", kPasswords},
    {".my.cnf", kPasswords},
    {".htpasswd", kPasswords},
    {".git-credentials", kPasswords},
    {"*.kdb", kPasswords},
    {"*.kdbx", kPasswords},
    {"shadow", kPasswords},
    {"gshadow", kPasswords},
    {".npmrc", "a token"},
    {".pypirc", "a token"},
    {".dockercfg", "a token"},
    {".dockerconfigjson", "a token"},
    {".s3cfg", "a token"},
    {".vault-token", "a token"},
    {"kubeconfig", "a token"},
    {"*.tfstate", kSettings},
    {"*.tfvars", kSettings},
};

// Names of files that are a secret unless they are source text: "credentials", "secrets.json", but not "secrets.cpp".
constexpr std::string_view kSecretStems[] = {"credential",    "credentials",     "secret",          "secrets",
                                             "client_secret", "service-account", "service_account", "serviceaccount",
                                             "password",      "passwords"};
constexpr std::string_view kDataExtensions[] = {"",     ".json", ".yaml",       ".yml", ".toml",
                                                ".ini", ".cfg",  ".conf",       ".xml", ".txt",
                                                ".csv", ".db",   ".properties", ".enc", ".gpg"};

bool fits(std::string_view name, std::string_view pattern) {
  const size_t star = pattern.find('*');
  if (star == pattern.npos)
    return name == pattern;
  const std::string_view before = pattern.substr(0, star), after = pattern.substr(star + 1);
  return name.size() > before.size() + after.size() && name.starts_with(before) && name.ends_with(after);
}

//===--- texts ------------------------------------------------------------===//

using IsIn = bool (*)(char);
bool isUpper(char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }
bool isAlnum(char c) { return isUpper(c) || (c >= 'a' && c <= 'z'); }
bool isWord(char c) { return isAlnum(c) || c == '_'; }
bool isUrl(char c) { return isWord(c) || c == '-'; }
bool isBase64(char c) { return isAlnum(c) || c == '+' || c == '/' || c == '='; }
bool isUrlOrDot(char c) { return isUrl(c) || c == '.'; }
bool isPath(char c) { return isAlnum(c) || c == '/'; }

// Tokens begin with a text of their own and go on with that many characters.
struct Token {
  std::string_view begin;
  IsIn isIn;
  size_t least, most;
  std::string_view what;
};

constexpr size_t kAny = 4096;
constexpr std::string_view kAws = "an AWS access key", kGitHub = "a GitHub token", kSlack = "a Slack token",
                           kStripe = "a Stripe key";
constexpr Token kTokens[] = {
    {"AKIA", isUpper, 16, 16, kAws},
    {"ASIA", isUpper, 16, 16, kAws},
    {"ghp_", isAlnum, 36, 255, kGitHub},
    {"gho_", isAlnum, 36, 255, kGitHub},
    {"ghu_", isAlnum, 36, 255, kGitHub},
    {"ghs_", isAlnum, 36, 255, kGitHub},
    {"ghr_", isAlnum, 36, 255, kGitHub},
    {"github_pat_", isWord, 40, 255, kGitHub},
    {"glpat-", isUrl, 20, 255, "a GitLab token"},
    {"xoxa-", isUrl, 10, 255, kSlack},
    {"xoxb-", isUrl, 10, 255, kSlack},
    {"xoxe-", isUrl, 10, 255, kSlack},
    {"xoxo-", isUrl, 10, 255, kSlack},
    {"xoxp-", isUrl, 10, 255, kSlack},
    {"xoxr-", isUrl, 10, 255, kSlack},
    {"xoxs-", isUrl, 10, 255, kSlack},
    {"xapp-", isUrl, 10, 255, kSlack},
    {"https://hooks.slack.com/services/", isPath, 30, 255, "the address of a Slack hook"},
    {"sk_live_", isAlnum, 24, 255, kStripe},
    {"rk_live_", isAlnum, 24, 255, kStripe},
    {"AIza", isUrl, 35, 35, "a Google API key"},
    {"npm_", isAlnum, 36, 36, "an npm token"},
    {"pypi-AgE", isUrl, 50, kAny, "a PyPI token"},
    {"sk-ant-", isUrl, 40, 255, "an API key"},
    {"sk-proj-", isUrl, 40, 255, "an API key"},
    {"hf_", isAlnum, 34, 34, "a Hugging Face token"},
    {"SG.", isUrlOrDot, 66, 66, "a SendGrid key"},
    {"dop_v1_", isAlnum, 64, 64, "a DigitalOcean token"},
    {"AGE-SECRET-KEY-1", isUpper, 58, 58, "a private key"},
};

std::string_view runOf(std::string_view text, IsIn isIn) {
  return text.substr(0, static_cast<size_t>(std::ranges::find_if_not(text, isIn) - text.begin()));
}

// "xxxxxxxx" stands for a token in documentation.
bool isPlaceholder(std::string_view text) {
  return text.find_first_not_of(text.substr(0, 1)) == text.npos &&
         std::string_view("xX0").find(text[0]) != std::string_view::npos;
}

bool isToken(std::string_view text, size_t at, const Token &token) {
  if (at > 0 && isWord(text[at - 1]))
    return false; // the end of another word
  const std::string_view rest = runOf(text.substr(at + token.begin.size(), token.most + 1), token.isIn);
  return rest.size() >= token.least && rest.size() <= token.most && !isPlaceholder(rest);
}

// Three parts in base64, of which the first two are JSON objects: {" is eyJ.
bool isJsonWebToken(std::string_view text, size_t at) {
  constexpr size_t kLeast = 10;
  if (at > 0 && isUrlOrDot(text[at - 1]))
    return false;
  const std::string_view first = runOf(text.substr(at), isUrl);
  text.remove_prefix(at + first.size());
  if (first.size() < kLeast || !text.starts_with(".eyJ"))
    return false;
  const std::string_view second = runOf(text.substr(1), isUrl);
  text.remove_prefix(1 + second.size());
  return second.size() >= kLeast && text.starts_with('.') && runOf(text.substr(1), isUrl).size() >= kLeast;
}

// Removes what a language has between the lines of a text: quotes, \\n, +, comments. Returns whether a line has ended.
bool skipBetweenLines(std::string_view &text) {
  bool hasEnded = false;
  while (!text.empty()) {
    const bool isEscape = text.starts_with("\\n") || text.starts_with("\\r");
    if (!isEscape && std::string_view(" \t\r\n\"'\\+/*#`").find(text[0]) == std::string_view::npos)
      break;
    hasEnded |= isEscape || text[0] == '\n';
    text.remove_prefix(isEscape ? 2 : 1);
  }
  return hasEnded;
}

// The text after "-----BEGIN … PRIVATE KEY-----" is a key. Programs that read keys have that line only.
bool isKeyBody(std::string_view text) {
  constexpr size_t kLeast = 16, kLeastInLine = 40;
  const bool isNewLine = skipBetweenLines(text);
  for (const std::string_view header : {"Proc-Type:", "Version:", "Comment:", "Hash:"})
    if (text.starts_with(header))
      return isNewLine;
  const std::string_view run = runOf(text, isBase64);
  text.remove_prefix(run.size());
  if (run.size() >= (isNewLine ? kLeast : kLeastInLine))
    return text.empty() || std::string_view(" \r\n\"'\\`").find(text[0]) != std::string_view::npos;
  return isNewLine && !run.empty() && skipBetweenLines(text) && text.starts_with("-----END");
}

bool isPrivateKey(std::string_view text, size_t at) {
  constexpr std::string_view kBegin = "-----BEGIN ", kEnd = "-----";
  text.remove_prefix(at + kBegin.size());
  const size_t end = text.find(kEnd);
  if (end == text.npos || end > 64)
    return false;
  const std::string_view title = text.substr(0, end);
  return (title.ends_with("PRIVATE KEY") || title.ends_with("PRIVATE KEY BLOCK")) &&
         isKeyBody(text.substr(end + kEnd.size()));
}

// aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY
bool isAwsSecret(std::string_view text, size_t at) {
  constexpr std::string_view kName = "secret_access_key";
  constexpr size_t kKeyLength = 40;
  text.remove_prefix(at + kName.size());
  text.remove_prefix(std::min(text.find_first_not_of(" \t\"'=:"), text.size()));
  return runOf(text.substr(0, kKeyLength + 1), isBase64).size() == kKeyLength;
}

bool isPuttyKey(std::string_view, size_t at) { return at == 0; }

struct Shape {
  std::string_view begin;
  bool (*isIt)(std::string_view text, size_t at);
  std::string_view what;
};
constexpr Shape kShapes[] = {
    {"-----BEGIN ", isPrivateKey, kKey},         {"PuTTY-User-Key-File-", isPuttyKey, kKey},
    {"eyJ", isJsonWebToken, "a JSON Web Token"}, {"secret_access_key", isAwsSecret, kAws},
    {"SECRET_ACCESS_KEY", isAwsSecret, kAws},
};

} // namespace

std::string_view secretName(std::string_view name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const SecretName &secret : kNames)
    if (fits(lower, secret.name))
      return secret.what;
  std::string_view stem = lower;
  if (stem.starts_with('.'))
    stem.remove_prefix(1);
  stem = stem.substr(0, stem.find('.'));
  const std::string_view extension =
      std::string_view(lower).substr(static_cast<size_t>(stem.data() + stem.size() - lower.data()));
  const bool isSecret =
      (std::ranges::find(kSecretStems, stem) != std::end(kSecretStems) || stem.ends_with("credentials")) &&
      std::ranges::find(kDataExtensions, extension) != std::end(kDataExtensions);
  return isSecret ? kPasswords : std::string_view();
}

std::optional<Secret> secretIn(std::string_view text) {
  size_t first = text.npos;
  std::string_view what;
  const auto search = [&](std::string_view begin, std::string_view kind, auto &&isIt) {
    for (size_t at = text.find(begin); at < first; at = text.find(begin, at + 1))
      if (isIt(at))
        first = at, what = kind;
  };
  for (const Token &token : kTokens)
    search(token.begin, token.what, [&](size_t at) { return isToken(text, at, token); });
  for (const Shape &shape : kShapes)
    search(shape.begin, shape.what, [&](size_t at) { return shape.isIt(text, at); });
  if (first == text.npos)
    return std::nullopt;
  return Secret{what, static_cast<size_t>(std::ranges::count(text.substr(0, first), '\n')) + 1};
}

} // namespace ada
