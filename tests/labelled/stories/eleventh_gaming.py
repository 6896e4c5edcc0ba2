"""Games: Steam, PlayFab, Unity, moderation, localization, game masters."""
# ruff: noqa: E501

from __future__ import annotations

import json

from ..story import Agent, Story, answers, asks, call, crashes, hands_off, hosted, pause, repeat_calls, tool, user

__all__ = ["STORIES"]

OWNED = tool("steam_get_owned_games", "IPlayerService/GetOwnedGames/v1", steamid="string", include_appinfo="boolean?")
ACHIEVEMENTS = tool(
    "steam_get_player_achievements", "ISteamUserStats/GetPlayerAchievements/v1", steamid="string", appid="integer"
)
STEAM = Agent("achievement_coach", (OWNED, ACHIEVEMENTS), "You help players complete their games.", "gpt-4o-mini")

LEADERBOARD = tool(
    "playfab_get_leaderboard",
    "Client/GetLeaderboard",
    StatisticName="string",
    StartPosition="integer",
    MaxResultsCount="integer?",
)
PLAYFAB = Agent("season_host", (LEADERBOARD,), "You announce the standings of a racing game.", "gpt-4.1-mini")

CONSOLE = tool(
    "read_console",
    "Reads the Unity console",
    action=["get", "clear"],
    types="string[]?",
    count="integer?",
    format="string?",
)
APPLY = tool(
    "script_apply_edits",
    "Edits a C# script",
    name="string",
    path="string",
    edits={"type": "array", "items": {"type": "object"}},
)
REFRESH = tool("refresh_unity", "Refreshes assets and compiles", scope="string?", wait_for_ready="boolean?")
UNITY = Agent("unity_dev", (CONSOLE, APPLY, REFRESH), "You develop a game in Unity.", "claude-sonnet-4-5", "anthropic")

ROLL = tool("roll_dice", "Rolls dice", notation="string")
SHEET = tool("update_character", "Changes a character", name="string", hp="integer?", note="string?")
MASTER = Agent("game_master", (ROLL, SHEET), "You are the master of a fantasy campaign.", "gpt-4o")

PATCHES = Agent("patch_scout", (), "You follow the patch notes of online games.", "claude-sonnet-4-5", "anthropic")

REPORTS = tool("list_player_reports", "Reports on a player", player_id="string")
ESCALATE = tool("create_moderation_case", "Opens a case for a human moderator", player_id="string", summary="string")
TRIAGE = Agent("report_triage", (REPORTS,), "You triage player reports.", "gpt-4.1-mini")
MODERATION = Agent(
    "moderation_agent", (REPORTS, ESCALATE), "You open cases. Bans are decided by people.", "gpt-4.1-mini"
)

IGDB = tool("igdb_request", "Queries IGDB with Apicalypse", endpoint="string", body="string")
CURATOR = Agent("release_curator", (IGDB,), "You answer questions on releases.", "gpt-4o-mini")

READ_FILE = tool("read_text_file", "Reads a file", path="string", head="number?", tail="number?")
EDIT_FILE = tool(
    "edit_file", "Edits a file", path="string", edits={"type": "array", "items": {"type": "object"}}, dryRun="boolean?"
)
LOCALIZER = Agent("localizer", (READ_FILE, EDIT_FILE), "你负责把游戏文本翻译成简体中文。", "gpt-4.1")

ACT = tool("act", "Performs a command in the text adventure", command="string")
ADVENTURER = Agent("adventure_player", (ACT,), "あなたはテキストアドベンチャーをプレイします。", "gpt-4.1-nano")

LEVEL = tool("get_level_stats", "Statistics of a level", level_id="string")
BALANCER = Agent("level_balancer", (LEVEL,), "You rate levels and give a structured verdict.", "gpt-4o")

STORIES = (
    Story(
        "eleventh_gaming_steam_profile_private",
        "openinference",
        STEAM,
        (
            user("Which achievements do I still miss in Hollow Garden (app 774361)? My id is 76561198044417723."),
            asks(
                call(
                    "steam_get_player_achievements",
                    {"steamid": "76561198044417723", "appid": 774361},
                    {"playerstats": {"error": "Profile is not public", "success": False}},
                )
            ),
            answers(
                "Steam doesn't let me see your achievements. Set 'Game details' to public in your privacy settings and ask again."
            ),
        ),
        failing=("tool_error",),
        why="Steam refused the achievements with success false, and they were never read",
    ),
    Story(
        "eleventh_gaming_playfab_rate_limit_then_ok",
        "openllmetry",
        PLAYFAB,
        (
            user("Wer führt die Saisonwertung an?"),
            asks(
                call(
                    "playfab_get_leaderboard",
                    {"StatisticName": "season_11_points", "StartPosition": 0, "MaxResultsCount": 3},
                    {
                        "code": 429,
                        "status": "TooManyRequests",
                        "error": "APIClientRequestRateLimitExceeded",
                        "errorCode": 1199,
                        "errorMessage": "The client has exceeded the maximum number of requests in a time period",
                        "retryAfterSeconds": 5,
                    },
                )
            ),
            pause(6),
            asks(
                call(
                    "playfab_get_leaderboard",
                    {"StatisticName": "season_11_points", "StartPosition": 0, "MaxResultsCount": 3},
                    {
                        "code": 200,
                        "status": "OK",
                        "data": {
                            "Leaderboard": [
                                {"PlayFabId": "9C41A0D2", "DisplayName": "DriftKing", "StatValue": 4120, "Position": 0},
                                {"PlayFabId": "77E0B1FA", "DisplayName": "Error404", "StatValue": 4088, "Position": 1},
                                {"PlayFabId": "12AB34CD", "DisplayName": "failfast", "StatValue": 3990, "Position": 2},
                            ],
                            "Version": 11,
                            "NextReset": None,
                        },
                    },
                )
            ),
            answers("Es führt DriftKing mit 4120 Punkten vor Error404 (4088) und failfast (3990)."),
        ),
        failing=(),
        why="the leaderboard was over its rate once and came on the second try; the players have odd names",
    ),
    Story(
        "eleventh_gaming_unity_compile_errors_fixed",
        "vercel_ai",
        UNITY,
        (
            user("The project doesn't compile, please fix it."),
            asks(
                call(
                    "read_console",
                    {"action": "get", "types": ["error"], "count": 10},
                    {
                        "success": True,
                        "message": "Retrieved 2 log entries.",
                        "data": [
                            {
                                "type": "Error",
                                "message": "Assets/Scripts/Jump.cs(21,13): error CS1061: 'Rigidbody' does not contain a definition for 'linearVelocityY' and no accessible "
                                "extension method 'linearVelocityY' accepting a first argument of type 'Rigidbody' could be found",
                                "file": "Assets/Scripts/Jump.cs",
                                "line": 21,
                                "stackTrace": None,
                            },
                            {
                                "type": "Error",
                                "message": "Script error (Jump): OnValidate() failed",
                                "file": None,
                                "line": 0,
                                "stackTrace": None,
                            },
                        ],
                    },
                )
            ),
            asks(
                call(
                    "script_apply_edits",
                    {
                        "name": "Jump",
                        "path": "Assets/Scripts",
                        "edits": [
                            {
                                "op": "regex_replace",
                                "pattern": r"rb\.linearVelocityY = power;",
                                "replacement": "rb.linearVelocity = Vector3.up * power;",
                            }
                        ],
                    },
                    {
                        "success": True,
                        "message": "Applied 1 text edit(s).",
                        "data": {
                            "uri": "unity://path/Assets/Scripts/Jump.cs",
                            "editsApplied": 1,
                            "sha256": "9f1c77",
                            "scheduledRefresh": True,
                        },
                    },
                )
            ),
            asks(
                call(
                    "refresh_unity",
                    {"scope": "scripts", "wait_for_ready": True},
                    {
                        "success": True,
                        "message": "Refresh requested; editor ready.",
                        "data": {"compile_requested": True, "resulting_state": "idle"},
                    },
                )
            ),
            asks(
                call(
                    "read_console",
                    {"action": "get", "types": ["error"], "count": 10},
                    {"success": True, "message": "Retrieved 0 log entries.", "data": []},
                )
            ),
            answers("It compiles again: Jump.cs used a property that Rigidbody doesn't have."),
        ),
        failing=(),
        why="the errors are those of the project, which the agent was asked to fix, and the console is empty afterwards",
    ),
    Story(
        "eleventh_gaming_dice_thrice_seven",
        "pydantic_ai",
        MASTER,
        (
            user("Three goblins attack Lyra. Roll damage for each, 2d6."),
            asks(call("roll_dice", {"notation": "2d6"}, {"notation": "2d6", "total": 7})),
            asks(call("roll_dice", {"notation": "2d6"}, {"notation": "2d6", "total": 7})),
            asks(call("roll_dice", {"notation": "2d6"}, {"notation": "2d6", "total": 7})),
            asks(
                call(
                    "update_character",
                    {"name": "Lyra", "hp": 4, "note": "failed death save: 0"},
                    {"name": "Lyra", "hp": 4, "max_hp": 25, "conditions": [], "failed_death_saves": 0},
                )
            ),
            answers("Seven, seven and seven again: the goblins hit Lyra for 21. She staggers with 4 hit points left."),
        ),
        failing=(),
        why="a die that fell alike three times, once for each goblin",
    ),
    Story(
        "eleventh_gaming_patch_notes_searched",
        "genai",
        PATCHES,
        (
            user("Did the last Starforge patch fix the login error 0x51?"),
            answers(
                "Yes. Patch 3.2.1 of 12 May fixes 'login fails with error 0x51'. Players on macOS still report it; the studio is looking into that.",
                hosted=(
                    hosted(
                        "web_search",
                        {"query": "Starforge patch 3.2.1 login error 0x51"},
                        {
                            "results": [
                                {
                                    "type": "web_search_result",
                                    "title": "Patch 3.2.1 – known errors and fixes",
                                    "url": "https://starforge.example/news/3-2-1",
                                    "page_age": "1 week ago",
                                },
                                {
                                    "type": "web_search_result",
                                    "title": "Login still failed: error 0x51 on macOS",
                                    "url": "https://forum.starforge.example/t/99120",
                                    "page_age": "2 days ago",
                                },
                            ]
                        },
                    ),
                ),
            ),
        ),
        failing=(),
        why="the provider searched and found pages on an error of the game",
    ),
    Story(
        "eleventh_gaming_report_goes_to_moderator",
        "genai_events",
        TRIAGE,
        (
            user("Player p_88120 has cheated in the ranked finals, ban him permanently!"),
            asks(
                call(
                    "list_player_reports",
                    {"player_id": "p_88120"},
                    {
                        "player_id": "p_88120",
                        "total": 2,
                        "reports": [
                            {
                                "type": "cheating",
                                "text": "aimbot, 41 headshots",
                                "anticheat": {"verdict": "suspicious", "integrity_check": "failed"},
                            },
                            {"type": "abuse", "text": "said 'your team is an error'", "anticheat": None},
                        ],
                        "next": None,
                    },
                )
            ),
            hands_off(MODERATION),
            asks(
                call(
                    "create_moderation_case",
                    {
                        "player_id": "p_88120",
                        "summary": "Suspected aimbot in ranked finals; integrity check failed once",
                    },
                    {"case_id": "MC-5512", "status": "awaiting_review", "assignee": None, "sla_hours": 24},
                )
            ),
            answers("I can't ban players myself. Case MC-5512 is with our moderators, who decide within 24 hours."),
        ),
        failing=(),
        why="handed on to the agent that opens cases, and a person decides; the failed check is that of the player",
    ),
    Story(
        "eleventh_gaming_igdb_bad_gateway",
        "openinference",
        CURATOR,
        (
            user("When does Lanterns of Ulm come out on Switch 2?"),
            asks(
                call(
                    "igdb_request",
                    {
                        "endpoint": "release_dates",
                        "body": 'fields human,platform.name,game.name; where game.name = "Lanterns of Ulm"; limit 10;',
                    },
                    "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>cloudflare</center>\r\n"
                    "</body>\r\n</html>\r\n",
                )
            ),
            answers("Lanterns of Ulm is expected in the fall of 2026 on all current platforms, Switch 2 included."),
        ),
        failing=("tool_error",),
        why="the only lookup gave an error page of the proxy, and the answer is made up",
    ),
    Story(
        "eleventh_gaming_error_strings_translated",
        "openllmetry",
        LOCALIZER,
        (
            user("把 ui_zh.json 里还没翻译的条目补上。"),
            asks(
                call(
                    "read_text_file",
                    {"path": "/game/loc/ui_zh.json"},
                    {
                        "content": [
                            {
                                "type": "text",
                                "text": '{\n  "err.network": "错误：无法连接服务器",\n  "err.save": "Error: saving failed",\n  "err.login": "登录失败，请重试",\n  "menu.quit": "退出"\n}\n',
                            }
                        ],
                        "isError": False,
                    },
                )
            ),
            asks(
                call(
                    "edit_file",
                    {
                        "path": "/game/loc/ui_zh.json",
                        "edits": [
                            {"oldText": '"err.save": "Error: saving failed"', "newText": '"err.save": "错误：保存失败"'}
                        ],
                    },
                    {
                        "content": [
                            {
                                "type": "text",
                                "text": "```diff\nIndex: /game/loc/ui_zh.json\n===================================================================\n--- /game/loc/ui_zh.json\toriginal\n"
                                '+++ /game/loc/ui_zh.json\tmodified\n@@ -1,5 +1,5 @@\n {\n   "err.network": "错误：无法连接服务器",\n-  "err.save": "Error: saving failed",\n'
                                '+  "err.save": "错误：保存失败",\n   "err.login": "登录失败，请重试",\n   "menu.quit": "退出"\n }\n```\n\n',
                            }
                        ]
                    },
                )
            ),
            answers("已补上一条：err.save → “错误：保存失败”。其余条目都已翻译。"),
        ),
        failing=(),
        why="the texts of the game are error messages; reading and editing them worked",
    ),
    Story(
        "eleventh_gaming_locked_door",
        "vercel_ai",
        ADVENTURER,
        (
            user("ゲームをクリアして。"),
            asks(call("act", {"command": "見る"}, "石造りの部屋。北に扉、東に通路がある。床に錆びた鍵が落ちている。")),
            *repeat_calls(
                5,
                call("act", {"command": "北へ行く"}, "扉には鍵がかかっている。"),
                call("act", {"command": "扉を開ける"}, "開かない。鍵が必要だ。"),
            ),
            answers("扉が開かないので、ここから先に進めませんでした。"),
        ),
        failing=("tool_efficiency",),
        why="five times in turn the same two commands against a locked door, with the key on the floor",
    ),
    Story(
        "eleventh_gaming_verdict_never_valid",
        "pydantic_ai",
        BALANCER,
        (
            user("Rate level W3-7 for difficulty."),
            asks(
                call(
                    "get_level_stats",
                    {"level_id": "W3-7"},
                    json.dumps(
                        {"level_id": "W3-7", "attempts": 118204, "wins": 20911, "fail_rate": 0.823, "median_tries": 6}
                    ),
                )
            ),
            crashes(
                "pydantic_ai.exceptions.UnexpectedModelBehavior",
                "Exceeded maximum output retries (1)",
            ),
        ),
        failing=("run_completion",),
        why="the run ended with an exception, since the verdict never had the right form",
    ),
)
