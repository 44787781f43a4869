// The one exception type of the library, and `cat`, which builds its messages.
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

namespace obverse {

/// Who has to act on it.
enum class Fault {
  usage,    ///< an option or an argument
  input,    ///< a file or the values in it
  output,   ///< a place that cannot be written
  stopped,  ///< the caller asked to stop
  device,   ///< a processor or accelerator that is missing or too small
  internal  ///< ours
};

/// The message says what was expected, what was found, where, and what to try.
class Error : public std::runtime_error {
 public:
  Error(Fault fault, const std::string& message) : std::runtime_error(message), fault_(fault) {}
  Fault fault() const noexcept { return fault_; }

 private:
  Fault fault_;
};

/// Its arguments, written one after another.
template <class... Parts>
std::string cat(const Parts&... parts) {
  std::ostringstream out;
  out.exceptions(std::ios_base::badbit);  // without memory it throws, and does not leave a part out
  (out << ... << parts);
  return out.str();
}

}  // namespace obverse
