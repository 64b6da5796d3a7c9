// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Changes of MLIR text by tokens, so that more of it parses.

#include "Mutate.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include <random>

using namespace llvm;

namespace {
/// Tokens of one kind often stand for each other.
enum class Kind { Size, Value, Name, Type, Op, Word, Other };

struct Token {
  Kind kind;
  StringRef text;
};
} // namespace

/// Sizes, codes and ends of integers.
static constexpr StringLiteral kNumbers[] = {
    "?",   "0",   "1",     "2",     "3",     "4",          "7",
    "8",   "15",  "16",    "17",    "31",    "32",         "33",
    "64",  "127", "128",   "255",   "256",   "32767",      "32768",
    "1.0", "0.5", "1e-40", "65536", "1e300", "2147483647", "4294967296"};

static constexpr StringLiteral kTypes[] = {
    "i1",     "i2",        "i3",       "i4",       "i8",
    "i16",    "i32",       "i64",      "ui2",      "ui4",
    "ui8",    "ui16",      "si8",      "si4",      "index",
    "f16",    "bf16",      "f32",      "f64",      "f8E4M3FN",
    "f8E5M2", "f8E8M0FNU", "f4E2M1FN", "f6E2M3FN", "f8E4M3FNUZ"};

static bool isWord(char c) {
  return isAlnum(c) || c == '_' || c == '.' || c == '$';
}

static Kind kindOfWord(StringRef word) {
  if (is_contained(kTypes, word))
    return Kind::Type;
  return word.contains('.') ? Kind::Op : Kind::Word;
}

/// The next token of `text`, which begins with it. Sizes of a shape are tokens,
/// and so are the letters between them.
static Token lexToken(StringRef text, bool isAfterSize) {
  char first = text.front();
  if (first == '?')
    return {Kind::Size, text.take_front(1)};
  if (isAfterSize && first == 'x')
    return {Kind::Other, text.take_front(1)};
  if (isDigit(first)) {
    size_t length = text.find_if_not(isDigit);
    if (text.substr(length).consume_front("."))
      length = text.find_if_not([](char c) { return isAlnum(c); }, length + 1);
    return {Kind::Size, text.take_front(length)};
  }
  if (StringRef("%@#!^").contains(first))
    return {first == '%' ? Kind::Value : Kind::Name,
            text.take_front(text.find_if_not(isWord, 1))};
  if (isAlpha(first) || first == '_') {
    StringRef word = text.take_while(isWord);
    return {kindOfWord(word), word};
  }
  return {Kind::Other, text.take_front(1)};
}

static SmallVector<Token, 0> tokenize(StringRef text) {
  SmallVector<Token, 0> tokens;
  while (!text.empty()) {
    bool isAfterSize = !tokens.empty() && tokens.back().kind == Kind::Size;
    tokens.push_back(lexToken(text, isAfterSize));
    text = text.drop_front(tokens.back().text.size());
  }
  return tokens;
}

namespace {
class Mutator {
public:
  Mutator(StringRef donor, unsigned seed)
      : random(seed), donor(tokenize(donor)) {}

  std::string operator()(StringRef text) {
    std::string changed = text.str();
    for (unsigned count = draw(4) + 1; count > 0; --count)
      changed = draw(8) ? changeToken(changed) : changeLine(changed);
    return changed;
  }

private:
  size_t draw(size_t count) { return random() % count; }

  std::string changeToken(StringRef text) {
    SmallVector<Token, 0> tokens = tokenize(text);
    SmallVector<Token *> places;
    for (Token &token : tokens)
      if (token.kind != Kind::Other)
        places.push_back(&token);
    if (places.empty())
      return text.str();
    Token &token = *places[draw(places.size())];
    ArrayRef<Token> source = draw(2) ? ArrayRef(tokens) : donor;
    SmallVector<StringRef> others;
    for (const Token &other : source)
      if (other.kind == token.kind && other.text != token.text)
        others.push_back(other.text);
    if (token.kind == Kind::Size && draw(2))
      others.assign(std::begin(kNumbers), std::end(kNumbers));
    if (token.kind == Kind::Type && draw(2))
      others.assign(std::begin(kTypes), std::end(kTypes));
    if (others.empty())
      return text.str();
    // A size or type often has to change everywhere, or nothing parses.
    StringRef from = token.text, to = others[draw(others.size())];
    if (draw(4))
      for (Token *place : places)
        if (place->kind == token.kind && place->text == from)
          place->text = to;
    token.text = to;
    std::string changed;
    for (const Token &part : tokens)
      changed += part.text;
    return changed;
  }

  std::string changeLine(StringRef text) {
    SmallVector<StringRef> lines;
    text.split(lines, '\n');
    size_t from = draw(lines.size()), to = draw(lines.size());
    switch (draw(3)) {
    case 0:
      lines.erase(lines.begin() + from);
      break;
    case 1:
      lines.insert(lines.begin() + to, lines[from]);
      break;
    default:
      std::swap(lines[from], lines[to]);
    }
    return join(lines, "\n");
  }

  std::minstd_rand random;
  SmallVector<Token, 0> donor;
};
} // namespace

std::string mlir::qdq::fuzz::mutate(StringRef text, StringRef donor,
                                    unsigned seed) {
  return Mutator(donor, seed)(text);
}
