// Secrets are recognised by the names of files and by their text, and hardly anything else is.
#include "trace/base/secrets.h"

#include <gtest/gtest.h>
#include <string>

namespace ada::test {

namespace {

std::string found(std::string_view text) {
  const auto secret = secretIn(text);
  return secret ? std::to_string(secret->line) + " " + std::string(secret->what) : "";
}

// In two parts: tools that search repositories for secrets should not find these.
const std::string kBegin = "-----BEGIN ", kKeyTitle = "PRIVATE KEY-----", kLine = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC";

} // namespace

TEST(Secrets, Names) {
  for (const char *name : {".env",
                           ".env.local",
                           "prod.env",
                           "server.pem",
                           "SERVER.PEM",
                           "tls.key",
                           "id_rsa",
                           "id_ed25519",
                           ".netrc",
                           ".pgpass",
                           ".npmrc",
                           ".git-credentials",
                           "credentials",
                           "credentials.json",
                           "application_default_credentials.json",
                           "secrets.yaml",
                           "client_secret.json",
                           ".htpasswd",
                           "store.kdbx",
                           "ssh_host_rsa_key",
                           "cert.p12"})
    EXPECT_NE(secretName(name), "") << name;
  for (const char *name : {"main.c", "credentials.cpp", "secrets.h", "secret_sharing.rs", "key.c", "environment.h",
                           "env.c", "id_rsa.pub", "passwords.cc", "shadow.cpp", "pem.c", "token.h", ""})
    EXPECT_EQ(secretName(name), "") << name;
}

TEST(Secrets, PrivateKeys) {
  EXPECT_EQ(found("int a;\n" + kBegin + "RSA " + kKeyTitle + "\n" + kLine + "\n"), "2 a private key");
  EXPECT_EQ(found("k = \"" + kBegin + kKeyTitle + "\\n\"\n    \"" + kLine + "\\n\""), "1 a private key");
  EXPECT_EQ(found("k = \"" + kBegin + "EC " + kKeyTitle + "\\n" + kLine + "\\n\";"), "1 a private key");
  EXPECT_EQ(found(" * " + kBegin + "OPENSSH " + kKeyTitle + "\r\n * " + kLine + "\r\n"), "1 a private key");
  EXPECT_EQ(found(kBegin + kKeyTitle + "\nabc=\n-----END " + kKeyTitle), "1 a private key");
  EXPECT_EQ(found(kBegin + "RSA " + kKeyTitle + "\nProc-Type: 4,ENCRYPTED\n"), "1 a private key");
  EXPECT_EQ(found(kBegin + "PGP PRIVATE KEY BLOCK-----\n\n" + kLine + "\n"), "1 a private key");
  // A program that reads keys.
  EXPECT_EQ(found("const char kBegin[] = \"" + kBegin + kKeyTitle + "\";\nconst char kEnd[] = \"-----END " + kKeyTitle +
                  "\";"),
            "");
  EXPECT_EQ(found("puts(\"" + kBegin + kKeyTitle + "\\n\");\nprintPrivateKeyBody(key);"), "");
  EXPECT_EQ(found("// " + kBegin + kKeyTitle + " and -----END " + kKeyTitle + " surround a key in PEM format\n"), "");
  EXPECT_EQ(found("// " + kBegin + kKeyTitle + "\nparseThePrivateKeyHere(key);"), "");
  EXPECT_EQ(found(kBegin + "CERTIFICATE-----\n" + kLine + "\n"), "");
  EXPECT_EQ(found(kBegin), "");
}

TEST(Secrets, Tokens) {
  const std::string letters = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0";
  const auto token = [&](const char *begin, size_t count) {
    return "x = \"" + (begin + letters.substr(0, count)) + "\";";
  };
  EXPECT_EQ(found("\n\nkey(\"AKIA"
                  "IOSFODNN7EXAMPLE\");"),
            "3 an AWS access key");
  EXPECT_EQ(found("aws_secret_access_key = " + letters), "1 an AWS access key");
  EXPECT_EQ(found(token("ghp_", 36)), "1 a GitHub token");
  EXPECT_EQ(found(token("github_pat_", 40)), "1 a GitHub token");
  EXPECT_EQ(found(token("xoxb-", 30)), "1 a Slack token");
  EXPECT_EQ(found(token("glpat-", 20)), "1 a GitLab token");
  EXPECT_EQ(found("t = eyJ"
                  "hbGciOiJIUzI1NiJ9.eyJ"
                  "zdWIiOiIxMjM0In0." +
                  letters),
            "1 a JSON Web Token");
  // Shorter, longer, within a word, or a placeholder.
  EXPECT_EQ(found(token("ghp_", 20)), "");
  EXPECT_EQ(found("AKIA"
                  "IOSFODNN7EXAMPLES"),
            "");
  EXPECT_EQ(found("MAKIA"
                  "IOSFODNN7EXAMPLE"),
            "");
  EXPECT_EQ(found("\"ghp_" + std::string(36, 'x') + "\""), "");
  EXPECT_EQ(found("if (text.starts_with(\"eyJ\")) // eyJ"
                  "hbGciOiJIUzI1NiJ9.payload"),
            "");
  EXPECT_EQ(found("aws_secret_access_key = getenv(\"AWS_SECRET_ACCESS_KEY\")"), "");
  EXPECT_EQ(found("npm_config_registry, hf_transfer, sk_live_, xoxb-"), "");
}

// Each token looks only as far as it may be long, so a megabyte of beginnings takes milliseconds.
TEST(Secrets, ManyBeginnings) {
  std::string text;
  for (const char *part : {"xoxb-", "eyJ.", "ghp_", "secret_access_key", "-----BEGIN "})
    for (int i = 0; i < 50'000; ++i)
      text += part;
  EXPECT_EQ(found(text), "1 a Slack token");
  EXPECT_EQ(found(text.substr(5 * 50'000)), "");
}

} // namespace ada::test
