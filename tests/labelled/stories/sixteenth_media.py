"""Films, sound, newspapers and pictures."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import Agent, Ask, Fault, Story, answers, asks, call, hosted, pause, tool, user

__all__ = ["STORIES"]

TRANSCRIPTS = Agent(
    "podcast_producer",
    (
        tool(
            "create_transcript",
            "Starts a transcription",
            audio_url="string",
            language_code="string?",
            speaker_labels="boolean?",
        ),
        tool("get_transcript", "State and text of a transcription", transcript_id="string"),
    ),
    "You prepare show notes for podcasts.",
    "gpt-4.1",
)
YOUTUBE = Agent(
    "channel_manager",
    (
        tool("videos_list", "Videos by id", id="string", part="string"),
        tool("search_list", "Searches videos", q="string", channelId="string?", maxResults="integer?"),
    ),
    "You look after a YouTube channel.",
    "gpt-4o-mini",
)
PICTURES = Agent("cover_artist", (), "You draw covers for a magazine.", "gpt-5")
NEWSDESK = Agent(
    "newsdesk",
    (tool("save_draft", "Saves a draft", headline="string", body="string"),),
    "You research and draft short news.",
    "gpt-5-mini",
)
RATINGS = Agent("audience_analyst", (), "You analyse audience figures.", "claude-sonnet-4-5", "anthropic")
SUBTITLES = Agent(
    "untertitler",
    (tool("get_cues", "Cues of a subtitle file", file="string", first="integer", last="integer"),),
    "Du übersetzt Untertitel. Antworte mit SRT.",
    "gpt-4.1-mini",
)
STUDIO = Agent(
    "studio_shell",
    (tool("execute_command", "Runs a command", command="string", cwd="string?"),),
    "You cut and convert media files.",
    "claude-sonnet-4-5",
    "anthropic",
)
UPLOADER = Agent(
    "upload_agent",
    (tool("s3_put_object", "Uploads a file to a bucket", bucket="string", key="string", file="string"),),
    "You upload files.",
    "gpt-4.1-nano",
)
RELEASE = Agent(
    "release_manager",
    (
        tool("render_master", "Renders the master of an episode", episode="string"),
        tool("ask_upload_agent", "Lets the upload agent do something", task="string"),
    ),
    "You release episodes.",
    "gpt-4.1",
)
CMS = Agent(
    "cms_editor",
    (
        tool("search_posts", "Searches posts", search="string"),
        tool(
            "create_post",
            "Creates a post",
            title="string",
            content="string",
            status=["draft", "publish"],
            tags={"type": "array", "items": {"type": "integer"}},
        ),
    ),
    "You put articles into WordPress.",
    "gpt-4o",
)
RADIO = Agent(
    "music_editor",
    (
        tool("search_tracks", "Searches tracks", q="string", limit="integer?"),
        tool("add_to_playlist", "Adds tracks to a playlist", playlist_id="string", uris="string[]"),
    ),
    "You make playlists for a radio station.",
    "gpt-4o",
)


def transcript(status: str, text: str | None = None) -> Ask:
    return asks(
        call(
            "get_transcript",
            {"transcript_id": "6rlr37c1-0d0a"},
            {
                "id": "6rlr37c1-0d0a",
                "status": status,
                "language_code": "pt",
                "text": text,
                "error": None,
                "audio_duration": 1311 if text else None,
            },
        )
    )


STORIES = (
    Story(
        "sixteenth_media_podcast_transcribed",
        "openinference",
        TRANSCRIPTS,
        (
            user("Sobre o que é o episódio https://cdn.ondas.example/ep41.mp3? Uma frase."),
            asks(
                call(
                    "create_transcript",
                    {"audio_url": "https://cdn.ondas.example/ep41.mp3", "language_code": "pt"},
                    {"id": "6rlr37c1-0d0a", "status": "queued", "text": None, "error": None},
                )
            ),
            transcript("queued"),
            pause(15),
            transcript("processing"),
            pause(15),
            transcript("processing"),
            pause(15),
            transcript("processing"),
            pause(15),
            transcript(
                "completed",
                "Hoje falamos do erro que fundou um clube: o naufrágio de 1911 e os marinheiros que ficaram.",
            ),
            answers("Conta como os sobreviventes do naufrágio de 1911 fundaram um clube."),
        ),
        failing=(),
        why="the transcription was polled until it was completed",
    ),
    Story(
        "sixteenth_media_quota_of_the_day_is_gone",
        "genai_events",
        YOUTUBE,
        (
            user("Which of our videos mention sourdough?"),
            asks(
                call(
                    "search_list",
                    {"q": "sourdough", "channelId": "UC9x2bakehouse", "maxResults": 25},
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
            answers(
                "YouTube's quota for today is used up, so I couldn't search. It is reset at midnight Pacific time."
            ),
        ),
        failing=("tool_error",),
        why="the only search was refused with 403 quotaExceeded",
    ),
    Story(
        "sixteenth_media_cover_drawn_by_the_provider",
        "genai",
        PICTURES,
        (
            user("A cover for the issue on tides: woodcut, two colours."),
            answers(
                "Here is a woodcut in ink blue and sand: a harbour at low tide, the boats lying on their sides.",
                hosted=(
                    hosted(
                        "image_generation_call",
                        {"size": "1024x1536", "quality": "high"},
                        {
                            "status": "completed",
                            "revised_prompt": "Two-colour woodcut of a harbour at low tide",
                            "output_format": "png",
                        },
                    ),
                ),
            ),
        ),
        failing=(),
        why="the provider ran its own tool, which is not among the offered functions, and the picture is there",
    ),
    Story(
        "sixteenth_media_news_searched_and_saved",
        "openllmetry",
        NEWSDESK,
        (
            user(
                "Draft 40 words on the reopening of the Severn bore viewpoint. Save it, then check the date on the web."
            ),
            asks(
                call(
                    "save_draft",
                    {
                        "headline": "Viewpoint on the Severn reopens",
                        "body": "The viewpoint at Minsterworth reopens on Saturday after two years of repairs ...",
                    },
                    {"id": 7719, "status": "draft", "rejected": False, "lintErrors": 0},
                )
            ),
            answers(
                "I saved draft 7719, “Viewpoint on the Severn reopens”. The county's site confirms Saturday as the date.",
                hosted=(
                    hosted(
                        "web_search_call",
                        {"query": "Severn bore viewpoint Minsterworth reopening"},
                        {"status": "completed", "sources": [{"url": "https://council.example/news/minsterworth"}]},
                    ),
                ),
            ),
        ),
        failing=(),
        why="the draft was saved, and the search ran at the provider",
    ),
    Story(
        "sixteenth_media_audience_figures_computed",
        "pydantic_ai",
        RATINGS,
        (
            user("Mean and standard deviation of 412, 388, 501, 477, 390 (thousands)?"),
            answers(
                "The mean is 433.6 thousand viewers, the standard deviation 52.1 thousand.",
                hosted=(
                    hosted(
                        "code_execution",
                        {
                            "code": "import numpy as np\nx = np.array([412, 388, 501, 477, 390])\nprint(x.mean(), x.std(ddof=1))"
                        },
                        {
                            "type": "code_execution_result",
                            "stdout": "433.6 52.1\n",
                            "stderr": "",
                            "return_code": 0,
                            "content": [],
                        },
                    ),
                ),
            ),
        ),
        failing=(),
        why="code that the provider ran; nothing on stderr and return code 0",
    ),
    Story(
        "sixteenth_media_untertitel_abgeschnitten",
        "vercel_ai",
        SUBTITLES,
        (
            user("Übersetze die Cues 1 bis 4 von harbour_e02.srt ins Deutsche."),
            asks(
                call(
                    "get_cues",
                    {"file": "harbour_e02.srt", "first": 1, "last": 4},
                    "1\n00:00:03,100 --> 00:00:05,000\nSomething's wrong with the engine.\n\n2\n00:00:05,400 --> 00:00:07,200\nIt failed again.\n\n3\n00:00:08,000 --> 00:00:09,900\nCall the harbour master.\n\n4\n00:00:10,300 --> 00:00:12,000\nHe's not answering.\n",
                )
            ),
            answers(
                "1\n00:00:03,100 --> 00:00:05,000\nMit dem Motor stimmt was nicht.\n\n2\n00:00:05,400 --> 00:00:07,200\nEr ist schon wie",
                "length",
            ),
        ),
        failing=("run_completion",),
        why="the translation is cut off in the second of four cues",
    ),
    Story(
        "sixteenth_media_clip_converted_at_second_try",
        "openllmetry",
        STUDIO,
        (
            user("Make a 1080p H.265 version of interview.mov."),
            asks(
                call(
                    "execute_command",
                    {
                        "command": "ffmpeg -i interview.mov -vf scale=-1:1080 -c:v libx265 interview_1080.mp4",
                        "cwd": "/media/in",
                    },
                    "Command failed with exit code 1\nStderr:\n[libx265 @ 0x55d0c1] Picture width must be an integer multiple of the specified chroma subsampling\n[vost#0:0/libx265 @ 0x55d0e7] Error while opening encoder - maybe incorrect parameters such as bit_rate, rate, width or height.\nConversion failed!",
                )
            ),
            asks(
                call(
                    "execute_command",
                    {
                        "command": "ffmpeg -i interview.mov -vf scale=-2:1080 -c:v libx265 -tag:v hvc1 interview_1080.mp4",
                        "cwd": "/media/in",
                    },
                    "Command completed with exit code 0\nStderr:\nframe= 7391 fps= 61 q=28.0 Lsize=   88121kB time=00:04:55.60 bitrate=2442.0kbits/s speed=2.43x",
                )
            ),
            answers("interview_1080.mp4 is done: 4:55 minutes, 88 MB. The width had to be rounded to an even number."),
        ),
        failing=(),
        why="the first command failed, the second converted the clip",
    ),
    Story(
        "sixteenth_media_upload_denied_below",
        "genai_events",
        RELEASE,
        (
            user("Release episode 07: render it and put it into the bucket."),
            asks(
                call(
                    "render_master",
                    {"episode": "07"},
                    {"episode": "07", "file": "/renders/07_master.mxf", "dropped_frames": 0, "error": ""},
                    ms=40_000,
                )
            ),
            asks(
                call(
                    "ask_upload_agent",
                    {"task": "Upload /renders/07_master.mxf to tidewater-masters"},
                    "I was not allowed to write to tidewater-masters.",
                    agent=UPLOADER,
                    steps=(
                        asks(
                            call(
                                "s3_put_object",
                                {
                                    "bucket": "tidewater-masters",
                                    "key": "07_master.mxf",
                                    "file": "/renders/07_master.mxf",
                                },
                                fault=Fault(
                                    "botocore.exceptions.ClientError",
                                    "An error occurred (AccessDenied) when calling the PutObject operation: Access Denied",
                                ),
                            )
                        ),
                        answers("I was not allowed to write to tidewater-masters."),
                    ),
                )
            ),
            answers("Episode 07 is rendered but not uploaded: writing to tidewater-masters is denied."),
        ),
        failing=("tool_error",),
        why="the upload of the sub-agent was denied and not made good",
    ),
    Story(
        "sixteenth_media_tags_by_name",
        "pydantic_ai",
        CMS,
        (
            user(
                "Publish “Ebb and flow” with the text “The sea comes and goes.” and the tags 12 (coast) and 40 (essay)."
            ),
            asks(
                call(
                    "create_post",
                    {
                        "title": "Ebb and flow",
                        "content": "The sea comes and goes.",
                        "status": "publish",
                        "tags": "coast, essay",
                    },
                    {
                        "code": "rest_invalid_param",
                        "message": "Invalid parameter(s): tags",
                        "data": {
                            "status": 400,
                            "params": {"tags": "tags[0] is not of type integer."},
                            "details": {
                                "tags": {
                                    "code": "rest_invalid_type",
                                    "message": "tags[0] is not of type integer.",
                                    "data": {"param": "tags[0]"},
                                }
                            },
                        },
                    },
                )
            ),
            asks(
                call(
                    "create_post",
                    {
                        "title": "Ebb and flow",
                        "content": "The sea comes and goes.",
                        "status": "publish",
                        "tags": [12, 40],
                    },
                    {
                        "id": 5518,
                        "date": "2026-04-14T10:02:11",
                        "status": "publish",
                        "link": "https://shore.example/ebb-and-flow/",
                        "tags": [12, 40],
                    },
                )
            ),
            answers("It's online: https://shore.example/ebb-and-flow/"),
        ),
        failing=("tool_call_validity",),
        why="the tags were first a text of names where the schema wants a list of integers; then it was published",
    ),
    Story(
        "sixteenth_media_songs_called_error",
        "vercel_ai",
        RADIO,
        (
            user("Add two songs with ‘error’ in the title to playlist 5tKx."),
            asks(
                call(
                    "search_tracks",
                    {"q": "track:error", "limit": 2},
                    {
                        "tracks": {
                            "total": 2,
                            "next": None,
                            "items": [
                                {
                                    "uri": "spotify:track:1aErr",
                                    "name": "Error 404 (Not Found)",
                                    "artists": [{"name": "The Exceptions"}],
                                    "is_playable": True,
                                },
                                {
                                    "uri": "spotify:track:2bErr",
                                    "name": "Fatal Error",
                                    "artists": [{"name": "Timeout"}],
                                    "is_playable": True,
                                },
                            ],
                        }
                    },
                )
            ),
            asks(
                call(
                    "add_to_playlist",
                    {"playlist_id": "5tKx", "uris": ["spotify:track:1aErr", "spotify:track:2bErr"]},
                    {"snapshot_id": "AAAACx0pQ2"},
                )
            ),
            answers("“Error 404 (Not Found)” by The Exceptions and “Fatal Error” by Timeout are on the playlist."),
        ),
        failing=(),
        why="songs are called error; both calls worked",
    ),
)
