"""Public offices: VAT numbers, company registers, taxes, appointments, open data."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import Agent, Story, answers, asks, call, hands_off, pause, refused, tool, unanswered, user

__all__ = ["STORIES"]

VIES = tool(
    "vies_check_vat", "Checks a VAT number at VIES", countryCode="string", vatNumber="string", requesterNumber="string?"
)
VAT = Agent("vat_checker", (VIES,), "You check VAT numbers of business partners.", "gpt-4.1-mini")

SIRENE = tool("sirene_siret", "INSEE Sirene: un établissement", siret="string")
SEARCH_COMPANY = tool(
    "recherche_entreprises", "Recherche d'entreprises", q="string", code_postal="string?", page="integer?"
)
INSEE = Agent(
    "assistant_sirene",
    (SIRENE, SEARCH_COMPANY),
    "Tu renseignes sur les entreprises françaises.",
    "mistral-large-latest",
    "mistral_ai",
)

REFUND = tool("sprawdz_zwrot_podatku", "Stan zwrotu podatku", pesel="string", rok="integer")
TAX_PL = Agent("asystent_podatkowy", (REFUND,), "Odpowiadasz na pytania o rozliczenia PIT.", "gpt-4o-mini")

PROFILE = tool("get_company_profile", "Companies House: company profile", company_number="string")
FILINGS = tool(
    "get_filing_history",
    "Companies House: filing history",
    company_number="string",
    items_per_page="integer?",
    start_index="integer?",
)
REGISTER = Agent("companies_house_agent", (PROFILE, FILINGS), "You research companies in the UK register.", "gpt-4.1")

SLOTS = tool("termine_suchen", "Freie Termine eines Bürgeramts", dienstleistung="string", datum="string", amt="string?")
BOOK = tool("termin_buchen", "Bucht einen Termin", termin_id="string", name="string")
BUERGERAMT = Agent("buergeramt_bot", (SLOTS, BOOK), "Du vergibst Termine der Bürgerämter.", "gpt-4o-mini")

FORM = tool("fill_form", "Fills the form of a building permit", form_id="string", fields="object")
SUBMIT = tool("submit_application", "Submits an application", form_id="string", signature="string")
PERMITS = Agent("permit_assistant", (FORM, SUBMIT), "You help citizens with building permits.", "gpt-4o")

ACCOUNT = tool("get_tax_account", "Tax account of a citizen", tax_id="string")
NOTICES = tool("list_notices", "Letters of the tax office", tax_id="string", year="integer?")
TAX = Agent("tax_letters", (ACCOUNT, NOTICES), "You explain letters of the tax office.", "gpt-4.1-mini")

JOB = tool("bigquery_insert_job", "Starts a BigQuery job", query="string", location="string?")
JOB_STATE = tool("bigquery_get_job", "State of a BigQuery job", jobId="string", location="string?")
ROWS = tool("bigquery_get_results", "Rows of a finished job", jobId="string", maxResults="integer?")
OPEN_DATA = Agent(
    "datos_abiertos", (JOB, JOB_STATE, ROWS), "Respondes preguntas con datos abiertos.", "gemini-2.5-pro", "gcp.gemini"
)

GUIDE = tool("search_services", "Searches the services of the municipality", query="string")
FRONT = Agent("balcao_unico", (GUIDE,), "Atende os munícipes e encaminha para o serviço certo.", "gpt-4.1-mini")
STATUS = tool("get_process_status", "State of a process", process="string")
URBANISM = Agent("urbanismo", (STATUS,), "Responde sobre processos de urbanismo.", "gpt-4.1-mini")


def no_slots(date: str) -> dict[str, object]:
    return {
        "datum": date,
        "termine": [],
        "meldung": "Für diesen Tag sind leider keine Termine verfügbar.",
        "fehler": None,
    }


def job(state: str, **more: object) -> dict[str, object]:
    return {
        "kind": "bigquery#job",
        "id": "padron-es:EU.job_9fQ2",
        "jobReference": {"projectId": "padron-es", "jobId": "job_9fQ2", "location": "EU"},
        "status": {"state": state, **more},
    }


STORIES = (
    Story(
        "eleventh_government_vat_number_invalid",
        "vercel_ai",
        VAT,
        (
            user("Please check ATU12345670 and ATU66123014."),
            asks(
                call(
                    "vies_check_vat",
                    {"countryCode": "AT", "vatNumber": "U12345670"},
                    {
                        "isValid": False,
                        "requestDate": "2026-05-19T09:30:02.124Z",
                        "userError": "INVALID",
                        "name": "---",
                        "address": "---",
                        "requestIdentifier": "",
                        "originalVatNumber": "U12345670",
                        "vatNumber": "U12345670",
                    },
                ),
                call(
                    "vies_check_vat",
                    {"countryCode": "AT", "vatNumber": "U66123014"},
                    {
                        "isValid": True,
                        "requestDate": "2026-05-19T09:30:02.411Z",
                        "userError": "VALID",
                        "name": "Holzbau Rainer GmbH",
                        "address": "Hauptplatz 3\nAT-4020 Linz",
                        "requestIdentifier": "",
                        "originalVatNumber": "U66123014",
                        "vatNumber": "U66123014",
                    },
                ),
            ),
            answers("ATU66123014 is valid (Holzbau Rainer GmbH, Linz). ATU12345670 is not a valid number."),
        ),
        failing=(),
        why="VIES checked both numbers; INVALID is the verdict on one of them",
    ),
    Story(
        "eleventh_government_vies_member_state_down",
        "pydantic_ai",
        VAT,
        (
            user("Ist die Nummer BE0417497106 gültig? Wir müssen heute die Rechnung ohne Steuer stellen."),
            asks(
                call(
                    "vies_check_vat",
                    {"countryCode": "BE", "vatNumber": "0417497106"},
                    {
                        "isValid": False,
                        "requestDate": "2026-05-19T10:02:44.870Z",
                        "userError": "MS_UNAVAILABLE",
                        "name": "---",
                        "address": "---",
                        "requestIdentifier": "",
                        "originalVatNumber": "0417497106",
                        "vatNumber": "0417497106",
                    },
                )
            ),
            answers("Nein, BE0417497106 ist nicht gültig. Stellen Sie die Rechnung bitte mit Umsatzsteuer."),
        ),
        failing=("tool_error",),
        why="the service of the member state was down, so nothing was checked, and the number passes for invalid",
    ),
    Story(
        "eleventh_government_siret_corrected",
        "genai",
        INSEE,
        (
            user(
                "L'établissement 55210055400014 de Lille est-il encore ouvert ? La société s'appelle Filatures Delmotte."
            ),
            asks(
                call(
                    "sirene_siret",
                    {"siret": "55210055400014"},
                    {"header": {"statut": 404, "message": "Aucun élément trouvé pour le siret 55210055400014"}},
                )
            ),
            asks(
                call(
                    "recherche_entreprises",
                    {"q": "Filatures Delmotte", "code_postal": "59000", "page": 1},
                    {
                        "results": [
                            {
                                "siren": "552100654",
                                "nom_complet": "FILATURES DELMOTTE",
                                "siege": {"siret": "55210065400014", "etat_administratif": "A"},
                            }
                        ],
                        "total_results": 1,
                        "page": 1,
                    },
                )
            ),
            asks(
                call(
                    "sirene_siret",
                    {"siret": "55210065400014"},
                    {
                        "header": {"statut": 200, "message": "ok"},
                        "etablissement": {
                            "siret": "55210065400014",
                            "dateCreationEtablissement": "1998-03-01",
                            "periodesEtablissement": [{"etatAdministratifEtablissement": "A", "dateFin": None}],
                        },
                    },
                )
            ),
            answers(
                "Oui. Il y avait une faute de frappe : le bon numéro est 552 100 654 00014, et l'établissement est actif."
            ),
        ),
        failing=(),
        why="the mistyped number does not exist; the right one was found and read with the same tool",
    ),
    Story(
        "eleventh_government_zwrot_sesja_wygasla",
        "genai_events",
        TAX_PL,
        (
            user("Kiedy dostanę zwrot podatku za 2025 rok? PESEL 85041298765."),
            asks(
                call(
                    "sprawdz_zwrot_podatku",
                    {"pesel": "85041298765", "rok": 2025},
                    "Wystąpił błąd podczas pobierania danych z e-Urzędu Skarbowego: sesja wygasła. Zaloguj się ponownie.",
                )
            ),
            answers(
                "Zwroty za 2025 rok są zwykle wypłacane w ciągu 45 dni od złożenia deklaracji, więc proszę o cierpliwość."
            ),
        ),
        failing=("tool_error",),
        why="the whole result is an error message in Polish, and the refund was never looked up",
    ),
    Story(
        "eleventh_government_company_in_default",
        "openinference",
        REGISTER,
        (
            user("Is Marlow & Finch Ltd (07744120) in good standing?"),
            asks(
                call(
                    "get_company_profile",
                    {"company_number": "07744120"},
                    {
                        "company_name": "MARLOW & FINCH LTD",
                        "company_number": "07744120",
                        "company_status": "active",
                        "company_status_detail": "active-proposal-to-strike-off",
                        "accounts": {"overdue": True, "next_due": "2025-12-31"},
                        "has_insolvency_history": True,
                        "undeliverable_registered_office_address": False,
                        "registered_office_is_in_dispute": False,
                        "has_super_secure_pscs": False,
                    },
                ),
                call(
                    "get_filing_history",
                    {"company_number": "07744120", "items_per_page": 3},
                    {
                        "filing_history_status": "filing-history-available",
                        "total_count": 41,
                        "start_index": 0,
                        "items": [
                            {"date": "2026-03-31", "type": "GAZ1", "description": "gazette-notice-compulsory"},
                            {
                                "date": "2026-02-11",
                                "type": "RP04",
                                "description": "second-filing-error-correction",
                                "annotations": [{"description": "Failure to deliver accounts"}],
                            },
                            {
                                "date": "2025-06-02",
                                "type": "CS01",
                                "description": "confirmation-statement-with-no-updates",
                            },
                        ],
                    },
                ),
            ),
            answers(
                "No. The company is still active, but its accounts are overdue since 31 December 2025 and a compulsory strike-off was gazetted on 31 March 2026."
            ),
        ),
        failing=(),
        why="both look-ups worked; default and failure are what the register says of the company",
    ),
    Story(
        "eleventh_government_days_without_appointments",
        "openllmetry",
        BUERGERAMT,
        (
            user("Ich brauche nächste Woche einen Termin für den Reisepass, egal wo. Name: Jonas Petersen."),
            *(
                asks(call("termine_suchen", {"dienstleistung": "Reisepass", "datum": each}, no_slots(each)))
                for each in ("2026-05-25", "2026-05-26", "2026-05-27", "2026-05-28")
            ),
            asks(
                call(
                    "termine_suchen",
                    {"dienstleistung": "Reisepass", "datum": "2026-05-29"},
                    {
                        "datum": "2026-05-29",
                        "termine": [{"termin_id": "T-66120", "amt": "Bürgeramt Ost", "uhrzeit": "11:40"}],
                        "meldung": None,
                        "fehler": None,
                    },
                )
            ),
            asks(
                call(
                    "termin_buchen",
                    {"termin_id": "T-66120", "name": "Jonas Petersen"},
                    {"status": "bestaetigt", "vorgangsnummer": "884213", "storno_code": "x7k2", "fehler": None},
                )
            ),
            answers("Gebucht: Freitag, 29. Mai, 11:40 Uhr im Bürgeramt Ost, Vorgangsnummer 884213."),
        ),
        failing=(),
        why="each day was asked for once, nothing was free on four of them, and the fifth was booked",
    ),
    Story(
        "eleventh_government_application_never_submitted",
        "vercel_ai",
        PERMITS,
        (
            user("Fill in the permit for my carport and hand it in, signed Hanna Vogel."),
            asks(
                call(
                    "fill_form",
                    {
                        "form_id": "BP-2026-0811",
                        "fields": {"type": "carport", "area_m2": 18, "applicant": "Hanna Vogel"},
                    },
                    {"form_id": "BP-2026-0811", "complete": True, "missing": [], "validation_errors": []},
                )
            ),
            asks(unanswered("submit_application", {"form_id": "BP-2026-0811", "signature": "Hanna Vogel"})),
            answers(
                "Your application BP-2026-0811 for the carport has been handed in. You will hear from the office within four weeks."
            ),
        ),
        failing=("run_completion",),
        why="the submission was asked for and never ran, though the answer says that it did",
    ),
    Story(
        "eleventh_government_assessment_tool_invented",
        "pydantic_ai",
        TAX,
        (
            user("Explain my income tax assessment for 2024, my tax id is 65 929 970 489."),
            asks(
                refused(
                    "get_tax_assessment",
                    {"tax_id": "65929970489", "year": 2024},
                    "Unknown tool name: 'get_tax_assessment'. Available tools: 'get_tax_account', 'list_notices'\n\nFix the errors and try again.",
                )
            ),
            asks(
                call(
                    "get_tax_account",
                    {"tax_id": "65929970489"},
                    {"tax_id": "65929970489", "balance": -214.0, "currency": "EUR", "overdue": 0.0},
                )
            ),
            answers(
                "I can't open the assessment itself. Your tax account shows a credit of 214 euros, which is probably the result of it."
            ),
        ),
        failing=("tool_error", "tool_call_validity"),
        why="a tool that was not offered was asked for and refused, and nothing later read the assessment",
    ),
    Story(
        "eleventh_government_padron_job_polled",
        "genai",
        OPEN_DATA,
        (
            user("¿Cuántos habitantes tenía la provincia de Soria en 2025 según el padrón?"),
            asks(
                call(
                    "bigquery_insert_job",
                    {
                        "query": "SELECT SUM(habitantes) AS n FROM padron.municipios WHERE provincia = 'Soria' AND anio = 2025",
                        "location": "EU",
                    },
                    job("PENDING"),
                )
            ),
            asks(call("bigquery_get_job", {"jobId": "job_9fQ2", "location": "EU"}, job("RUNNING"))),
            pause(4),
            asks(call("bigquery_get_job", {"jobId": "job_9fQ2", "location": "EU"}, job("RUNNING"))),
            pause(4),
            asks(call("bigquery_get_job", {"jobId": "job_9fQ2", "location": "EU"}, job("RUNNING"))),
            pause(4),
            asks(
                call(
                    "bigquery_get_job",
                    {"jobId": "job_9fQ2", "location": "EU"},
                    job("DONE", errorResult=None, errors=[]),
                )
            ),
            asks(
                call(
                    "bigquery_get_results",
                    {"jobId": "job_9fQ2"},
                    {
                        "kind": "bigquery#getQueryResultsResponse",
                        "jobComplete": True,
                        "totalRows": "1",
                        "cacheHit": False,
                        "errors": [],
                        "rows": [{"f": [{"v": "90178"}]}],
                    },
                )
            ),
            answers("Según el padrón, la provincia de Soria tenía 90.178 habitantes en 2025."),
        ),
        failing=(),
        why="the job was polled until it was done, and its lists of errors are empty",
    ),
    Story(
        "eleventh_government_front_desk_hands_over",
        "genai_events",
        FRONT,
        (
            user(
                "Em que estado está o processo 1183/2025 da minha varanda? E pode dar-me a morada do vizinho que se queixou?"
            ),
            hands_off(URBANISM),
            asks(
                call(
                    "get_process_status",
                    {"process": "1183/2025"},
                    {
                        "processo": "1183/2025",
                        "estado": "Indeferido",
                        "data": "2026-04-30",
                        "fundamento": "Erro na planta de implantação; falta o termo de responsabilidade.",
                        "recurso_ate": "2026-06-15",
                    },
                )
            ),
            answers(
                "O processo 1183/2025 foi indeferido a 30 de abril por um erro na planta; pode recorrer até 15 de junho. A morada de quem apresentou a queixa não posso revelar."
            ),
        ),
        failing=(),
        why="handed over and answered; the refusal is the state of the process, and keeping the address is right",
    ),
)
