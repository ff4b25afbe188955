// Whom a text mentions: "@" and the username of a member. Usernames may be e-mail addresses or have
// blanks, so it is not the text that says where a name ends but the names that there are: the
// longest one that follows, compared as the sign-in compares (case, width and what nobody sees
// don't count). It must end where a word ends: "@ada." names ada, "@ada.b" and "@ada@b.org" don't.
// An "@" within a word, as in an address, begins no mention.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/work.hpp"

namespace annolog::api {

// False: the text mentions nobody, whoever there is. Pure; any thread.
bool may_mention(std::string_view text);
// Each once, in the order of the text. Pure; any thread.
std::vector<UserId> mentioned_in(std::string_view text, const std::vector<UserBrief>& people);

// Of those who work in the task's project, as this node and X-Event-Position know them. Nobody when
// the caller does not see the task: the command will say so.
awaitable<Result<std::vector<UserId>>> members_mentioned(Call& call, Services& services,
                                                         TaskId task, std::string_view text);

}  // namespace annolog::api
