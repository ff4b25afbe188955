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
  next.request.reset();  // its row is the wish's own command's
  next.done = std::move(done);
  return next;
}

// Tells the caller the outcome once the name is settled; a refusal of that is the LinkRunner's
// matter. Without a deadline, as the name would stay pending if it passed.
void tell_after(CommandBus& bus, const Envelope& envelope, Command settling, Outcome outcome) {
  Envelope next = with(envelope, std::move(settling),
                       [done = envelope.done, outcome = std::move(outcome)](
                           const Outcome&) mutable { done(std::move(outcome)); });
  next.deadline_ms = 0;
  bus.send(std::move(next));
}

Command release(const NameReserved& name) {
  return ReleaseName{name.kind, name.holder_id, name.name};
}

// Every other refusal says that nothing was done.
bool is_unknown(const Outcome& outcome) {
  return !outcome.reply && outcome.reply.error().code == "OUTCOME_UNKNOWN";
}

bool shows_name(const Reply& reply, const std::string& name) {
  if (const auto* project = std::get_if<ProjectView>(&reply)) return project->name == name;
  return std::get<DatasetView>(reply).name == name;
}

// What its own process does about a reservation after the bearer's command.
void settle(CommandBus& bus, const Envelope& envelope, const NameReserved& name, Outcome outcome) {
  // The bearer may have the name, or get it yet: left pending until its shard can tell.
  if (is_unknown(outcome)) return envelope.done(std::move(outcome));
  // Not done for want of room or time is not done.
  Command settling = settlement(name, outcome).value_or(release(name));
  tell_after(bus, envelope, std::move(settling), std::move(outcome));
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
    const auto name = std::get<NameReserved>(std::move(reserved.reply).value());
    CreateTraits::set_id(wish, name.holder_id);
    // A retry may find it settled, or another change of the name under way.
    const bool is_open = name.name == trimmed(wish.name) && !name.rename;
    Envelope act = envelope;
    act.command = std::move(wish);
    act.done = [&bus, envelope, name, is_open, retried = reserved.replayed](Outcome made) {
      // The first try may have been finished by the LinkRunner, which has no key to remember.
      made.replayed = made.replayed || (retried && made.reply.has_value());
      // A retry with the same key goes on with this reservation; what is refused for good frees it.
      const bool may_go_on = !made.reply && envelope.idempotency &&
                             made.reply.error().kind == DomainError::Kind::unavailable;
      if (may_go_on || !is_open) return envelope.done(std::move(made));
      settle(bus, envelope, name, std::move(made));
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

// The name is not to be had now. What was done before with the same key is told again all the same:
// an update that expects no version at all is replayed or refused.
template <class Wish>
void replay_or_refuse(CommandBus& bus, const Envelope& envelope, Wish wish, Outcome refused) {
  const bool is_conflict = refused.reply.error().kind == DomainError::Kind::conflict;
  if (!envelope.idempotency || !is_conflict) return envelope.done(std::move(refused));
  wish.expected_version.emplace();
  Envelope again = envelope;
  again.command = std::move(wish);
  again.request.reset();  // what it is answered may not be what the caller is
  again.done = [done = envelope.done, refused = std::move(refused)](Outcome outcome) mutable {
    const bool nothing_to_replay =
        !outcome.reply && outcome.reply.error().kind == DomainError::Kind::precondition_failed;
    done(nothing_to_replay ? std::move(refused) : std::move(outcome));
  };
  bus.send(std::move(again));
}

template <class Wish>
void rename_as(CommandBus& bus, const Envelope& envelope, const Wish& wish) {
  if (auto good = check(wish); !good) {
    envelope.done({std::move(good).error(), std::nullopt, false});
    return;
  }
  bus.send(with(envelope, reservation_of(wish), [&bus, envelope, wish](Outcome reserved) {
    if (!reserved.reply) return replay_or_refuse(bus, envelope, wish, std::move(reserved));
    const auto name = std::get<NameReserved>(std::move(reserved.reply).value());
    Envelope act = envelope;
    act.done = [&bus, envelope, name](Outcome changed) {
      settle(bus, envelope, name, std::move(changed));
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
    tell_after(bus_, envelope, FreeName{NameKind::dataset, holder}, std::move(deleted));
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

bool is_pending(const eventstore::EventLog& log, const NameReserved& name) {
  const auto row = log.state(kDirectory)
                       ->get(Key(Table::pending_name)
                                 .byte(static_cast<std::uint8_t>(name.kind))
                                 .number(name.holder_id)
                                 .bytes());
  return row && codec::from_binary<NameReserved>(*row) == name;
}

Command bearer_step(const NameReserved& pending) {
  if (!pending.rename) return wish_of(pending);
  if (pending.kind == NameKind::project) {
    UpdateProject look;
    look.project_id = ProjectId{pending.holder_id};
    return look;
  }
  UpdateDataset look;
  look.dataset_id = DatasetId{pending.holder_id};
  return look;
}

std::optional<Command> settlement(const NameReserved& pending, const Outcome& bearer) {
  const Command confirm = ConfirmName{pending.kind, pending.holder_id, pending.name};
  if (bearer.reply) {
    const bool bears = !pending.rename || shows_name(bearer.reply.value(), pending.name);
    return bears ? confirm : release(pending);
  }
  const DomainError::Kind refusal = bearer.reply.error().kind;
  if (refusal == DomainError::Kind::unavailable) return std::nullopt;
  // A bearer that was made and deleted since: its name is freed once it is confirmed.
  const bool was_born = !pending.rename && refusal == DomainError::Kind::not_found;
  return was_born ? confirm : release(pending);
}

}  // namespace annolog::commands
