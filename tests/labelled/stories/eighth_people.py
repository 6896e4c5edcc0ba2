"""Personnel, schools and law."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import Agent, Fault, Story, answers, asks, call, crashes, hands_off, refused, repeat_calls, tool, user

__all__ = ["STORIES"]

BALANCE = tool("get_time_off_balance", "Time off left", worker_id="string")
LEAVE = tool(
    "request_time_off",
    "Request time off",
    worker_id="string",
    start="string",
    end="string",
    type=["vacation", "sick", "parental"],
)
HR = Agent("hr_service_desk", (BALANCE, LEAVE), "You answer questions of employees.", "gpt-4.1")

POSTING = tool(
    "create_job_posting", "Publish a job", title="string", location="string", salary_min="integer", salary_max="integer"
)
RECRUITER = Agent("recruiting_assistant", (POSTING,), "You help recruiters.", "claude-sonnet-4-5", "anthropic")

MAIL = tool("send_mail", "メールを送信する", to="string", subject="string", body="string")
LIST = tool("get_candidates", "候補者の一覧", job_id="string")
SAIYO = Agent("採用アシスタント", (LIST, MAIL), "あなたは採用担当者を支援するアシスタントです。", "gpt-4o")

RUN = tool("run_unit_tests", "Run the tests of an exercise on a submission", submission_id="string")
COMMENT = tool("post_feedback", "Post feedback to a student", submission_id="string", text="string")
GRADER = Agent(
    "exercise_grader",
    (RUN, COMMENT),
    "You give feedback on programming exercises. Do not reveal solutions.",
    "gpt-4.1-mini",
)

PAGE = tool("get_lesson", "A lesson of the course", number="integer")
PLANNER = Agent("study_planner", (PAGE,), "You plan revision for students.", "gpt-4o-mini")

SOLVE = tool("solve_equation", "Solve an equation", equation="string")
MATHS = Agent("maths_tutor", (SOLVE,), "You are a patient maths tutor.", "gpt-4.1")
TRIAGE = Agent("homework_triage", (), "You send pupils to the right tutor.", "gpt-4.1-mini")

CASES = tool("search_opinions", "Search court opinions", q="string", court="string?", filed_after="string?")
OPINION = tool("get_opinion", "The text of an opinion", id="integer")
LAW = Agent(
    "case_law_researcher",
    (CASES, OPINION),
    "You research case law for attorneys. Cite only what you have read.",
    "claude-opus-4-1",
    "anthropic",
)

CONTRACT = tool("lire_contrat", "Lit un contrat", reference="string")
JURISTE = Agent(
    "assistant_juridique", (CONTRACT,), "Tu assistes une juriste d'entreprise.", "mistral-large-latest", "mistral_ai"
)

EMPLOYEE = tool("find_employee", "Find an employee", name="string")
ORG = tool("get_manager", "The manager of an employee", employee_id="string")
ORGCHART = Agent("org_chart_bot", (EMPLOYEE, ORG), "You answer questions on the organisation.", "gpt-4o-mini")

STORIES = (
    Story(
        "eighth_people_leave_overlap_then_booked",
        "genai",
        HR,
        (
            user("Vacation from Aug 4 to Aug 15 please, I'm W-20418. If that collides, start on the 6th."),
            asks(
                call(
                    "get_time_off_balance",
                    {"worker_id": "W-20418"},
                    {"worker_id": "W-20418", "vacation": 14.5, "carry_over_expired": 0},
                )
            ),
            asks(
                call(
                    "request_time_off",
                    {"worker_id": "W-20418", "start": "2025-08-04", "end": "2025-08-15", "type": "vacation"},
                    {
                        "error": "Validation error occurred. The request overlaps with an existing time off entry on 2025-08-05.",
                        "errors": [{"error": "Overlapping request", "field": "days"}],
                    },
                )
            ),
            asks(
                call(
                    "request_time_off",
                    {"worker_id": "W-20418", "start": "2025-08-06", "end": "2025-08-15", "type": "vacation"},
                    {
                        "businessProcess": {"id": "a91", "status": "In Progress", "awaiting": "manager approval"},
                        "days": 8,
                    },
                )
            ),
            answers(
                "The 4th and 5th collide with an entry of yours, so I requested Aug 6 to 15 (8 days). Your manager has to approve it."
            ),
        ),
        failing=(),
        why="the overlapping request was made good by the later dates the user had named",
    ),
    Story(
        "eighth_people_posting_without_salary",
        "genai",
        RECRUITER,
        (
            user("Publish 'Payroll Specialist' in Utrecht, salary 3400 to 4100."),
            asks(
                refused(
                    "create_job_posting",
                    {"title": "Payroll Specialist", "location": "Utrecht", "salary": "3400-4100"},
                    'MCP error -32602: Invalid arguments for tool create_job_posting: [{"code": "invalid_type", "expected": "number", "received": "undefined", "path": ["salary_min"], "message": "Required"}, {"code": "invalid_type", "expected": "number", "received": "undefined", "path": ["salary_max"], "message": "Required"}]',
                )
            ),
            asks(
                call(
                    "create_job_posting",
                    {"title": "Payroll Specialist", "location": "Utrecht", "salary_min": 3400, "salary_max": 4100},
                    {"id": "job_7719", "state": "published", "url": "https://jobs.example/7719"},
                )
            ),
            answers("Published: https://jobs.example/7719"),
        ),
        failing=("tool_call_validity",),
        why="the first call lacks both required salaries and has an unknown property; the second made the error good",
    ),
    Story(
        "eighth_people_mail_ja_not_sent",
        "pydantic_ai",
        SAIYO,
        (
            user("求人J-204の候補者、田中さんに面接のお礼メールを送ってください。"),
            asks(
                call(
                    "get_candidates",
                    {"job_id": "J-204"},
                    [{"id": 31, "name": "田中 美咲", "email": "m.tanaka@example"}],
                )
            ),
            asks(
                call(
                    "send_mail",
                    {
                        "to": "m.tanaka@example",
                        "subject": "面接のお礼",
                        "body": "田中様\n本日はお時間をいただきありがとうございました。",
                    },
                    "エラー: メールの送信に失敗しました。宛先のドメインが見つかりません(550 5.1.2)。",
                )
            ),
            answers(
                "申し訳ありません。宛先のドメインが見つからず、メールを送信できませんでした。アドレスをご確認ください。"
            ),
        ),
        failing=("tool_error",),
        why="the mail could not be sent, as the tool says in Japanese, and no later one was",
    ),
    Story(
        "eighth_people_grader_red_tests",
        "vercel_ai",
        GRADER,
        (
            user("Give feedback on submission s-4471."),
            asks(
                call(
                    "run_unit_tests",
                    {"submission_id": "s-4471"},
                    {
                        "suite": "fizzbuzz",
                        "tests": 12,
                        "passed": 9,
                        "failures": 2,
                        "errors": 1,
                        "cases": [
                            {
                                "name": "test_zero",
                                "outcome": "error",
                                "message": "ZeroDivisionError: integer modulo by zero",
                            },
                            {
                                "name": "test_fifteen",
                                "outcome": "failed",
                                "message": "AssertionError: 'Fizz' != 'FizzBuzz'",
                            },
                            {
                                "name": "test_thirty",
                                "outcome": "failed",
                                "message": "AssertionError: 'Fizz' != 'FizzBuzz'",
                            },
                        ],
                    },
                )
            ),
            asks(
                call(
                    "post_feedback",
                    {
                        "submission_id": "s-4471",
                        "text": "9 of 12 tests pass. Think about numbers that both 3 and 5 divide, and about what happens at zero.",
                    },
                    {"posted": True, "comment_id": 8810},
                )
            ),
            answers("I posted feedback: 9 of 12 pass; the hints are on multiples of 15 and on zero."),
        ),
        failing=(),
        why="the tests ran; that the student's code fails them is their finding",
    ),
    Story(
        "eighth_people_planner_max_turns",
        "openinference",
        PLANNER,
        (
            user("Make me a revision plan for all 40 lessons of biology."),
            *(
                asks(call("get_lesson", {"number": number}, {"number": number, "title": title, "minutes": 35 + number}))
                for number, title in enumerate(
                    (
                        "Cells",
                        "Membranes",
                        "Enzymes",
                        "Respiration",
                        "Photosynthesis",
                        "Mitosis",
                        "Meiosis",
                        "DNA",
                        "Genes",
                    ),
                    1,
                )
            ),
            crashes("agents.exceptions.MaxTurnsExceeded", "Max turns (10) exceeded"),
        ),
        failing=("run_completion",),
        why="the run ended in an exception at its limit of turns, without a plan",
    ),
    Story(
        "eighth_people_maths_handoff",
        "openinference",
        TRIAGE,
        (
            user("can u help me with 2x^2 - 8 = 0"),
            hands_off(MATHS),
            asks(call("solve_equation", {"equation": "2*x**2 - 8 = 0"}, "[-2, 2]")),
            answers(
                "Sure! First add 8 to both sides: 2x² = 8. Now divide by 2. Which numbers give 4 when you square them?"
            ),
        ),
        failing=(),
        why="handed over to the tutor, who answered with a hint",
    ),
    Story(
        "eighth_people_coram_nobis",
        "genai_events",
        LAW,
        (
            user("Does the Ninth Circuit still require 'errors of the most fundamental character' for coram nobis?"),
            asks(
                call(
                    "search_opinions",
                    {"q": '"coram nobis" "most fundamental character"', "court": "ca9", "filed_after": "2024-01-01"},
                    {"count": 0, "next": None, "results": []},
                )
            ),
            asks(
                call(
                    "search_opinions",
                    {"q": '"coram nobis" fundamental error', "court": "ca9"},
                    {
                        "count": 2,
                        "next": None,
                        "results": [
                            {"id": 4401721, "caseName": "United States v. Kroytor"},
                            {"id": 2991102, "caseName": "United States v. Riedl"},
                        ],
                    },
                )
            ),
            asks(
                call(
                    "get_opinion",
                    {"id": 4401721},
                    "OPINION. The writ of error coram nobis affords a remedy to attack an unconstitutional or unlawful conviction. A petitioner must establish that (1) a more usual remedy is not available; (2) valid reasons exist for not attacking the conviction earlier; (3) adverse consequences exist; and (4) the error is of the most fundamental character. Kroytor failed to show valid reasons. The district court did not err. AFFIRMED.",
                )
            ),
            answers("Yes. In United States v. Kroytor the court lists it as the fourth requirement."),
        ),
        failing=(),
        why="an empty search was refined, and the errors are those that the opinion is about",
    ),
    Story(
        "eighth_people_contrat_reponse_vide",
        "openllmetry",
        JURISTE,
        (
            user("Quel est le préavis de résiliation du contrat FR-2023-114 ?"),
            asks(
                call(
                    "lire_contrat",
                    {"reference": "FR-2023-114"},
                    "Article 12 - Résiliation. Chaque partie peut résilier le contrat à tout moment moyennant un préavis de trois (3) mois notifié par lettre recommandée.",
                )
            ),
            answers(""),
        ),
        failing=("run_completion",),
        why="the clause was read and the answer is empty",
    ),
    Story(
        "eighth_people_org_chart_in_circles",
        "pydantic_ai",
        ORGCHART,
        (
            user("Who is at the top of Noor Haddad's reporting line?"),
            *repeat_calls(
                5,
                call(
                    "find_employee",
                    {"name": "Noor Haddad"},
                    {"employee_id": "E-311", "name": "Noor Haddad", "title": "Analyst"},
                ),
                call(
                    "get_manager",
                    {"employee_id": "E-311"},
                    {"employee_id": "E-118", "name": "Tomás Rey", "title": "Head of Analytics"},
                ),
            ),
            answers("Noor Haddad reports to Tomás Rey, Head of Analytics."),
        ),
        failing=("tool_efficiency",),
        why="the same two lookups five times over, with the same results, instead of going up the line",
    ),
    Story(
        "eighth_people_case_service_timeout",
        "openllmetry",
        LAW,
        (
            user("Find recent Delaware Chancery opinions on earn-out disputes."),
            asks(
                call(
                    "search_opinions",
                    {"q": "earn-out dispute", "court": "delch", "filed_after": "2025-01-01"},
                    fault=Fault(
                        "httpx.ReadTimeout",
                        "The read operation timed out",
                        told="Error calling tool 'search_opinions': The read operation timed out",
                    ),
                )
            ),
            asks(
                call(
                    "search_opinions",
                    {"q": "earn-out", "court": "delch", "filed_after": "2025-01-01"},
                    fault=Fault(
                        "httpx.ReadTimeout",
                        "The read operation timed out",
                        told="Error calling tool 'search_opinions': The read operation timed out",
                    ),
                )
            ),
            answers(
                "The case law service timed out twice, so I have no opinions to cite. Please try later; I don't want to name cases from memory."
            ),
        ),
        failing=("tool_error",),
        why="both searches timed out and none worked",
    ),
)
