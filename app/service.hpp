// The composition root: makes every part of a running service, wires them, starts and stops them
// in order. The only place that names concrete adapters. One thread.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "platform/clock.hpp"
#include "platform/log.hpp"
#include "platform/settings.hpp"

namespace annolog::app {

class Service {
 public:
  Service(const platform::Settings& settings, const platform::Clock& clock,
          platform::Logger& logger);
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  // Who there is and who may do what, as PostgreSQL shows it. May be called again when it throws
  // PgUnavailable or ReadUnavailable. May take long, when the read models are of another past than
  // the log; `stopping` is asked meanwhile, and RebuildCancelled thrown.
  void load(const std::function<bool()>& stopping);
  // After load(). Throws with a line for a person when a part can't be had. Returns once requests
  // are answered.
  void start();
  // Intake ends, work in hand is finished, everything is closed.
  void stop();

  std::string address() const;  // host:port as bound
  // Of the super_admin that this start made with a made-up password; empty otherwise. Told once.
  std::string first_password() const;
  std::string first_username() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace annolog::app
