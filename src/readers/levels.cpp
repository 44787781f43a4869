#include "readers/levels.h"

#include <cstring>

namespace obverse {
namespace {

std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9E3779B97F4A7C15U;
  return hash ^ (hash >> 32);
}

std::uint64_t head_of(std::string_view text) {
  std::uint64_t head = 0;
  if (text.size() >= sizeof head) {
    std::memcpy(&head, text.data(), sizeof head);
  } else {
    for (const char c : text) head = head << 8 | static_cast<unsigned char>(c);
  }
  return head;
}

std::uint32_t hash_of(std::uint64_t head, std::string_view text) {
  std::uint64_t hash = mixed(text.size(), head);
  std::uint64_t word = 0;
  for (; text.size() > sizeof word; text.remove_prefix(sizeof word)) {
    std::memcpy(&word, text.data() + text.size() - sizeof word, sizeof word);
    hash = mixed(hash, word);
    if (text.size() <= 2 * sizeof word) break;  // the head has the rest
    std::memcpy(&word, text.data() + sizeof word, sizeof word);
    hash = mixed(hash, word);
  }
  return static_cast<std::uint32_t>(hash);
}

}  // namespace

std::size_t Levels::place_of(std::string_view text, std::uint64_t head, std::uint32_t hash) const {
  const std::size_t mask = places_.size() - 1;
  std::size_t place = hash & mask;
  while (places_[place] != 0 && !is_at(levels_[places_[place] - 1], head, text)) place = (place + 1) & mask;
  return place;
}

std::uint32_t Levels::number(std::string_view text, std::size_t times) {
  if (2 * levels_.size() >= places_.size()) grow();
  const std::uint64_t head = head_of(text);
  const std::uint32_t hash = hash_of(head, text);
  std::uint32_t& place = places_[place_of(text, head, hash)];
  if (place == 0) {
    levels_.push_back({head, texts_.size(), 0, static_cast<std::uint32_t>(text.size()), hash});
    texts_ += text;
    place = static_cast<std::uint32_t>(levels_.size());
  }
  levels_[place - 1].count += times;
  return place - 1;
}

bool Levels::contains(std::string_view text) const {
  const std::uint64_t head = head_of(text);
  return !places_.empty() && places_[place_of(text, head, hash_of(head, text))] != 0;
}

std::size_t Levels::bytes() const {
  return texts_.capacity() + levels_.capacity() * sizeof(Level) + places_.capacity() * sizeof(std::uint32_t);
}

void Levels::grow() {
  constexpr std::size_t kFirst = 16;
  places_.assign(places_.empty() ? kFirst : 2 * places_.size(), 0);
  const std::size_t mask = places_.size() - 1;
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    std::size_t place = levels_[i].hash & mask;
    while (places_[place] != 0) place = (place + 1) & mask;
    places_[place] = static_cast<std::uint32_t>(i + 1);
  }
}

}  // namespace obverse
