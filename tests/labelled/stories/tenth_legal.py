"""Law firms and courts: filings, case law, contracts, signatures, dockets."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import Agent, Story, answers, asks, call, crashes, hosted, model_fails, pause, tool, user

__all__ = ["STORIES"]

EDGAR = Agent(
    "edgar_analyst",
    (
        tool("get_submissions", "Recent filings of a company", cik="string", form="string?"),
        tool("get_filing_text", "Text of an item of a filing", accession_number="string", item="string"),
    ),
    "You answer questions on filings with the SEC.",
    "gpt-4.1",
)
CASES_TOOLS = (
    tool("search_opinions", "Search opinions", q="string", court="string?", order_by="string?"),
    tool("get_opinion", "Text of an opinion", opinion_id="integer"),
)
CASES = Agent("case_law_agent", CASES_TOOLS, "You find case law on CourtListener.", "gpt-4o")
RESEARCHER = Agent("case_researcher", CASES_TOOLS, "You research one question and quote the holding.", "gpt-4o-mini")
BRIEF = Agent(
    "brief_writer",
    (tool("research", "Have a question researched", question="string"),),
    "You write short memos for attorneys.",
    "gpt-4.1",
)
SIGN = Agent(
    "signature_desk",
    (
        tool("get_envelope", "An envelope", envelope_id="string"),
        tool("void_envelope", "Void an envelope", envelope_id="string", voided_reason="string"),
    ),
    "You manage envelopes in DocuSign.",
    "gpt-4.1-mini",
)
LEASES = Agent(
    "lease_reader",
    (tool("search_clauses", "Semantic search in a contract", contract_id="string", query="string", top_k="integer?"),),
    "You answer questions on leases and cite the clause.",
    "gpt-4.1-mini",
)
CRIME = Agent(
    "case_summarizer",
    (tool("get_exhibit", "Text of an exhibit", exhibit_id="string"),),
    "You summarise exhibits for the defence.",
    "gpt-4o",
    "azure.ai.openai",
)
EU = Agent("eu_law_agent", (), "Tu réponds aux questions de droit de l'Union, avec sources.", "gpt-4.1")
REDLINES = Agent(
    "redline_agent",
    (
        tool("find_documents", "Find documents of a matter", matter="string"),
        tool(
            "create_redline", "Propose a change to a clause", document_id="string", clause="string", new_text="string"
        ),
    ),
    "You redline contracts.",
    "gpt-4.1",
)
FILER = Agent(
    "e_filing",
    (
        tool("compute_deadline", "Compute a deadline", event="string", date="string", days="integer"),
        tool("file_motion", "File a motion with the court", case_number="string", motion="string", pdf_id="string"),
    ),
    "You prepare filings. An attorney approves each of them.",
    "gpt-4.1",
)
TRIBUNAL = Agent(
    "consulta_processual",
    (tool("consultar_processo", "Consulta um processo no MNI", numero="string", movimentos="boolean?"),),
    "Você informa advogados sobre o andamento de processos.",
    "gpt-4o-mini",
)

THROTTLED = {"detail": "Request was throttled. Expected available in 21 seconds."}

STORIES = (
    Story(
        "tenth_legal_item_9a_of_the_annual_report",
        "genai",
        EDGAR,
        (
            user("Does Norvane's last 10-K disclose a default or failed controls?"),
            asks(
                call(
                    "get_submissions",
                    {"cik": "0001844321", "form": "10-K"},
                    {
                        "cik": "0001844321",
                        "name": "Norvane Holdings, Inc.",
                        "tickers": ["NRVN"],
                        "filings": {
                            "recent": {
                                "accessionNumber": ["0001844321-26-000014"],
                                "filingDate": ["2026-03-02"],
                                "reportDate": ["2025-12-31"],
                                "form": ["10-K"],
                                "primaryDocument": ["nrvn-20251231.htm"],
                                "isXBRL": [1],
                            },
                            "files": [],
                        },
                    },
                )
            ),
            asks(
                call(
                    "get_filing_text",
                    {"accession_number": "0001844321-26-000014", "item": "9A"},
                    "Item 9A. Controls and Procedures\n\nBased on that evaluation, our Chief Executive Officer concluded that our disclosure controls were not effective because of material weaknesses: we failed to design controls over revenue, and errors in prior periods were not detected.",
                ),
                call(
                    "get_filing_text",
                    {"accession_number": "0001844321-26-000014", "item": "7"},
                    "Item 7. Liquidity. On November 4, 2025 an Event of Default occurred under the Credit Agreement because the Company failed to maintain the Fixed Charge Coverage Ratio. The lenders waived it on December 1, 2025.",
                ),
            ),
            answers(
                "Both. Item 9A reports ineffective controls over revenue, and Item 7 an event of default of November 4, 2025 that the lenders waived on December 1."
            ),
        ),
        failing=(),
        why="the filing speaks of failures and defaults; the look-ups worked",
    ),
    Story(
        "tenth_legal_case_search_throttled_twice",
        "genai_events",
        CASES,
        (
            user("Find the leading Ninth Circuit opinion on browsewrap assent."),
            asks(
                call(
                    "search_opinions",
                    {"q": "browsewrap assent", "court": "ca9", "order_by": "citeCount desc"},
                    THROTTLED,
                )
            ),
            pause(21),
            asks(
                call(
                    "search_opinions",
                    {"q": "browsewrap assent", "court": "ca9", "order_by": "citeCount desc"},
                    THROTTLED,
                )
            ),
            pause(25),
            asks(
                call(
                    "search_opinions",
                    {"q": "browsewrap assent", "court": "ca9", "order_by": "citeCount desc"},
                    {
                        "count": 31,
                        "next": "https://www.courtlistener.com/api/rest/v4/search/?cursor=cz0xMDA",
                        "previous": None,
                        "results": [
                            {
                                "absolute_url": "/opinion/2720211/nguyen-v-barnes-noble-inc/",
                                "caseName": "Nguyen v. Barnes & Noble, Inc.",
                                "citation": ["763 F.3d 1171"],
                                "citeCount": 812,
                                "dateFiled": "2014-08-18",
                                "opinions": [{"id": 2720211, "snippet": "failed to give notice"}],
                            }
                        ],
                    },
                )
            ),
            answers("Nguyen v. Barnes & Noble, Inc., 763 F.3d 1171 (9th Cir. 2014), cited 812 times."),
        ),
        failing=(),
        why="the search was throttled twice and then worked",
    ),
    Story(
        "tenth_legal_completed_envelope_not_voided",
        "vercel_ai",
        SIGN,
        (
            user("Void envelope 93be49ab, the price is wrong."),
            asks(
                call(
                    "get_envelope",
                    {"envelope_id": "93be49ab-3dc8-4b4f-9f0e-c1b2a4f51a20"},
                    {
                        "status": "completed",
                        "emailSubject": "Order form Q3",
                        "envelopeId": "93be49ab-3dc8-4b4f-9f0e-c1b2a4f51a20",
                        "completedDateTime": "2026-06-10T16:20:11.0370000Z",
                        "voidedReason": None,
                    },
                )
            ),
            asks(
                call(
                    "void_envelope",
                    {"envelope_id": "93be49ab-3dc8-4b4f-9f0e-c1b2a4f51a20", "voided_reason": "Wrong price"},
                    {
                        "errorCode": "ENVELOPE_CANNOT_VOID_INVALID_STATE",
                        "message": "Only envelopes in the 'Sent' or 'Delivered' states may be voided.",
                    },
                )
            ),
            answers(
                "Everyone has signed envelope 93be49ab already, so it can't be voided. You need an amendment with the right price."
            ),
        ),
        failing=("tool_error",),
        why="voiding was refused by DocuSign and nothing was voided",
    ),
    Story(
        "tenth_legal_clauses_on_default",
        "pydantic_ai",
        LEASES,
        (
            user("Wann liegt laut Mietvertrag MV-204 ein Zahlungsverzug vor und was folgt daraus?"),
            asks(
                call(
                    "search_clauses",
                    {"contract_id": "MV-204", "query": "Zahlungsverzug Kündigung", "top_k": 3},
                    '[{"clause": "§ 7.2", "score": 0.83, "text": "Kommt der Mieter mit zwei Monatsmieten in Verzug, gilt dies als Fehler im Sinne von § 7 und der Vermieter kann fristlos kündigen."}, {"clause": "§ 7.4", "score": 0.71, "text": "Schlägt die Abbuchung fehl, trägt der Mieter die Kosten der Rücklastschrift."}]',
                )
            ),
            answers(
                "Nach § 7.2 liegt er bei zwei ausstehenden Monatsmieten vor; der Vermieter darf dann fristlos kündigen. Nach § 7.4 zahlt der Mieter auch die Rücklastschrift."
            ),
        ),
        failing=(),
        why="the clauses are about default and failed debits; the search worked",
    ),
    Story(
        "tenth_legal_exhibit_stopped_by_filter",
        "genai_events",
        CRIME,
        (
            user("Summarise exhibit D-14 for me."),
            asks(
                call(
                    "get_exhibit",
                    {"exhibit_id": "D-14"},
                    "EXHIBIT D-14. Report of the medical examiner. The injuries are consistent with ...",
                )
            ),
            model_fails(
                "openai.BadRequestError",
                "Error code: 400 - {'error': {'message': \"The response was filtered due to the prompt triggering Azure OpenAI's content management policy.\", 'type': None, 'param': 'prompt', 'code': 'content_filter', 'status': 400}}",
            ),
            crashes(
                "openai.BadRequestError",
                "Error code: 400 - {'error': {'message': \"The response was filtered due to the prompt triggering Azure OpenAI's content management policy.\", 'type': None, 'param': 'prompt', 'code': 'content_filter', 'status': 400}}",
            ),
        ),
        failing=("run_completion",),
        why="the provider refused the prompt and the run ended with that error",
    ),
    Story(
        "tenth_legal_eu_regulation_searched_by_provider",
        "pydantic_ai",
        EU,
        (
            user("Depuis quand le règlement sur l'IA interdit-il les pratiques de l'article 5 ?"),
            answers(
                "Depuis le 2 février 2025 (article 113, point a, du règlement (UE) 2024/1689).",
                hosted=(
                    hosted(
                        "web_search",
                        {"query": "règlement IA article 5 applicable à partir de"},
                        {
                            "status": "completed",
                            "sources": [
                                {
                                    "title": "Règlement (UE) 2024/1689",
                                    "url": "https://eur-lex.europa.eu/eli/reg/2024/1689/oj",
                                },
                                {"title": "Erreur 404 | Commission", "url": "https://commission.europa.eu/ia-404"},
                            ],
                        },
                    ),
                ),
            ),
        ),
        failing=(),
        why="the provider searched the web; one of the pages found is merely called an error",
    ),
    Story(
        "tenth_legal_redline_without_document",
        "openinference",
        REDLINES,
        (
            user("Cap liability at 2x fees in clause 11 of the Haldor MSA."),
            asks(
                call(
                    "find_documents",
                    {"matter": "Haldor"},
                    [{"document_id": "doc_5521", "title": "Haldor MSA v3.docx"}],
                )
            ),
            asks(
                call(
                    "create_redline",
                    {"clause": "11", "new_text": "Liability is capped at two times the fees paid."},
                    {
                        "type": "text",
                        "text": "Error executing tool create_redline: 1 validation error for create_redlineArguments\ndocument_id\n  Field required [type=missing, input_value={'clause': '11', 'new_te...o times the fees paid.'}, input_type=dict]\n    For further information visit https://errors.pydantic.dev/2.11/v/missing",
                        "annotations": None,
                    },
                )
            ),
            answers("I couldn't write the redline; the tool wants more information. Please add it by hand."),
        ),
        failing=("tool_call_validity", "tool_error"),
        why="the required document_id was left out, the call failed for it and was not repeated",
    ),
    Story(
        "tenth_legal_memo_on_an_unread_opinion",
        "openllmetry",
        BRIEF,
        (
            user("Memo, two sentences: may an employer in Illinois require arbitration of BIPA claims?"),
            asks(
                call(
                    "research",
                    {"question": "Arbitrability of BIPA claims of employees in Illinois"},
                    "Yes. In Harlow v. Quantex Logistics (Ill. App. 2024) the court held that BIPA claims are arbitrable.",
                    agent=RESEARCHER,
                    steps=(
                        asks(
                            call(
                                "search_opinions",
                                {"q": "BIPA arbitration employee", "court": "illappct"},
                                {
                                    "count": 1,
                                    "next": None,
                                    "previous": None,
                                    "results": [
                                        {
                                            "caseName": "Harlow v. Quantex Logistics, LLC",
                                            "dateFiled": "2024-05-17",
                                            "opinions": [{"id": 10412233, "snippet": ""}],
                                        }
                                    ],
                                },
                            )
                        ),
                        asks(
                            call(
                                "get_opinion",
                                {"opinion_id": 10412233},
                                "Error fetching opinion 10412233: 403 Client Error: Forbidden for url: https://www.courtlistener.com/api/rest/v4/opinions/10412233/",
                            )
                        ),
                        answers(
                            "Yes. In Harlow v. Quantex Logistics (Ill. App. 2024) the court held that BIPA claims are arbitrable."
                        ),
                    ),
                )
            ),
            answers(
                "Yes: Illinois courts enforce agreements to arbitrate BIPA claims of employees (Harlow v. Quantex Logistics, Ill. App. 2024). The agreement should name statutory claims expressly."
            ),
        ),
        failing=("tool_error",),
        why="the researcher never got to read the opinion whose holding it reports",
    ),
    Story(
        "tenth_legal_motion_waits_for_attorney",
        "pydantic_ai",
        FILER,
        (
            user("The complaint in 26-cv-01177 was served on June 1. File the motion to dismiss, PDF pdf_81."),
            asks(
                call(
                    "compute_deadline",
                    {"event": "service of complaint", "date": "2026-06-01", "days": 21},
                    {"deadline": "2026-06-22", "falls_on_holiday": False, "warnings": []},
                )
            ),
            asks(
                call(
                    "file_motion",
                    {"case_number": "26-cv-01177", "motion": "dismiss", "pdf_id": "pdf_81"},
                    deferral="ApprovalRequired",
                    is_answered=False,
                )
            ),
        ),
        failing=(),
        why="the filing waits for the approval of a person, as it must",
    ),
    Story(
        "tenth_legal_processo_com_embargos",
        "genai_events",
        TRIBUNAL,
        (
            user("Qual o último andamento do processo 0710802-55.2018.8.02.0001?"),
            asks(
                call(
                    "consultar_processo",
                    {"numero": "07108025520188020001", "movimentos": True},
                    '<ns2:consultarProcessoResposta xmlns:ns2="http://www.cnj.jus.br/servico-intercomunicacao-2.2.2/"><sucesso>true</sucesso><mensagem>Processo consultado com sucesso</mensagem><processo><dadosBasicos numero="07108025520188020001" classeProcessual="7"/><movimento dataHora="20260603141500"><complemento>Embargos de declaração rejeitados: inexistência de erro material, omissão ou falha na decisão</complemento></movimento><movimento dataHora="20260520090000"><complemento>Intimação não cumprida - falha na entrega</complemento></movimento></processo></ns2:consultarProcessoResposta>',
                )
            ),
            answers(
                "Em 3 de junho de 2026 os embargos de declaração foram rejeitados; o juízo não viu erro material nem omissão."
            ),
        ),
        failing=(),
        why="the court's reply says that it succeeded; errors and failures are what the docket speaks of",
    ),
)
