"""Schools: Moodle, Canvas, Google Classroom, graders, tutors."""
# ruff: noqa: E501

from __future__ import annotations

import json

from ..story import Agent, Fault, Story, answers, asks, call, crashes, pause, repeat_calls, tool, user

__all__ = ["STORIES"]

MOODLE_COURSES = tool("core_course_get_courses_by_field", "Moodle: courses by field", field="string", value="string")
MOODLE_ENROL = tool(
    "enrol_manual_enrol_users",
    "Moodle: enrols users",
    enrolments={
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "roleid": {"type": "integer"},
                "userid": {"type": "integer"},
                "courseid": {"type": "integer"},
            },
            "required": ["roleid", "userid", "courseid"],
        },
    },
)
MOODLE = Agent("moodle_admin", (MOODLE_COURSES, MOODLE_ENROL), "You administer a Moodle site.", "gpt-4.1-mini")

SUBMISSIONS = tool(
    "canvas_list_submissions",
    "Submissions of an assignment",
    course_id="integer",
    assignment_id="integer",
    page="integer?",
)
CANVAS = Agent("canvas_ta", (SUBMISSIONS,), "You support teachers with Canvas.", "gpt-4o-mini")

COURSEWORK = tool(
    "classroom_create_coursework",
    "Creates course work",
    courseId="string",
    title="string",
    workType=["ASSIGNMENT", "SHORT_ANSWER_QUESTION", "MULTIPLE_CHOICE_QUESTION"],
    maxPoints="number?",
    dueDate={
        "type": "object",
        "properties": {"year": {"type": "integer"}, "month": {"type": "integer"}, "day": {"type": "integer"}},
        "required": ["year", "month", "day"],
    },
)
CLASSROOM = Agent("classroom_agent", (COURSEWORK,), "You create course work in Google Classroom.", "gpt-4.1-nano")

GRADE = tool("run_autograder", "Runs the grader on a submission", submission_id="string")
GRADER = Agent("cs101_grader", (GRADE,), "You explain the results of the grader to students.", "gpt-4.1")

TUTOR = Agent("math_tutor", (), "You tutor pupils. Never give the solution of graded homework.", "gpt-4o-mini")

FETCH = tool("fetch", "Fetches a URL", url="string", max_length="integer?", start_index="integer?", raw="boolean?")
SOURCES = Agent("source_reader", (FETCH,), "You read sources for quizzes.", "gpt-4o-mini")
READ_SOURCE = tool("read_source", "Has a source read", request="string")
SAVE_QUIZ = tool("save_quiz", "Stores a quiz", title="string", questions="string[]")
QUIZ = Agent("quiz_maker", (READ_SOURCE, SAVE_QUIZ), "You make quizzes from sources.", "gpt-4o")

ESSAY = tool("get_essay", "An essay that was handed in", essay_id="string")
RUBRIC = tool("get_rubric", "A rubric", rubric_id="string")
FEEDBACK = Agent("essay_feedback", (ESSAY, RUBRIC), "You write feedback on essays.", "gpt-4.1")

LIBRARY = tool("search_library", "Searches the catalogue", query="string", collection="string?")
LIBRARIAN = Agent("library_desk", (LIBRARY,), "You help students find literature.", "gpt-4.1-mini")

BASH = tool("bash", "Runs a command in a shell", command="string")
CLEANER = Agent(
    "course_repo_agent", (BASH,), "You maintain the repository of a course.", "claude-sonnet-4-5", "anthropic"
)

CONTENTS = tool("core_course_get_contents", "Moodle: contents of a course", courseid="integer")
PLANNER = Agent("study_planner", (CONTENTS,), "You plan the week of a student.", "gpt-4o-mini")


def submission(
    user_id: int, state: str, *, missing: bool = False, late: bool = False, score: float | None = None
) -> dict[str, object]:
    return {
        "user_id": user_id,
        "workflow_state": state,
        "missing": missing,
        "late": late,
        "excused": None,
        "score": score,
        "late_policy_status": "missing" if missing else None,
        "attempt": None if missing else 1,
    }


CONTENT = [
    {
        "id": 5511,
        "name": "Woche 6",
        "visible": 1,
        "modules": [{"id": 90122, "name": "Übungsblatt 6", "modname": "assign", "completion": 0}],
    }
]

STORIES = (
    Story(
        "eleventh_education_moodle_not_allowed",
        "genai",
        MOODLE,
        (
            user("Enrol user 2291 as a student in the course with short name BIO-12."),
            asks(
                call(
                    "core_course_get_courses_by_field",
                    {"field": "shortname", "value": "BIO-12"},
                    {
                        "courses": [{"id": 417, "shortname": "BIO-12", "fullname": "Biology 12", "visible": 1}],
                        "warnings": [],
                    },
                )
            ),
            asks(
                call(
                    "enrol_manual_enrol_users",
                    {"enrolments": [{"roleid": 5, "userid": 2291, "courseid": 417}]},
                    '{"exception":"webservice_access_exception","errorcode":"accessexception","message":"Access control exception"}',
                )
            ),
            answers("User 2291 is now enrolled in Biology 12 as a student."),
        ),
        failing=("tool_error",),
        why="Moodle refused the enrolment with an exception in the body; nobody was enrolled",
    ),
    Story(
        "eleventh_education_canvas_missing_work",
        "genai_events",
        CANVAS,
        (
            user("Who hasn't handed in assignment 5520 in course 118 yet?"),
            asks(
                call(
                    "canvas_list_submissions",
                    {"course_id": 118, "assignment_id": 5520, "page": 1},
                    json.dumps(
                        [
                            submission(7001, "graded", score=0.0),
                            submission(7002, "unsubmitted", missing=True),
                            submission(7003, "submitted", late=True),
                        ]
                    ),
                )
            ),
            asks(
                call(
                    "canvas_list_submissions",
                    {"course_id": 118, "assignment_id": 5520, "page": 2},
                    json.dumps([submission(7004, "unsubmitted", missing=True), submission(7005, "graded", score=18.5)]),
                )
            ),
            asks(call("canvas_list_submissions", {"course_id": 118, "assignment_id": 5520, "page": 3}, "[]")),
            answers("7002 and 7004 have not handed in. 7003 was late."),
        ),
        failing=(),
        why="three pages, the last one empty; missing and late are states of the submissions",
    ),
    Story(
        "eleventh_education_classroom_due_date_as_text",
        "openinference",
        CLASSROOM,
        (
            user("Create 'Photosynthesis worksheet' in course 618203344, 20 points, due May 29."),
            asks(
                call(
                    "classroom_create_coursework",
                    {
                        "courseId": "618203344",
                        "title": "Photosynthesis worksheet",
                        "workType": "ASSIGNMENT",
                        "maxPoints": 20,
                        "dueDate": "2026-05-29",
                    },
                    {
                        "error": {
                            "code": 400,
                            "message": "Invalid value at 'course_work.due_date' (type.googleapis.com/google.type.Date), \"2026-05-29\"",
                            "status": "INVALID_ARGUMENT",
                        }
                    },
                )
            ),
            asks(
                call(
                    "classroom_create_coursework",
                    {
                        "courseId": "618203344",
                        "title": "Photosynthesis worksheet",
                        "workType": "ASSIGNMENT",
                        "maxPoints": 20,
                        "dueDate": {"year": 2026, "month": 5, "day": 29},
                    },
                    {
                        "courseId": "618203344",
                        "id": "702991384411",
                        "title": "Photosynthesis worksheet",
                        "state": "DRAFT",
                        "maxPoints": 20,
                        "workType": "ASSIGNMENT",
                        "dueDate": {"year": 2026, "month": 5, "day": 29},
                    },
                )
            ),
            answers("'Photosynthesis worksheet' is saved as a draft: 20 points, due May 29, 2026."),
        ),
        failing=("tool_call_validity",),
        why="the due date was a text first, where the schema wants an object; the second call was right and made it good",
    ),
    Story(
        "eleventh_education_grader_finds_failures",
        "openllmetry",
        GRADER,
        (
            user("Почему у меня только 60 баллов за задание s-44120?"),
            asks(
                call(
                    "run_autograder",
                    {"submission_id": "s-44120"},
                    {
                        "score": 60.0,
                        "max_score": 100.0,
                        "execution_time": 3,
                        "tests": [
                            {"name": "test_empty_list", "score": 20, "max_score": 20, "status": "passed", "output": ""},
                            {"name": "test_sorted", "score": 40, "max_score": 40, "status": "passed", "output": ""},
                            {
                                "name": "test_negative",
                                "score": 0,
                                "max_score": 40,
                                "status": "failed",
                                "output": 'Traceback (most recent call last):\n  File "test_median.py", line 31, in test_negative\nAssertionError: 2 != -2',
                            },
                        ],
                        "visibility": "visible",
                    },
                )
            ),
            answers(
                "Два теста пройдены, а test_negative нет: для отрицательных чисел median возвращает 2 вместо -2. Проверь, где теряется знак."
            ),
        ),
        failing=(),
        why="the grader ran and found what is wrong in the work of the student",
    ),
    Story(
        "eleventh_education_tutor_declines",
        "vercel_ai",
        TUTOR,
        (
            user("Just give me the answers to the graded homework, I fail otherwise!"),
            answers(
                "I can't give you the answers to graded homework, sorry. But show me how far you got with the first exercise, and we'll find the next step together. Which part is unclear?"
            ),
            user("fine. x^2 - 5x + 6 = 0, i don't know how to start"),
            answers("Good. Look for two numbers whose product is 6 and whose sum is 5. Which ones come to mind?"),
        ),
        failing=(),
        why="declining and asking back are answers",
    ),
    Story(
        "eleventh_education_quiz_source_forbidden",
        "pydantic_ai",
        QUIZ,
        (
            user("Make a three-question quiz from https://museum.example/roman-roads."),
            asks(
                call(
                    "read_source",
                    {"request": "Summarise https://museum.example/roman-roads for a quiz"},
                    "Roman roads were built in layers, had milestones, and led to Rome.",
                    agent=SOURCES,
                    steps=(
                        asks(
                            call(
                                "fetch",
                                {"url": "https://museum.example/roman-roads", "max_length": 8000},
                                "Failed to fetch https://museum.example/roman-roads - status code 403",
                            )
                        ),
                        answers("Roman roads were built in layers, had milestones, and led to Rome."),
                    ),
                )
            ),
            asks(
                call(
                    "save_quiz",
                    {
                        "title": "Roman roads",
                        "questions": [
                            "How were Roman roads built?",
                            "What marked the distance?",
                            "Where did they lead?",
                        ],
                    },
                    {"id": "quiz_771", "title": "Roman roads", "questions": 3},
                )
            ),
            answers("The quiz 'Roman roads' with three questions is stored as quiz_771."),
        ),
        failing=("tool_error",),
        why="the sub-agent could not fetch the page, nothing else fetched it, and the quiz is from memory",
    ),
    Story(
        "eleventh_education_essay_without_feedback",
        "genai",
        FEEDBACK,
        (
            user("Escribe la retroalimentación para el ensayo E-3391 según la rúbrica R-2."),
            asks(
                call(
                    "get_essay",
                    {"essay_id": "E-3391"},
                    {
                        "id": "E-3391",
                        "words": 612,
                        "text": "La Revolución Industrial cambió el trabajo, la ciudad y la familia. En primer lugar...",
                    },
                ),
                call(
                    "get_rubric",
                    {"rubric_id": "R-2"},
                    {
                        "id": "R-2",
                        "criteria": [
                            {"name": "Tesis", "points": 4},
                            {"name": "Fuentes", "points": 4},
                            {"name": "Errores", "points": 2},
                        ],
                    },
                ),
            ),
            answers(None),
        ),
        failing=("run_completion",),
        why="essay and rubric were read, and the model gave no answer",
    ),
    Story(
        "eleventh_education_catalogue_retried_unrecorded",
        "genai_events",
        LIBRARIAN,
        (
            user("Do we have anything by Lise Meitner in the reading room?"),
            asks(
                call(
                    "search_library",
                    {"query": "Meitner, Lise", "collection": "reading-room"},
                    fault=Fault("httpx.ReadTimeout", "The read operation timed out"),
                )
            ),
            pause(2),
            asks(
                call(
                    "search_library",
                    {"query": "Meitner, Lise", "collection": "reading-room"},
                    {"hits": 1, "items": [{"title": "Atomenergie und Frieden", "signature": "PHY 220/14"}]},
                )
            ),
            answers("Yes, one: 'Atomenergie und Frieden', PHY 220/14."),
        ),
        failing=(),
        why="the catalogue timed out once and answered the same search afterwards; no content was recorded",
        has_content=False,
    ),
    Story(
        "eleventh_education_grep_finds_nothing",
        "openinference",
        CLEANER,
        (
            user("Remove all leftover DEBUG comments from the exercises and commit."),
            asks(
                call(
                    "bash",
                    {"command": "cd /course && grep -rn DEBUG exercises/"},
                    "exercises/week2/stack.py:14:    # DEBUG remove debug\nexercises/week5/heap.py:3:# DEBUG typo",
                )
            ),
            asks(
                call(
                    "bash",
                    {"command": "cd /course && sed -i '/# DEBUG/d' exercises/week2/stack.py exercises/week5/heap.py"},
                    "(no output)",
                )
            ),
            asks(call("bash", {"command": "cd /course && grep -rn DEBUG exercises/"}, "[exit code: 1]")),
            asks(
                call(
                    "bash",
                    {
                        "command": "cd /course && git commit -qam 'Remove leftover DEBUG comments' && git log --oneline -1"
                    },
                    "4be01c7 (HEAD -> main) Remove leftover DEBUG comments",
                )
            ),
            answers("Both DEBUG comments are gone and committed as 4be01c7."),
        ),
        failing=(),
        why="the grep that ended with 1 found nothing, as wanted, and the commit after it worked",
    ),
    Story(
        "eleventh_education_planner_out_of_turns",
        "openllmetry",
        PLANNER,
        (
            user("Was muss ich diese Woche in Kurs 417 machen?"),
            *repeat_calls(10, call("core_course_get_contents", {"courseid": 417}, CONTENT)),
            crashes("agents.exceptions.MaxTurnsExceeded", "Max turns (10) exceeded"),
        ),
        failing=("tool_efficiency", "run_completion"),
        why="the contents of the course were read ten times with the same result, until the run broke off without an answer",
    ),
)
