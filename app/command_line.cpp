#include "app/command_line.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>

namespace annolog::app {
namespace {

using Verb = CommandLine::Verb;

constexpr int kUnusable = 2;
constexpr const char* kFooter =
    "Every setting is a flag, an environment variable or a line of the file that --config names;\n"
    "a flag is stronger than the environment, and the environment than the file.";

// Every setting as a flag of the sub-command.
void add_settings(CLI::App& app, CommandLine& line) {
  app.add_option_function<std::string>(
         "--config", [&line](const std::string& path) { line.settings.file = path; },
         "File with name = value lines (environment: ANNOLOG_CONFIG)")
      ->type_name("FILE");
  for (const auto& setting : platform::setting_list()) {
    std::string flags = setting.flag;
    if (setting.name == "data_dir") flags += ",--data";
    if (setting.name == "http_port") flags += ",--port";
    app.add_option_function<std::string>(
           flags,
           [&line, name = setting.name](const std::string& value) {
             line.settings.flags[name] = value;
           },
           setting.help + " [" + setting.environment +
               (setting.default_value.empty() ? "]" : "; default " + setting.default_value + "]"))
        ->type_name("");
  }
  app.footer(kFooter);
}

CLI::App* add_verb(CLI::App& parent, CommandLine& line, Verb verb, const char* name,
                   const char* help) {
  auto* app = parent.add_subcommand(name, help);
  app->callback([&line, verb] { line.verb = verb; });
  return app;
}

// Its settings are made when it is the verb that was called: all verbs' would slow every start.
CLI::App* add_operator_verb(CLI::App& parent, CommandLine& line, Verb verb, const char* name,
                            const char* help) {
  auto* app = add_verb(parent, line, verb, name, help);
  app->preparse_callback([app, &line](std::size_t) { add_settings(*app, line); });
  return app;
}

void add_log_copy(CLI::App& log, CommandLine& line) {
  auto* app = add_operator_verb(
      log, line, Verb::copy_log, "copy",
      "Copies a log into another store: the same id, shards, offsets, chains and bytes.\n"
      "A log is rocksdb:DIR (a folder such as DATA/log) or kafka:BOOTSTRAP[/PREFIX] (prefix\n"
      "annolog unless given; librdkafka's settings from --kafka-properties). Stop the service\n"
      "first. The target must be new, or an earlier copy: that goes on where it ends. At the end\n"
      "the chains of both are compared; exit code 1 when they differ. Into and out of Kafka the\n"
      "keys of personal fields are moved too: between the topic and the folder --keys-dir, whose\n"
      "signing keys are needed. docs/operations.md, \"Moving a log\", says what remains.");
  app->add_option("--from", line.copy.from, "Log to copy; it is only read")
      ->required()
      ->type_name("SPEC");
  app->add_option("--to", line.copy.to, "Where the copy goes")->required()->type_name("SPEC");
  app->add_flag("--without-keys", line.copy.without_keys, "The records alone");
}

void add_log_tail(CLI::App& log, CommandLine& line) {
  auto* app = add_operator_verb(
      log, line, Verb::tail_log, "tail",
      "Prints records, a line each: time, shard-offset, type, subject, actor, request id; in the\n"
      "order of their times. Personal fields stay sealed. Runs beside the service.");
  auto& to = line.tail;
  app->add_flag("--follow,-f", to.follow,
                "Goes on with records as they come, until SIGINT, SIGTERM or a closed pipe; a log "
                "in RocksDB is looked at once a second, one in Kafka pushes them");
  app->add_flag("--json", to.json, "The whole record as a CloudEvent, one JSON object a line");
  app->add_option("--shard", to.shard, "Of this shard alone")->type_name("N");
  app->add_option("--type", to.type, "Of types like this, with * and ?: \"task.*\"")
      ->type_name("PATTERN");
  auto* last = app->add_option("--last,-n", to.last, "How many of the newest [20]")->type_name("N");
  app->add_option("--from", to.from, "This offset and all behind it, instead of the newest")
      ->type_name("OFFSET")
      ->excludes(last);
}

void add_log(CLI::App& root, CommandLine& line) {
  auto* log = root.add_subcommand("log", "The event log: proves, shows, follows and moves it");
  log->require_subcommand(1);
  auto* verify = add_operator_verb(*log, line, Verb::verify_log, "verify",
                                   "Proves that nothing was altered, dropped or reordered");
  auto* from = verify->add_option("--from", line.verify.from,
                                  "This shard alone, behind this record, whose chain is trusted");
  from->type_name("SHARD:OFFSET");
  auto* checkpoint =
      verify->add_option("--checkpoint", line.verify.checkpoint,
                         "Signed checkpoints: each position and chain in them must still be there");
  checkpoint->type_name("FILE")->excludes(from);
  verify
      ->add_option("--key", line.verify.key,
                   "Public keys that check their signatures; without them the exit code is 2")
      ->type_name("FILE")
      ->needs(checkpoint);
  add_operator_verb(*log, line, Verb::show_log, "stat", "Shows where it is, shards and their ends");
  add_log_copy(*log, line);
  add_log_tail(*log, line);
}

void add_audit(CLI::App& root, CommandLine& line) {
  auto* audit = root.add_subcommand("audit", "The audit, checked without the service");
  audit->require_subcommand(1);
  auto* verify = add_verb(
      *audit, line, Verb::verify_audit, "verify",
      "Checks an export (format=json) or archive of the audit, plain or .gz, offline. What is\n"
      "wrong is named by line, shard and number. Exit code 0: all holds; 1: something does not;\n"
      "2: it can't be checked, or without --key its signatures were not.");
  verify->add_option("file", line.audit.file, "The export or archive")->required();
  verify->add_option("--key", line.audit.key, "Public keys: PEM, or GET /api/v1/audit/public-key")
      ->type_name("FILE");
  verify
      ->add_option("--checkpoint", line.audit.checkpoint,
                   "Checkpoints that were kept elsewhere: the rows that they signed are compared")
      ->type_name("FILE");
}

void add_checkpoints(CLI::App& root, CommandLine& line) {
  auto* checkpoint = root.add_subcommand("checkpoint", "What was signed of the log");
  checkpoint->require_subcommand(1);
  auto& to = line.checkpoint;
  auto* show = add_operator_verb(*checkpoint, line, Verb::show_checkpoints, "show",
                                 "The newest, a line each: number, time, what they cover");
  show->add_option("--file", to.file, "Instead of DATA/checkpoints.ndjson")->type_name("FILE");
  show->add_option("--last,-n", to.last, "How many [20]")->type_name("N");
  auto* verify = add_verb(
      *checkpoint, line, Verb::verify_checkpoints, "verify",
      "Checks their signatures, and that each follows the one before it, if that is there. Exit\n"
      "codes as of annolog audit verify.");
  verify->add_option("file", to.file, "Checkpoints")->required();
  for (auto* app : {show, verify})
    app->add_option("--key", to.key, "Public keys: PEM, or GET /api/v1/audit/public-key")
        ->type_name("FILE");
}

void add_replay(CLI::App& root, CommandLine& line) {
  auto* app = add_operator_verb(
      root, line, Verb::replay, "replay",
      "Tells what happened to a project, or to one of its tasks, from the log; personal fields\n"
      "only where a key opens them. Runs beside the service. With --diff: what differs between\n"
      "two moments, by task and annotation. A moment is a time (RFC 3339) or an offset of the\n"
      "project's shard.");
  auto& to = line.replay;
  app->add_option("--project", to.project, "Project, by id")->required()->type_name("ID");
  app->add_option("--task", to.task, "This task alone, by id")->type_name("ID");
  auto* until = app->add_option("--until", to.until, "Up to this moment [now]");
  until->type_name("MOMENT");
  app->add_option("--diff", to.diff, "Two moments")
      ->type_name("MOMENT")
      ->expected(2)
      ->excludes(until);
  app->add_flag("--json", to.json, "NDJSON, one object a line");
}

CLI::App* add_user_verb(CLI::App& user, CommandLine& line, UserVerbOptions::Verb verb,
                        const char* name, const char* help) {
  auto* app = add_operator_verb(user, line, Verb::operate_users, name, help);
  app->callback([&line, verb] {
    line.verb = Verb::operate_users;
    line.user.verb = verb;
  });
  app->add_flag("--json", line.user.json, "JSON, one object a line");
  return app;
}

void add_password(CLI::App& app, CommandLine& line) {
  app.add_flag("--password-stdin", line.user.password_from_input,
               "The first line of the input is the password; else one is made up and printed");
}

void add_users(CLI::App& root, CommandLine& line) {
  using UserVerb = UserVerbOptions::Verb;
  auto* user = root.add_subcommand(
      "user", "People, seen to by the operator of this machine; the service must run here");
  user->require_subcommand(1);
  auto& to = line.user;
  auto* create = add_user_verb(*user, line, UserVerb::create, "create", "Makes a user");
  create->add_option("username", to.user, "To sign in with")->required();
  create->add_option("--name", to.name, "As shown to others; default: the username");
  create->add_option("--email", to.email, "Address");
  create->add_option("--role", to.role,
                     "viewer, annotator, reviewer, project_admin or super_admin [viewer]");
  add_password(*create, line);
  auto* reset = add_user_verb(*user, line, UserVerb::reset_password, "reset-password",
                              "Gives a user another password; all sessions of the user end");
  reset->add_option("user", to.user, "Username or id")->required();
  add_password(*reset, line);
  add_user_verb(*user, line, UserVerb::deactivate, "deactivate", "Shuts a user out, everywhere")
      ->add_option("user", to.user, "Username or id")
      ->required();
  add_user_verb(*user, line, UserVerb::activate, "activate", "Lets a deactivated user in again")
      ->add_option("user", to.user, "Username or id")
      ->required();
  add_user_verb(*user, line, UserVerb::list, "list", "All users: id, username, role, state");
}

void add_connection(CLI::App& app, client::ConnectionOptions& to) {
  app.add_option(
      "--url", to.url,
      "Where the service is [ANNOLOG_URL; default " + std::string(client::kDefaultUrl) + "]");
  app.add_option("--user", to.username, "User to sign in as [ANNOLOG_USERNAME]");
  app.add_option("--password", to.password,
                 "Password; the environment hides it better [ANNOLOG_PASSWORD]");
  app.add_option("--token", to.token, "Access token instead [ANNOLOG_TOKEN]");
  app.add_option("--api-key", to.api_key, "API key instead [ANNOLOG_API_KEY]");
  app.add_option("--ca-file", to.ca_file, "PEM bundle of a private authority");
}

void add_import(CLI::App& root, CommandLine& line) {
  auto* app = add_verb(root, line, Verb::import, "import",
                       "A folder of images, and a COCO file, become a project");
  auto& to = line.import;
  app->add_option("folder", to.folder, "Folder of images, with its sub-folders")->required();
  app->add_option("--project", to.project, "Project, by name or id; created when absent")
      ->required();
  app->add_option("--dataset", to.dataset, "Dataset of yours; default: the project's name");
  app->add_option("--classes", to.classes, "File with a class name a line, or a JSON array");
  app->add_option("--coco", to.coco, "COCO instances file with annotations");
  app->add_option("--type", to.type_key, "Type of a project that is created");
  app->add_option("--description", to.description, "Description of a project that is created");
  app->add_flag("--review-required", to.review_required, "For a project that is created");
  const std::map<std::string, client::ShapeChoice> shapes{
      {"auto", client::ShapeChoice::automatic},
      {"boxes", client::ShapeChoice::boxes},
      {"polygons", client::ShapeChoice::polygons}};
  app->add_option("--shapes", to.shapes, "What COCO annotations with polygons become")
      ->transform(CLI::CheckedTransformer(shapes));
  app->add_option("--parallel", to.parallel, "Uploads under way at once")->check(CLI::Range(1, 32));
  app->add_flag("--dry-run", to.dry_run, "Look and count, write nothing");
  add_connection(*app, to.connection);
  to.terminal = isatty(STDERR_FILENO) == 1;
}

void add_export(CLI::App& root, CommandLine& line) {
  auto* app = add_verb(root, line, Verb::export_, "export", "A project's annotations into a file");
  auto& to = line.export_;
  app->add_option("--project", to.project, "Project, by name or id")->required();
  // Not as an option of the optional: that would take an empty text for none.
  app->add_option_function<std::string>(
      "--batch", [&to](const std::string& batch) { to.batch = batch; },
      "Only this batch, by id or display id");
  app->add_option("--format", to.format, "coco, voc, yolo or native_json");
  app->add_option("--output,-o", to.output, "File; - for standard output");
  app->add_option("--include-attributes", to.include_attributes, "true or false");
  app->add_option("--status", to.statuses, "Only tasks in one of these; may come again, or a,b")
      ->delimiter(',')
      ->allow_extra_args(false);
  app->add_option("--class", to.classes, "Only annotations of this class; may come again")
      ->allow_extra_args(false);
  add_connection(*app, to.connection);
}

}  // namespace

bool parse_command_line(int argc, char** argv, CommandLine& line, int& exit_code) {
  CLI::App root("annolog: an annotation platform whose truth is an immutable event log");
  root.require_subcommand(1);
  root.set_version_flag("--version", ANNOLOG_VERSION);
  add_operator_verb(root, line, Verb::serve, "serve", "Runs the service");
  add_operator_verb(root, line, Verb::migrate, "migrate", "Brings the database's schema up");
  auto* projections = root.add_subcommand("projections", "The read models");
  projections->require_subcommand(1);
  add_operator_verb(*projections, line, Verb::rebuild_projections, "rebuild",
                    "Builds them anew from the log; reads go on meanwhile");
  add_log(root, line);
  add_audit(root, line);
  add_checkpoints(root, line);
  add_replay(root, line);
  auto* state = root.add_subcommand("state", "What decisions are made on");
  state->require_subcommand(1);
  add_operator_verb(*state, line, Verb::refold_state, "refold",
                    "Folds it again from the log; the service must not run");
  add_users(root, line);
  auto* keys = root.add_subcommand("keys", "The keys that sign tokens, URLs and cursors");
  keys->require_subcommand(1);
  add_operator_verb(*keys, line, Verb::rotate_keys, "rotate",
                    "Makes a new one; what older ones have signed stays good. Running nodes take\n"
                    "it up within a second; copy the folder to nodes that do not share it");
  add_operator_verb(*keys, line, Verb::list_keys, "list", "Their names (kid), the newest first");
  add_import(root, line);
  add_export(root, line);
  add_verb(root, line, Verb::version, "version", "Prints the version");
  try {
    root.parse(argc, argv);
  } catch (const CLI::RequiredError&) {
    std::cerr << "annolog: no such command:";
    for (int i = 1; i < argc; ++i) std::cerr << ' ' << argv[i];
    std::cerr << "\nRun with --help for the commands there are.\n";
    exit_code = kUnusable;
    return false;
  } catch (const CLI::ParseError& error) {
    exit_code = root.exit(error);
    return false;
  }
  return true;
}

}  // namespace annolog::app
