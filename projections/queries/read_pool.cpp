#include "projections/queries/read_pool.hpp"

#include <condition_variable>
#include <mutex>
#include <utility>
#include <vector>

#include "projections/engine/control.hpp"
#include "projections/pg/connection.hpp"

namespace annolog::projections {
namespace {

// The live schema is of another version than this program's queries: a rebuild is under way.
bool schema_is_away(const PgError& error) {
  const std::string& state = error.sqlstate();
  return state == "42P01" || state == "42703" || state == "3F000";
}

}  // namespace

struct ReadPool::Impl {
  using Connection = std::unique_ptr<PgConnection>;

  explicit Impl(ReadPoolOptions o) : options(std::move(o)) {}

  ConnectOptions connect_options(std::int64_t statement_ms) const {
    return {.database_url = options.database_url,
            .application_name = options.read_only ? "annolog-read" : "annolog-shared",
            .search_path = kLiveSchema,
            .connect_ms = options.connect_ms,
            .statement_ms = statement_ms,
            .read_only = options.read_only};
  }

  Connection take();
  void give_back(Connection connection);

  const ReadPoolOptions options;
  std::mutex mutex;
  std::condition_variable freed;
  std::vector<Connection> idle;  // the last used one last: it is the warmest
  std::size_t in_use = 0;
};

// An idle connection, or null: the caller may open one.
ReadPool::Impl::Connection ReadPool::Impl::take() {
  std::unique_lock lock(mutex);
  const bool free = freed.wait_for(lock, std::chrono::milliseconds(options.checkout_ms),
                                   [&] { return in_use < options.connections; });
  if (!free) throw ReadUnavailable("all connections for reading are in use");
  ++in_use;
  if (idle.empty()) return nullptr;
  Connection connection = std::move(idle.back());
  idle.pop_back();
  return connection;
}

void ReadPool::Impl::give_back(Connection connection) {
  const std::lock_guard lock(mutex);
  --in_use;
  if (connection) idle.push_back(std::move(connection));
  freed.notify_one();
}

ReadPool::ReadPool(ReadPoolOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
ReadPool::~ReadPool() = default;

const ReadPoolOptions& ReadPool::options() const { return impl_->options; }

namespace {

// Gives the place in the pool back whatever happens; the connection only after a success.
template <class Pool, class Connection>
class Lease {
 public:
  Lease(Pool& pool, Connection connection) : pool_(pool), connection_(std::move(connection)) {}
  ~Lease() { pool_.give_back(keep_ ? std::move(connection_) : nullptr); }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  Connection& connection() { return connection_; }
  void keep() { keep_ = true; }

 private:
  Pool& pool_;
  Connection connection_;
  bool keep_ = false;
};

}  // namespace

void ReadPool::with_connection(const std::function<void(PgConnection&)>& read) {
  Lease lease(*impl_, impl_->take());
  try {
    const bool was_idle = lease.connection() != nullptr;
    if (was_idle) {
      try {
        read(*lease.connection());
        lease.keep();
        return;
      } catch (const PgUnavailable&) {
        // It may have died while nobody looked; a statement that was too slow is not tried again.
        if (!lease.connection()->broken()) throw;
      }
    }
    lease.connection() =
        std::make_unique<PgConnection>(impl_->connect_options(impl_->options.statement_ms));
    read(*lease.connection());
    lease.keep();
  } catch (const PgUnavailable& error) {
    throw ReadUnavailable(error.what());
  } catch (const PgError& error) {
    if (schema_is_away(error)) throw ReadUnavailable(error.what());
    throw;
  }
}

std::unique_ptr<PgConnection> ReadPool::dedicated(std::int64_t statement_ms) const {
  try {
    return std::make_unique<PgConnection>(impl_->connect_options(statement_ms));
  } catch (const PgUnavailable& error) {
    throw ReadUnavailable(error.what());
  }
}

bool ReadPool::reachable() {
  static constexpr Statement kPing{"ping", "SELECT 1"};
  try {
    with_connection([](PgConnection& connection) { connection.execute(kPing); });
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace annolog::projections
