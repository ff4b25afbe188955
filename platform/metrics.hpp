// Counters, gauges and histograms in the Prometheus text format 0.0.4
// (https://prometheus.io/docs/instrumenting/exposition_formats/).
// Take a handle once and keep it: handles are small, copyable, lock-free to use from any thread,
// and valid as long as their Metrics. Throws std::invalid_argument for a name or label that the
// format does not allow, or a name used with two kinds. Names carry units: _seconds, _bytes, and
// _total for counters.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace prometheus {
class Counter;
class Gauge;
class Histogram;
}  // namespace prometheus

namespace annolog::platform {

class Counter {
 public:
  explicit Counter(prometheus::Counter& target) : target_(&target) {}
  void add(double amount = 1) const;  // negative amounts are ignored
  double value() const;

 private:
  prometheus::Counter* target_;
};

class Gauge {
 public:
  explicit Gauge(prometheus::Gauge& target) : target_(&target) {}
  void set(double value) const;
  void add(double amount) const;
  double value() const;

 private:
  prometheus::Gauge* target_;
};

class Histogram {
 public:
  explicit Histogram(prometheus::Histogram& target) : target_(&target) {}
  void observe(double value) const;

 private:
  prometheus::Histogram* target_;
};

using MetricLabels = std::map<std::string, std::string>;
using MetricBuckets = std::vector<double>;  // ascending upper bounds

struct MetricId {
  std::string name;
  std::string help;
  MetricLabels labels = {};
};

class Metrics {
 public:
  static constexpr const char* kContentType = "text/plain; version=0.0.4; charset=utf-8";
  // Past this many label sets of one name, new ones share a series whose label values are "other".
  static constexpr std::size_t kMaxSeriesPerName = 1000;

  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  Counter counter(const MetricId& id);
  Gauge gauge(const MetricId& id);
  // The buckets of the first call for a name hold for all its series.
  Histogram histogram(const MetricId& id, const MetricBuckets& buckets = latency_buckets_s());

  // Called at the start of each expose(), to set gauges that are cheap to read on demand.
  void before_expose(std::function<void()> refresh);
  std::string expose() const;

  // 1 ms to 10 s.
  static MetricBuckets latency_buckets_s();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace annolog::platform
