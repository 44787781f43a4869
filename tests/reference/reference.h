// Reads the number files of this folder (README.md beside it gives the format).
#pragma once

#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace obverse::test {

class Reference {
 public:
  explicit Reference(const std::string& name) {
    std::ifstream file(std::string(OBVERSE_REFERENCE_FILES) + "/" + name + ".txt");
    if (!file) throw std::runtime_error("no reference file " + name);
    for (std::string line; std::getline(file, line);) {
      std::istringstream head(line);
      std::string word;
      std::string tensor;
      if (!(head >> word >> tensor) || word != "tensor") continue;
      std::getline(file, line);
      std::istringstream body(line);
      auto& values = tensors_[tensor];
      for (double value = 0; body >> value;) values.push_back(value);
    }
  }

  bool has(const std::string& tensor) const { return tensors_.contains(tensor); }
  const std::vector<double>& operator[](const std::string& tensor) const { return tensors_.at(tensor); }
  double number(const std::string& tensor) const { return tensors_.at(tensor).at(0); }
  std::vector<float> floats(const std::string& tensor) const {
    const auto& values = tensors_.at(tensor);
    return {values.begin(), values.end()};
  }
  template <class Integer>
  std::vector<Integer> integers(const std::string& tensor) const {
    std::vector<Integer> result;
    for (const double value : tensors_.at(tensor)) result.push_back(static_cast<Integer>(value));
    return result;
  }

 private:
  std::map<std::string, std::vector<double>> tensors_;
};

}  // namespace obverse::test
