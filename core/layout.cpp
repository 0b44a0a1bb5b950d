#include "layout.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

#include "random.hpp"

namespace cf {

namespace {

constexpr float kSharpness = 1.5F;     // joined items come as close as 1 / sqrt of it
constexpr float kSoftening = 0.001F;   // of the push between items in one place
constexpr float kLongestStep = 4.0F;   // in each direction, before the rate
constexpr std::uint32_t kRows = 1024;  // between looks at the clock

struct Point {
  float x;
  float y;
};

float bounded(float step) { return std::clamp(step, -kLongestStep, kLongestStep); }

class Layout {
 public:
  Layout(const WeightedGraph& graph, const LayoutOptions& options, float* position)
      : graph_(graph),
        options_(options),
        position_(position),
        random_(options.seed),
        credit_(static_cast<std::size_t>(graph.start[graph.n]), 0.0F) {}

  void run(const Poll& poll) {
    auto last = std::chrono::steady_clock::now();
    for (std::int64_t epoch = 0; epoch < options_.n_epochs; ++epoch) {
      const float rate = 1.0F - static_cast<float>(epoch) / static_cast<float>(options_.n_epochs);
      for (std::uint32_t i = 0; i < graph_.n; ++i) {
        move(i, rate);
        if (i % kRows != 0) continue;
        const auto now = std::chrono::steady_clock::now();
        if (now - last < std::chrono::milliseconds(50)) continue;
        poll(epoch);
        last = now;
      }
    }
    poll(options_.n_epochs);
  }

 private:
  // Each join saves up its weight and is pulled once it has saved 1.
  void move(std::uint32_t i, float rate) {
    for (std::int64_t e = graph_.start[i]; e < graph_.start[i + 1]; ++e) {
      float& credit = credit_[static_cast<std::size_t>(e)];
      credit += graph_.weight[e];
      if (credit < 1.0F) continue;
      credit -= 1.0F;
      pull(i, static_cast<std::uint32_t>(graph_.item[e]), rate);
      for (std::uint32_t k = 0; k < options_.n_repelled; ++k)
        push(i, random_.below(graph_.n), rate);
    }
  }

  // Gradient of log(1 / (1 + sharpness d d)); both items move.
  void pull(std::uint32_t i, std::uint32_t j, float rate) {
    const Point apart = difference(i, j);
    const float square = apart.x * apart.x + apart.y * apart.y;
    const float strength = -2.0F * kSharpness / (1.0F + kSharpness * square);
    const float x = rate * bounded(strength * apart.x);
    const float y = rate * bounded(strength * apart.y);
    shift(i, x, y);
    shift(j, -x, -y);
  }

  // Gradient of log(1 - 1 / (1 + sharpness d d)), softened near 0; the first item moves.
  void push(std::uint32_t i, std::uint32_t j, float rate) {
    if (i == j) return;
    const Point apart = difference(i, j);
    const float square = apart.x * apart.x + apart.y * apart.y;
    const float strength = 2.0F / ((kSoftening + square) * (1.0F + kSharpness * square));
    shift(i, rate * bounded(strength * apart.x), rate * bounded(strength * apart.y));
  }

  Point difference(std::size_t i, std::size_t j) const {
    return {position_[2 * i] - position_[2 * j], position_[2 * i + 1] - position_[2 * j + 1]};
  }

  void shift(std::size_t i, float x, float y) {
    position_[2 * i] += x;
    position_[2 * i + 1] += y;
  }

  const WeightedGraph& graph_;
  const LayoutOptions& options_;
  float* position_;
  Random random_;
  std::vector<float> credit_;  // of each join
};

}  // namespace

void lay_out(const WeightedGraph& graph, const LayoutOptions& options, float* position,
             const Poll& poll) {
  Layout(graph, options, position).run(poll);
}

}  // namespace cf
