// The command line: sub-commands, their flags and help. Nothing is run here.
#pragma once

#include <functional>
#include <string>

#include "app/audit_verify.hpp"
#include "app/client/export.hpp"
#include "app/client/import.hpp"
#include "app/log_copy.hpp"
#include "app/log_tail.hpp"
#include "app/log_verify.hpp"
#include "app/operator_users.hpp"
#include "app/replay.hpp"
#include "domain/support/result.hpp"
#include "platform/settings.hpp"

namespace CLI {
class App;
}

namespace annolog::app {

struct CommandLine {
  enum class Verb {
    serve,
    migrate,
    rebuild_projections,
    verify_log,
    show_log,
    copy_log,
    tail_log,
    replay,
    verify_audit,
    show_checkpoints,
    verify_checkpoints,
    refold_state,
    operate_users,
    rotate_keys,
    list_keys,
    import,
    export_,
    version
  };
  Verb verb = Verb::serve;
  platform::SettingsSources settings;
  LogVerifyOptions verify;
  LogCopyOptions copy;
  LogTailOptions tail;
  ReplayOptions replay;
  AuditVerifyOptions audit;
  CheckpointOptions checkpoint;
  UserVerbOptions user;
  client::ImportOptions import;
  client::ExportOptions export_;
};

// Parses; prints help or an error and gives the exit code in `exit_code` when there is nothing to
// run.
bool parse_command_line(int argc, char** argv, CommandLine& line, int& exit_code);

}  // namespace annolog::app
