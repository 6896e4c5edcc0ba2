"""Video, music, voices, newsrooms and archives."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import Agent, Fault, Story, answers, asks, call, crashes, repeat_calls, tool, user

__all__ = ["STORIES"]

YOUTUBE = Agent(
    "channel_scout",
    (tool("youtube_search", "Search videos", q="string", maxResults="integer?", regionCode="string?"),),
    "You find videos.",
    "gpt-4o-mini",
)
SPOTIFY = Agent(
    "playlist_maker",
    (
        tool("search_tracks", "Search tracks", q="string", limit="integer?", market="string?"),
        tool("add_items", "Add tracks to a playlist", playlist_id="string", uris="string[]"),
    ),
    "You make playlists.",
    "gpt-4.1-mini",
)
VOICES = Agent(
    "audio_producer",
    (
        tool("elevenlabs_tts", "Speak with ElevenLabs", text="string", voice_id="string", model_id="string?"),
        tool("openai_tts", "Speak with OpenAI", text="string", voice="string"),
    ),
    "You voice texts; use ElevenLabs where possible.",
    "gpt-4.1-mini",
)
CUTTER = Agent(
    "video_cutter",
    (tool("shell", "Run a command", command="string"),),
    "You cut videos with ffmpeg.",
    "gpt-4.1",
)
TRANSLATOR = Agent("subtitle_translator", (), "Translate subtitles to Turkish. Keep numbers and times.", "gpt-4o-mini")
LOCALIZER = Agent(
    "localizer",
    (
        tool("load_subtitles", "Subtitles of a video", video_id="string", lang="string"),
        tool("translate", "Have subtitles translated", srt="string"),
        tool("upload_subtitles", "Attach subtitles", video_id="string", lang="string", srt="string"),
    ),
    "You localise videos.",
    "gpt-4.1",
)
GAME = Agent(
    "game_master",
    (tool("roll_dice", "Roll dice", notation="string"),),
    "너는 팟캐스트의 게임 마스터다.",
    "gpt-4.1-mini",
)
PHOTO = Agent(
    "photo_desk",
    (
        tool("search_archive", "Search the photo archive", query="string", page="integer?"),
        tool("get_rights", "Rights of a photo", asset_id="string"),
    ),
    "You find photos that may be printed.",
    "gpt-4o-mini",
)
CMS = Agent(
    "web_editor",
    (
        tool("get_article", "An article", slug="string"),
        tool("publish_article", "Publish an article", slug="string", schedule="string?"),
    ),
    "You publish articles that are approved.",
    "claude-sonnet-4-5",
    "anthropic",
)
TRANSCRIBER = Agent(
    "transcriber",
    (
        tool("get_episode", "An episode", episode="integer"),
        tool("transcribe", "Transcribe audio", audio_url="string", language="string?"),
    ),
    "You transcribe podcasts.",
    "gpt-4.1-mini",
)
NEWS = Agent(
    "news_monitor",
    (
        tool("search_wire", "Search the wire", query="string", hours="integer?"),
        tool("fetch_story", "A story of the wire", story_id="string"),
    ),
    "You watch the wire.",
    "gpt-4.1-mini",
)

SRT = "1\n00:00:01,000 --> 00:00:03,200\nWelcome back to the workshop.\n\n2\n00:00:03,400 --> 00:00:06,000\nToday we fix a broken hinge.\n\n3\n00:00:06,200 --> 00:00:09,000\nIf the screw fails, use a longer one.\n"
CUT = "1\n00:00:01,000 --> 00:00:03,200\nAtölyeye tekrar hoş geldiniz.\n\n2\n00:00:03,400 --> 00:00:06,0"

STORIES = (
    Story(
        "tenth_media_youtube_quota",
        "genai_events",
        YOUTUBE,
        (
            user("Trouve trois vidéos récentes sur la restauration de vélos anciens."),
            asks(
                call(
                    "youtube_search",
                    {"q": "restauration vélo ancien", "maxResults": 3, "regionCode": "FR"},
                    {
                        "error": {
                            "code": 403,
                            "message": 'The request cannot be completed because you have exceeded your <a href="/youtube/v3/getting-started#quota">quota</a>.',
                            "errors": [
                                {
                                    "message": "The request cannot be completed because you have exceeded your quota.",
                                    "domain": "youtube.quota",
                                    "reason": "quotaExceeded",
                                }
                            ],
                        }
                    },
                )
            ),
            answers("Je ne peux pas chercher sur YouTube aujourd'hui, le quota est épuisé. Réessayez demain matin."),
        ),
        failing=("tool_error",),
        why="the only search was refused with quotaExceeded",
    ),
    Story(
        "tenth_media_playlist_of_errors",
        "genai",
        SPOTIFY,
        (
            user("Add three songs with “error” or “404” in the title to playlist 37i9."),
            asks(
                call(
                    "search_tracks",
                    {"q": "track:error", "limit": 2},
                    {
                        "tracks": {
                            "items": [
                                {
                                    "name": "Fatal Error",
                                    "uri": "spotify:track:1aF",
                                    "artists": [{"name": "Kernel Panic"}],
                                    "restrictions": None,
                                },
                                {
                                    "name": "Error: Love Not Found",
                                    "uri": "spotify:track:2bG",
                                    "artists": [{"name": "Null Pointers"}],
                                },
                            ],
                            "total": 912,
                            "next": "https://api.spotify.com/v1/search?offset=2&limit=2&query=track:error&type=track",
                        }
                    },
                ),
                call(
                    "search_tracks",
                    {"q": "track:404", "limit": 1},
                    {
                        "tracks": {
                            "items": [
                                {"name": "404 (New Era)", "uri": "spotify:track:3cH", "artists": [{"name": "KIIA"}]}
                            ],
                            "total": 88,
                            "next": None,
                        }
                    },
                ),
            ),
            asks(
                call(
                    "add_items",
                    {"playlist_id": "37i9", "uris": ["spotify:track:1aF", "spotify:track:2bG", "spotify:track:3cH"]},
                    {"snapshot_id": "AAAADk0mN2m1Z0nG5xk"},
                )
            ),
            answers("Added: Fatal Error, Error: Love Not Found and 404 (New Era)."),
        ),
        failing=(),
        why="the songs are only called errors",
    ),
    Story(
        "tenth_media_other_voice_after_quota",
        "openllmetry",
        VOICES,
        (
            user("Voice this: “The archive opens again on Monday.”"),
            asks(
                call(
                    "elevenlabs_tts",
                    {"text": "The archive opens again on Monday.", "voice_id": "21m00Tcm4TlvDq8ikWAM"},
                    {
                        "detail": {
                            "type": "invalid_request",
                            "code": "quota_exceeded",
                            "status": "quota_exceeded",
                            "message": "This request exceeds your quota of 30000. You have 12 credits remaining, while 34 credits are required for this request.",
                        }
                    },
                )
            ),
            asks(
                call(
                    "openai_tts",
                    {"text": "The archive opens again on Monday.", "voice": "alloy"},
                    {"file": "/out/archive-monday.mp3", "duration_s": 2.4, "bytes": 38912},
                )
            ),
            answers("Here it is: /out/archive-monday.mp3, with OpenAI's voice since the ElevenLabs quota is used up."),
        ),
        failing=("tool_error",),
        why="the call to ElevenLabs failed for good; another tool stood in for it",
    ),
    Story(
        "tenth_media_ffmpeg_second_try",
        "vercel_ai",
        CUTTER,
        (
            user("Cut 00:10 to 00:25 out of talk.mov as an mp4."),
            asks(
                call(
                    "shell",
                    {"command": "ffmpeg -ss 10 -to 25 -i talk.mov -c:v libx265 -crf 22 clip.mp4"},
                    "ffmpeg version 7.1 Copyright (c) 2000-2024 the FFmpeg developers\nUnknown encoder 'libx265'\n[vost#0:0] Error selecting an encoder\nError opening output file clip.mp4.\nError opening output files: Encoder not found\n\nexit status 8",
                )
            ),
            asks(
                call(
                    "shell",
                    {"command": "ffmpeg -v error -ss 10 -to 25 -i talk.mov -c:v libx264 -crf 20 clip.mp4"},
                    "[mov,mp4,m4a @ 0x5581] non-monotonous DTS, correcting\n\nexit status 0",
                )
            ),
            asks(
                call(
                    "shell",
                    {"command": "ffprobe -v error -show_entries format=duration,size -of csv=p=0 clip.mp4"},
                    "15.016000,4120331\n\nexit status 0",
                )
            ),
            answers("clip.mp4 is ready: 15 seconds, 4.1 MB, H.264 because libx265 isn't installed."),
        ),
        failing=(),
        why="a program failed on the way; the last ones ended with status 0",
    ),
    Story(
        "tenth_media_subtitles_cut_in_sub_agent",
        "pydantic_ai",
        LOCALIZER,
        (
            user("Add Turkish subtitles to video v-220."),
            asks(call("load_subtitles", {"video_id": "v-220", "lang": "en"}, SRT)),
            asks(
                call(
                    "translate",
                    {"srt": SRT},
                    CUT,
                    agent=TRANSLATOR,
                    steps=(answers(CUT, "length"),),
                )
            ),
            asks(
                call(
                    "upload_subtitles",
                    {"video_id": "v-220", "lang": "tr", "srt": CUT},
                    {
                        "kind": "youtube#caption",
                        "id": "AUieDabc",
                        "snippet": {"language": "tr", "status": "serving", "failureReason": None},
                    },
                )
            ),
            answers("The Turkish subtitles are attached to v-220."),
        ),
        failing=("run_completion",),
        why="the translator was cut off by the limit of tokens in its second line, and that was uploaded",
    ),
    Story(
        "tenth_media_die_shows_four_thrice",
        "genai_events",
        GAME,
        (
            user("주사위 세 번 굴려 줘, 20면체로. 한 번씩 따로."),
            *repeat_calls(
                3,
                call(
                    "roll_dice",
                    {"notation": "1d20"},
                    {"notation": "1d20", "rolls": [4], "total": 4, "critical_failure": False},
                ),
            ),
            answers("4, 4, 그리고 또 4! 문은 열리지 않습니다."),
        ),
        failing=(),
        why="a die that fell on the same number three times",
    ),
    Story(
        "tenth_media_archive_searched_thrice",
        "vercel_ai",
        PHOTO,
        (
            user("A photo of the harbour strike of 1978, please, cleared for print."),
            *repeat_calls(
                3,
                call(
                    "search_archive",
                    {"query": "harbour strike 1978"},
                    {
                        "total": 2,
                        "assets": [
                            {"id": "AP-7810-22", "caption": "Dockers at the gate, Oct 1978"},
                            {"id": "AP-7810-31", "caption": "Empty quay, Oct 1978"},
                        ],
                    },
                ),
            ),
            asks(
                call(
                    "get_rights",
                    {"asset_id": "AP-7810-22"},
                    {"asset_id": "AP-7810-22", "print": True, "web": False, "restrictions": []},
                )
            ),
            answers("AP-7810-22, dockers at the gate in October 1978, is cleared for print."),
        ),
        failing=("tool_efficiency",),
        why="the same search three times in a row with the same two photos",
    ),
    Story(
        "tenth_media_publish_under_namespace",
        "genai",
        CMS,
        (
            user("Publish “ponte-chiuso” now."),
            asks(
                call(
                    "mcp__cms__get_article",
                    {"slug": "ponte-chiuso"},
                    {
                        "slug": "ponte-chiuso",
                        "title": "Ponte chiuso per un guasto",
                        "status": "approved",
                        "lint": {"errors": 0, "warnings": 2},
                    },
                    ran_as="get_article",
                )
            ),
            asks(
                call(
                    "mcp__cms__publish_article",
                    {"slug": "ponte-chiuso"},
                    {
                        "content": [{"type": "text", "text": "Published https://news.example/ponte-chiuso"}],
                        "structuredContent": {"status": "publish", "errors": []},
                        "isError": False,
                    },
                    ran_as="publish_article",
                )
            ),
            answers("“Ponte chiuso per un guasto” is online: https://news.example/ponte-chiuso"),
        ),
        failing=(),
        why="the tools that were offered, with the namespace of their server before the name",
    ),
    Story(
        "tenth_media_transcription_takes_the_run_down",
        "openinference",
        TRANSCRIBER,
        (
            user("Transcribe episode 88."),
            asks(
                call(
                    "get_episode",
                    {"episode": 88},
                    {"episode": 88, "title": "Salt", "audio_url": "https://cdn.example/88.mp3", "duration": 3411},
                )
            ),
            asks(
                call(
                    "transcribe",
                    {"audio_url": "https://cdn.example/88.mp3", "language": "en"},
                    fault=Fault(
                        "torch.OutOfMemoryError",
                        "CUDA out of memory. Tried to allocate 2.44 GiB. GPU 0 has a total capacity of 15.77 GiB of which 1.02 GiB is free.",
                    ),
                    is_answered=False,
                )
            ),
            crashes(
                "agents.exceptions.UserError",
                "Error running tool transcribe: CUDA out of memory. Tried to allocate 2.44 GiB. GPU 0 has a total capacity of 15.77 GiB of which 1.02 GiB is free.",
            ),
        ),
        failing=("run_completion", "tool_error"),
        why="the transcription ran out of memory and the run ended with that exception",
    ),
    Story(
        "tenth_media_run_still_going",
        "openllmetry",
        NEWS,
        (
            user("Keep me posted on the ferry accident."),
            asks(
                call(
                    "search_wire",
                    {"query": "ferry accident", "hours": 6},
                    [{"id": "w-11", "headline": "URGENT: Ferry engine failure off Brindisi, no injuries"}],
                )
            ),
            asks(
                call(
                    "fetch_story",
                    {"story_id": "w-11"},
                    "BRINDISI (Wire) - A ferry with 212 people aboard lost power after an engine failure. The coast guard said a first towing attempt failed.",
                )
            ),
        ),
        failing=(),
        why="a partial run: the agent's span has not ended yet, and both calls worked",
        agent_span="open",
    ),
)
