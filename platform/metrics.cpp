#include "platform/metrics.hpp"

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <stdexcept>

namespace annolog::platform {
namespace {

template <class Metric>
struct Named {
  prometheus::Family<Metric>* family = nullptr;  // owned by the registry
  MetricBuckets buckets;                         // histograms only
  std::set<MetricLabels> known;
};

template <class Metric>
using Families = std::map<std::string, Named<Metric>>;

// One series takes whatever comes after the limit, so that labels can't grow memory.
MetricLabels admitted(std::set<MetricLabels>& known, const MetricLabels& labels) {
  if (known.contains(labels)) return labels;
  if (known.size() < Metrics::kMaxSeriesPerName) {
    known.insert(labels);
    return labels;
  }
  MetricLabels other = labels;
  for (auto& [name, value] : other) value = "other";
  return other;
}

}  // namespace

struct Metrics::Impl {
  prometheus::Registry registry;
  std::mutex mutex;  // guards all below
  std::map<std::string, char> kinds;
  Families<prometheus::Counter> counters;
  Families<prometheus::Gauge> gauges;
  Families<prometheus::Histogram> histograms;
  std::vector<std::function<void()>> refreshers;

  void claim(const std::string& name, char kind) {
    const auto [found, added] = kinds.emplace(name, kind);
    if (!added && found->second != kind) {
      throw std::invalid_argument("metric " + name + " is already of another kind");
    }
  }
};

Metrics::Metrics() : impl_(std::make_unique<Impl>()) {}
Metrics::~Metrics() = default;

Counter Metrics::counter(const MetricId& id) {
  const std::lock_guard held(impl_->mutex);
  impl_->claim(id.name, 'c');
  auto& named = impl_->counters[id.name];
  if (!named.family) {
    named.family =
        &prometheus::BuildCounter().Name(id.name).Help(id.help).Register(impl_->registry);
  }
  return Counter(named.family->Add(admitted(named.known, id.labels)));
}

Gauge Metrics::gauge(const MetricId& id) {
  const std::lock_guard held(impl_->mutex);
  impl_->claim(id.name, 'g');
  auto& named = impl_->gauges[id.name];
  if (!named.family) {
    named.family = &prometheus::BuildGauge().Name(id.name).Help(id.help).Register(impl_->registry);
  }
  return Gauge(named.family->Add(admitted(named.known, id.labels)));
}

Histogram Metrics::histogram(const MetricId& id, const MetricBuckets& buckets) {
  if (buckets.empty() || !std::is_sorted(buckets.begin(), buckets.end())) {
    throw std::invalid_argument("metric " + id.name + ": buckets must ascend");
  }
  const std::lock_guard held(impl_->mutex);
  impl_->claim(id.name, 'h');
  auto& named = impl_->histograms[id.name];
  if (!named.family) {
    named.family =
        &prometheus::BuildHistogram().Name(id.name).Help(id.help).Register(impl_->registry);
    named.buckets = buckets;
  }
  return Histogram(named.family->Add(admitted(named.known, id.labels), named.buckets));
}

void Metrics::before_expose(std::function<void()> refresh) {
  const std::lock_guard held(impl_->mutex);
  impl_->refreshers.push_back(std::move(refresh));
}

std::string Metrics::expose() const {
  std::vector<std::function<void()>> refreshers;
  {
    const std::lock_guard held(impl_->mutex);
    refreshers = impl_->refreshers;
  }
  for (const auto& refresh : refreshers) refresh();
  return prometheus::TextSerializer().Serialize(impl_->registry.Collect());
}

MetricBuckets Metrics::latency_buckets_s() {
  return {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10};
}

void Counter::add(double amount) const { target_->Increment(amount); }
double Counter::value() const { return target_->Value(); }
void Gauge::set(double value) const { target_->Set(value); }
void Gauge::add(double amount) const { target_->Increment(amount); }
double Gauge::value() const { return target_->Value(); }
void Histogram::observe(double value) const { target_->Observe(value); }

}  // namespace annolog::platform
