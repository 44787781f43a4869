// Text in pieces: a stream is cut into blocks of whole records, which are parsed on several threads and appended in
// the order of the file. Memory for text is one block for each thread, whatever the size of the file.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <string_view>
#include <vector>

#include "readers/bytes.h"
#include "readers/decimal.h"
#include "support/threads.h"

namespace obverse {

/// No line of a table, nor a record with newlines in quotes, is longer. Text takes at least two bytes for a column:
/// what has more columns than fit belongs into a binary or a sparse format.
inline constexpr std::size_t kLongestRecord = std::size_t{32} << 20;

/// Some programs put it in front of UTF-8 text.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Throws Error for the record that begins in `line` and is longer than that; `open_quote`: because a quote is open.
[[noreturn]] void refuse_long_record(const std::string& path, std::size_t line, bool open_quote);

/// Cuts a stream of text behind records.
class BlockSource {
 public:
  /// Where the last whole record of a text that begins with a record ends: 0 if none does.
  using LastEnd = std::function<std::size_t(std::string_view)>;

  /// `lines`: how many the stream has given before.
  BlockSource(ByteStream& bytes, LastEnd last_end, std::size_t lines = 0)
      : bytes_(bytes), last_end_(std::move(last_end)), lines_(lines) {}

  /// The next block, in `buffer` and followed by kTextPadding zero bytes; empty at the end of the file.
  std::string_view next(std::vector<char>& buffer);
  /// More threads than this would find no work.
  unsigned useful_threads() const;

 private:
  ByteStream& bytes_;
  LastEnd last_end_;
  std::size_t lines_;       ///< before the next block
  std::vector<char> rest_;  ///< the beginning of a record that the last block left over
  bool ended_ = false;
};

/// Behind the last newline.
std::size_t last_line_end(std::string_view text);

namespace blocks {

/// What the threads share. The order of the blocks is kept by numbers: a thread takes one with its text, and appends
/// when it is up.
struct Turn {
  std::mutex reading;
  std::mutex appending;
  std::condition_variable changed;
  std::size_t taken = 0;
  std::size_t up = 0;
  std::exception_ptr fault;  ///< the first in the order of the file
};

}  // namespace blocks

/// parse(text, block) runs on any thread; append(block) on one at a time, in the order of the file. An exception of
/// either ends the work, and the first one in that order is thrown.
template <class Block, class Parse, class Append>
void for_each_block(BlockSource& source, const Parse& parse, const Append& append) {
  blocks::Turn turn;
  const auto work = [&] {
    std::vector<char> buffer;
    Block block;
    for (;;) {
      std::exception_ptr fault;
      std::string_view text;
      std::size_t number = 0;
      {
        const std::lock_guard lock(turn.reading);
        try {
          text = source.next(buffer);
        } catch (...) {
          fault = std::current_exception();
        }
        if (text.empty() && !fault) return;
        number = turn.taken++;
      }
      try {
        if (!fault) parse(text, block);
      } catch (...) {
        fault = std::current_exception();
      }
      std::unique_lock lock(turn.appending);
      turn.changed.wait(lock, [&] { return turn.up == number || turn.fault; });
      if (turn.fault) return;
      try {
        if (!fault) append(block);
      } catch (...) {
        fault = std::current_exception();
      }
      turn.fault = fault;
      ++turn.up;
      turn.changed.notify_all();
      if (fault) return;
    }
  };
  {
    Threads helpers;
    helpers.start_many(source.useful_threads() - 1, work);
    work();
    helpers.join();
  }
  if (turn.fault) std::rethrow_exception(turn.fault);
}

}  // namespace obverse
