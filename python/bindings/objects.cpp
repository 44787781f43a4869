#include "objects.h"

#include <cmath>
#include <cstdint>
#include <string>

namespace nb = nanobind;

namespace obverse {

using Json = nlohmann::ordered_json;

namespace {

/// Bytes that are no UTF-8 are replaced, as in the text of JSON.
nb::object python_text(const std::string& text) {
  return nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

}  // namespace

nb::object python_object(const Json& tree) {
  switch (tree.type()) {
    case Json::value_t::object: {
      nb::dict out;
      for (const auto& [key, value] : tree.items()) out[python_text(key)] = python_object(value);
      return out;
    }
    case Json::value_t::array: {
      nb::list out;
      for (const Json& item : tree) out.append(python_object(item));
      return out;
    }
    case Json::value_t::string:
      return python_text(tree.get_ref<const std::string&>());
    case Json::value_t::boolean:
      return nb::bool_(tree.get<bool>());
    case Json::value_t::number_integer:
      return nb::int_(tree.get<std::int64_t>());
    case Json::value_t::number_unsigned:
      return nb::int_(tree.get<std::uint64_t>());
    case Json::value_t::number_float:
      if (std::isfinite(tree.get<double>())) return nb::float_(tree.get<double>());
      break;
    case Json::value_t::null:
    case Json::value_t::binary:
    case Json::value_t::discarded:
      break;
  }
  return nb::none();
}

}  // namespace obverse
