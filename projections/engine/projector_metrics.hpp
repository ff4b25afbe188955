// The projector's figures; for engine/projector.cpp only.
#pragma once

#include "platform/metrics.hpp"

namespace annolog::projections {

struct ProjectorMetrics {
  platform::Gauge lag_records;
  platform::Gauge lag_seconds;
  platform::Gauge healthy;
  platform::Counter records;
  platform::Counter batches;
  platform::Counter failures;
  platform::Counter parked;
  platform::Histogram batch_seconds;

  explicit ProjectorMetrics(platform::Metrics& metrics)
      : lag_records(metrics.gauge({"annolog_projection_lag_records",
                                   "Records in the log that the read models don't show yet."})),
        lag_seconds(metrics.gauge(
            {"annolog_projection_lag_seconds", "How long the read models have been behind."})),
        healthy(metrics.gauge({"annolog_projection_healthy",
                               "1 when the projector is connected and its last batch went in."})),
        records(metrics.counter({"annolog_projection_records_total", "Records applied."})),
        batches(metrics.counter({"annolog_projection_batches_total", "Batches committed."})),
        failures(metrics.counter({"annolog_projection_failures_total",
                                  "Batches or connections that failed and were tried again."})),
        parked(metrics.counter({"annolog_projection_parked_total",
                                "Records parked because they could not be applied."})),
        batch_seconds(metrics.histogram(
            {"annolog_projection_batch_seconds", "From sending a batch to its commit."})) {}
};

}  // namespace annolog::projections
