#include "commands/process_managers/naming.hpp"

#include "commands/state/shard_state.hpp"
#include "domain/codec/domain_json.hpp"
#include "domain/support/text.hpp"

namespace annolog::commands {
namespace {

// Outside the printable range that clients' keys have: the reservation's own row.
constexpr char kReservationKey = '\1';

Envelope with(const Envelope& envelope, Command command, std::function<void(Outcome)> done) {
  Envelope next = envelope;
  next.command = std::move(command);
  next.idempotency.reset();
  next.done = std::move(done);
  return next;
}

// Confirms or releases: without a deadline, as the name would stay pending if it passed.
Envelope settling(const Envelope& envelope, Command command, std::function<void(Outcome)> done) {
  Envelope next = with(envelope, std::move(command), std::move(done));
  next.deadline_ms = 0;
  return next;
}

// What the wish needs to know of the two kinds of bearers.
struct CreateTraits {
  static ReserveName reservation(const CreateProject& wish) {
    return {NameKind::project, 0, 0, trimmed(wish.name), {codec::to_json_text(wish)}};
  }
  static ReserveName reservation(const CreateDataset& wish) {
    return {NameKind::dataset,
            wish.creator_id.value,
            0,
            trimmed(wish.name),
            {codec::to_json_text(wish)}};
  }
  static void set_id(CreateProject& wish, std::int64_t id) { wish.project_id = ProjectId{id}; }
  static void set_id(CreateDataset& wish, std::int64_t id) { wish.dataset_id = DatasetId{id}; }
};

Command wish_of(const NameReserved& pending) {
  if (pending.kind == NameKind::project) {
    auto wish = codec::from_json_text<CreateProject>(pending.wish.text);
    CreateTraits::set_id(wish, pending.holder_id);
    return wish;
  }
  auto wish = codec::from_json_text<CreateDataset>(pending.wish.text);
  CreateTraits::set_id(wish, pending.holder_id);
  return wish;
}

template <class T>
T read(const eventstore::EventLog& log, Table table, std::int64_t id) {
  const auto bytes = log.state(shard_of(id, log.shard_count()))->get(Key(table).number(id).bytes());
  return bytes ? codec::from_binary<T>(*bytes) : T{};
}

// One that was deleted since is not made again: its name is freed once it is confirmed.
bool was_born(const eventstore::EventLog& log, const NameReserved& pending) {
  if (pending.kind == NameKind::dataset) {
    return read<DatasetState>(log, Table::dataset, pending.holder_id).version != 0;
  }
  const auto project = read<ProjectState>(log, Table::project, pending.holder_id);
  return project.version != 0 || project.deleted;
}

template <class Wish>
void create_as(CommandBus& bus, Envelope envelope, Wish wish) {
  if (auto good = check(wish); !good) {
    envelope.done({std::move(good).error(), std::nullopt, false});
    return;
  }
  Envelope reserve = with(envelope, CreateTraits::reservation(wish), {});
  if (envelope.idempotency) {
    reserve.idempotency = envelope.idempotency;
    reserve.idempotency->key.insert(0, 1, kReservationKey);
  }
  reserve.done = [&bus, envelope = std::move(envelope),
                  wish = std::move(wish)](Outcome reserved) mutable {
    if (!reserved.reply) return envelope.done(std::move(reserved));
    const auto& name = std::get<NameReserved>(reserved.reply.value());
    CreateTraits::set_id(wish, name.holder_id);
    Envelope act = envelope;
    const std::string text = trimmed(wish.name);
    act.command = std::move(wish);
    act.done = [&bus, envelope = std::move(envelope), kind = name.kind, holder = name.holder_id,
                text, retried = reserved.replayed](Outcome made) {
      // The first try may have been finished by a restart, which has no key to remember.
      made.replayed = made.replayed || (retried && made.reply.has_value());
      // Not made for want of room or time: free the name, unless a retry with the same key may
      // still come, which goes on with this reservation.
      if (!made.reply && envelope.idempotency) return envelope.done(std::move(made));
      Command settle = ConfirmName{kind, holder, text};
      if (!made.reply) settle = ReleaseName{kind, holder, text};
      bus.send(settling(envelope, std::move(settle),
                        [done = envelope.done, made = std::move(made)](const Outcome&) mutable {
                          // Not settled now: the next start does it.
                          done(std::move(made));
                        }));
    };
    bus.send(std::move(act));
  };
  bus.send(std::move(reserve));
}

ReserveName reservation_of(const UpdateProject& wish) {
  return {NameKind::project,
          0,
          wish.project_id.value,
          trimmed(*wish.name),
          {codec::to_json_text(wish)}};
}
ReserveName reservation_of(const UpdateDataset& wish) {
  return {NameKind::dataset,
          wish.creator_id.value,
          wish.dataset_id.value,
          trimmed(*wish.name),
          {codec::to_json_text(wish)}};
}

template <class Wish>
void rename_as(CommandBus& bus, const Envelope& envelope, const Wish& wish) {
  if (auto good = check(wish); !good) {
    envelope.done({std::move(good).error(), std::nullopt, false});
    return;
  }
  ReserveName reserve = reservation_of(wish);
  const ConfirmName confirm{reserve.kind, reserve.holder_id, reserve.name};
  bus.send(with(envelope, std::move(reserve), [&bus, envelope, confirm](Outcome reserved) {
    if (!reserved.reply) return envelope.done(std::move(reserved));
    Envelope act = envelope;
    act.done = [&bus, envelope, confirm](Outcome changed) {
      // A retry changed nothing now: the bearer may have another name since. What it bears stays
      // held when this reservation is released.
      const bool renamed = changed.reply && !changed.replayed;
      Command settle = confirm;
      if (!renamed) settle = ReleaseName{confirm.kind, confirm.holder_id, confirm.name};
      bus.send(settling(envelope, std::move(settle),
                        [done = envelope.done, changed = std::move(changed)](
                            const Outcome&) mutable { done(std::move(changed)); }));
    };
    bus.send(std::move(act));
  }));
}

}  // namespace

void Naming::create(Envelope envelope) {
  if (const auto* project = std::get_if<CreateProject>(&envelope.command)) {
    create_as(bus_, envelope, *project);
  } else {
    create_as(bus_, envelope, std::get<CreateDataset>(envelope.command));
  }
}

void Naming::rename(Envelope envelope) {
  if (const auto* project = std::get_if<UpdateProject>(&envelope.command)) {
    rename_as(bus_, envelope, *project);
  } else {
    rename_as(bus_, envelope, std::get<UpdateDataset>(envelope.command));
  }
}

void Naming::remove(Envelope envelope) {
  const std::int64_t holder = std::get<DeleteDataset>(envelope.command).dataset_id.value;
  Envelope act = envelope;
  act.done = [this, envelope, holder](Outcome deleted) {
    if (!deleted.reply) return envelope.done(std::move(deleted));
    bus_.send(settling(envelope, FreeName{NameKind::dataset, holder},
                       [done = envelope.done, deleted = std::move(deleted)](
                           const Outcome&) mutable { done(std::move(deleted)); }));
  };
  bus_.send(std::move(act));
}

std::vector<NameReserved> pending_names(const eventstore::EventLog& log) {
  std::vector<NameReserved> pending;
  log.state(kDirectory)
      ->scan(Key(Table::pending_name).bytes(), {}, [&](std::string_view, std::string_view value) {
        pending.push_back(codec::from_binary<NameReserved>(value));
        return true;
      });
  return pending;
}

Command next_step(const eventstore::EventLog& log, const NameReserved& pending) {
  ConfirmName confirm{pending.kind, pending.holder_id, pending.name};
  if (pending.rename) {
    const std::string name = pending.kind == NameKind::project
                                 ? read<ProjectState>(log, Table::project, pending.holder_id).name
                                 : read<DatasetState>(log, Table::dataset, pending.holder_id).name;
    if (name == pending.name) return confirm;
    return ReleaseName{pending.kind, pending.holder_id, pending.name};
  }
  return was_born(log, pending) ? Command(confirm) : wish_of(pending);
}

}  // namespace annolog::commands
