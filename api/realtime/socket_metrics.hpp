// The sockets' figures. Any thread.
#pragma once

#include <string>
#include <vector>

#include "api/realtime/socket_kind.hpp"
#include "platform/metrics.hpp"

namespace annolog::api::realtime {

struct SocketMetrics {
  std::vector<platform::Gauge> open;  // by kind
  platform::Counter sent;
  platform::Counter replayed;
  platform::Counter dropped;

  explicit SocketMetrics(platform::Metrics& metrics)
      : sent(metrics.counter(
            {"annolog_realtime_frames_sent_total", "Frames of channels that sockets were given."})),
        replayed(metrics.counter({"annolog_realtime_frames_replayed_total",
                                  "Of them, those that were missed and asked for again."})),
        dropped(metrics.counter({"annolog_realtime_frames_dropped_total",
                                 "Frames that waited for a reader when its socket was closed."})),
        metrics_(&metrics) {
    for (const SocketKind kind :
         {SocketKind::multiplexed, SocketKind::notifications, SocketKind::preannotate,
          SocketKind::tracker_job, SocketKind::prediction_jobs}) {
      open.push_back(metrics.gauge({"annolog_realtime_sockets",
                                    "Open sockets.",
                                    {{"socket", std::string(rule_of(kind).name)}}}));
    }
  }

  // Sockets that the service closed, by code.
  void closed(CloseCode code) const {
    metrics_
        ->counter({"annolog_realtime_closed_total",
                   "Sockets that the service closed; 1013: a reader was too slow, there were too "
                   "many, or nobody could be signed in.",
                   {{"code", std::to_string(code)}}})
        .add();
  }

 private:
  platform::Metrics* metrics_;
};

}  // namespace annolog::api::realtime
