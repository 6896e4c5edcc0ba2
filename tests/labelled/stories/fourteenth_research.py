"""Literature, scraping, data sets, notebooks."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import Agent, Story, Tool, answers, asks, call, hosted, pause, tool, user

__all__ = ["STORIES"]

ESEARCH = tool("pubmed_esearch", "Searches PubMed, XML", term="string", retmax="integer?")
PUBMED = Agent("pubmed_agent", (ESEARCH,), "You search PubMed.", "gpt-4.1")

S2 = tool("search_semantic_scholar", "Searches Semantic Scholar", query="string", limit="integer?", fields="string?")
ARXIV = tool("search_arxiv", "Searches arXiv", query="string", max_results="integer?")
SURVEY = Agent("survey_writer", (S2, ARXIV), "You write short surveys with citation counts where possible.", "gpt-4.1")

SCRAPE = tool("firecrawl_batch_scrape", "Scrapes pages", urls="string[]", formats="string[]")
SCRAPER = Agent("price_scraper", (SCRAPE,), "You read pages of shops.", "gpt-4.1-mini")

LIBRARY = tool("search_library", "Searches the library's own holdings", title="string")
LIBRARIAN = Agent("fachreferentin", (LIBRARY,), "Du berätst Leserinnen einer Bibliothek.", "gpt-4.1")

READER = Agent("page_reader", (), "You read pages for people.", "claude-sonnet-4-5", "anthropic")

PAPERS = Tool(
    "search_papers",
    "Searches papers on arXiv",
    {
        "type": "object",
        "properties": {
            "query": {"type": "string"},
            "max_results": {"type": "integer", "minimum": 1, "maximum": 50},
            "sort_by": {"type": "string", "enum": ["relevance", "date"]},
            "categories": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["query"],
        "additionalProperties": False,
    },
)
ARXIV_MCP = Agent("arxiv_reader", (PAPERS,), "You find papers.", "gpt-4o")

CROSSREF = tool("crossref_work", "Metadata of a DOI", doi="string")
CITATIONS = Agent("citation_checker", (CROSSREF,), "Tu vérifies des bibliographies.", "gpt-4.1-mini")

GBIF = tool(
    "gbif_occurrences",
    "Occurrences of a species",
    taxon_key="integer",
    country="string",
    offset="integer",
    limit="integer?",
)
BIOLOGIST = Agent("field_biologist", (GBIF,), "You count observations.", "gpt-4.1-mini")

CELL = tool("execute_code_cell", "Runs code in the notebook", code="string")
NOTEBOOK = Agent("notebook_agent", (CELL,), "You analyse data in a notebook.", "gpt-4.1")

ABSTRACT = tool("get_abstract", "Abstract of a paper", pmid="string")
TOXICOLOGY = Agent("tox_reviewer", (ABSTRACT,), "You summarise toxicology.", "gpt-4o")


def occurrences(offset: int, *places: str, is_last: bool = False) -> dict[str, object]:
    return {
        "offset": offset,
        "limit": 300,
        "endOfRecords": is_last,
        "count": 1033,
        "results": [
            {"key": 4_011_200_000 + offset + at, "locality": place, "issues": []} for at, place in enumerate(places)
        ],
        "facets": [],
    }


STORIES = (
    Story(
        "fourteenth_research_phrase_not_found",
        "genai",
        PUBMED,
        (
            user("Are there studies on nordazepam withdrawal in horses?"),
            asks(
                call(
                    "pubmed_esearch",
                    {"term": "nordazepam withdrawl equine"},
                    '<?xml version="1.0" encoding="UTF-8" ?>\n<eSearchResult><Count>0</Count><RetMax>0</RetMax><RetStart>0</RetStart><IdList/>'
                    "<TranslationSet/><QueryTranslation/><ErrorList><PhraseNotFound>withdrawl</PhraseNotFound></ErrorList>"
                    "<WarningList><OutputMessage>No items found.</OutputMessage></WarningList></eSearchResult>",
                )
            ),
            asks(
                call(
                    "pubmed_esearch",
                    {"term": "(nordazepam OR benzodiazepine) AND withdrawal AND horses", "retmax": 5},
                    '<?xml version="1.0" encoding="UTF-8" ?>\n<eSearchResult><Count>2</Count><RetMax>2</RetMax><RetStart>0</RetStart>'
                    "<IdList><Id>31120877</Id><Id>28450191</Id></IdList><TranslationSet/></eSearchResult>",
                )
            ),
            answers(
                "On nordazepam itself I found nothing; two papers deal with benzodiazepine withdrawal in horses: PMID 31120877 and 28450191."
            ),
        ),
        failing=(),
        why="a misspelt phrase was not found, the second search found two papers",
    ),
    Story(
        "fourteenth_research_citations_never_came",
        "pydantic_ai",
        SURVEY,
        (
            user("Three key papers on retrieval for long documents, with their citation counts."),
            asks(
                call(
                    "search_semantic_scholar",
                    {"query": "retrieval long documents", "limit": 10, "fields": "title,citationCount"},
                    {
                        "message": "Too Many Requests. Please wait and try again or apply for a key for higher rate limits.",
                        "code": "429",
                    },
                )
            ),
            pause(3),
            asks(
                call(
                    "search_semantic_scholar",
                    {"query": "retrieval long documents", "limit": 3, "fields": "title,citationCount"},
                    {
                        "message": "Too Many Requests. Please wait and try again or apply for a key for higher rate limits.",
                        "code": "429",
                    },
                )
            ),
            asks(
                call(
                    "search_arxiv",
                    {"query": 'all:retrieval AND all:"long documents"', "max_results": 3},
                    [
                        {"id": "2404.01122", "title": "Hierarchical Retrieval over Long Documents"},
                        {"id": "2310.08319", "title": "Late Chunking Revisited"},
                        {"id": "2502.11780", "title": "Do Long Contexts Replace Retrieval?"},
                    ],
                )
            ),
            answers(
                "1. Hierarchical Retrieval over Long Documents (2404.01122)\n2. Late Chunking Revisited (2310.08319)\n"
                "3. Do Long Contexts Replace Retrieval? (2502.11780)"
            ),
        ),
        failing=("tool_error",),
        why="Semantic Scholar was over its rate both times, so the citation counts are missing without a word",
    ),
    Story(
        "fourteenth_research_one_page_scraped_later",
        "openinference",
        SCRAPER,
        (
            user("Collect the price of the Bialetti Brikka at kaffee.example, moka.example and bohne.example."),
            asks(
                call(
                    "firecrawl_batch_scrape",
                    {
                        "urls": [
                            "https://kaffee.example/brikka",
                            "https://moka.example/p/brikka",
                            "https://bohne.example/brikka-4",
                        ],
                        "formats": ["markdown"],
                    },
                    {
                        "success": True,
                        "status": "completed",
                        "completed": 2,
                        "total": 3,
                        "data": [
                            {
                                "markdown": "# Brikka 4 Tassen\n**44,90 €**",
                                "metadata": {"statusCode": 200, "sourceURL": "https://kaffee.example/brikka"},
                            },
                            {
                                "markdown": "# Brikka\n46,50 €",
                                "metadata": {"statusCode": 200, "sourceURL": "https://moka.example/p/brikka"},
                            },
                        ],
                        "errors": [
                            {
                                "url": "https://bohne.example/brikka-4",
                                "error": "SCRAPE_TIMEOUT: The scrape operation timed out",
                            }
                        ],
                    },
                )
            ),
            asks(
                call(
                    "firecrawl_batch_scrape",
                    {"urls": ["https://bohne.example/brikka-4"], "formats": ["markdown"]},
                    {
                        "success": True,
                        "status": "completed",
                        "completed": 1,
                        "total": 1,
                        "data": [
                            {
                                "markdown": "# Bialetti Brikka 4\nNur 42,99 €",
                                "metadata": {"statusCode": 200, "sourceURL": "https://bohne.example/brikka-4"},
                            }
                        ],
                        "errors": [],
                    },
                )
            ),
            answers(
                "bohne.example is the cheapest at 42.99 euros, then kaffee.example (44.90) and moka.example (46.50)."
            ),
        ),
        failing=(),
        why="the page that timed out in the batch was scraped by the next call",
    ),
    Story(
        "fourteenth_research_not_held_but_on_the_web",
        "openllmetry",
        LIBRARIAN,
        (
            user("Habt ihr „Fehler im System“ von M. Quast, und falls nicht: wann ist es erschienen?"),
            asks(
                call(
                    "search_library",
                    {"title": "Fehler im System"},
                    '<searchRetrieveResponse xmlns="http://www.loc.gov/zing/srw/"><version>1.1</version><numberOfRecords>0</numberOfRecords>'
                    "<records/></searchRetrieveResponse>",
                )
            ),
            answers(
                "Wir haben das Buch nicht. Erschienen ist es im März 2024 im Verlag Halm & Söhne.",
                hosted=(
                    hosted(
                        "web_search",
                        {"query": 'Quast "Fehler im System" Erscheinungsdatum'},
                        [
                            {
                                "title": "Fehler im System | Halm & Söhne",
                                "url": "https://halm.example/quast-fehler",
                                "page_age": "2 years ago",
                            }
                        ],
                    ),
                ),
            ),
        ),
        failing=(),
        why="the library has no copy, and the provider's search found the date",
    ),
    Story(
        "fourteenth_research_page_not_accessible",
        "genai",
        READER,
        (
            user("What does https://stadtwerke.example/tarife-2027.pdf say about the base price?"),
            answers(
                "I could not open this document, so I can't tell you the base price. Could you upload the PDF here?",
                hosted=(
                    hosted(
                        "web_fetch",
                        {"url": "https://stadtwerke.example/tarife-2027.pdf"},
                        {"type": "web_fetch_tool_error", "error_code": "url_not_accessible"},
                    ),
                ),
            ),
        ),
        failing=("tool_error",),
        why="the only call, run by the provider, failed to open the page",
    ),
    Story(
        "fourteenth_research_order_that_is_not_offered",
        "openllmetry",
        ARXIV_MCP,
        (
            user("Find the most cited papers on test-time training."),
            asks(
                call(
                    "search_papers",
                    {"query": "test-time training", "max_results": 3, "sort_by": "citations", "categories": ["cs.LG"]},
                    [
                        {
                            "type": "text",
                            "text": '{\n  "total_results": 3,\n  "papers": [\n    {"id": "1909.13231", "title": "Test-Time Training with Self-Supervision"},\n'
                            '    {"id": "2407.04620", "title": "Learning to Learn at Test Time"},\n'
                            '    {"id": "2411.07279", "title": "Test-Time Training for Abstract Reasoning"}\n  ]\n}',
                        }
                    ],
                )
            ),
            answers("The three are 1909.13231, 2407.04620 and 2411.07279."),
        ),
        failing=("tool_call_validity",),
        why='"citations" is none of the orders that the schema lists, although the server answered',
    ),
    Story(
        "fourteenth_research_retracted_paper",
        "genai_events",
        CITATIONS,
        (
            user("La référence 10.5555/jfa.2019.0112 est-elle encore valable ?"),
            asks(
                call(
                    "crossref_work",
                    {"doi": "10.5555/jfa.2019.0112"},
                    {
                        "status": "ok",
                        "message-type": "work",
                        "message-version": "1.0.0",
                        "message": {
                            "DOI": "10.5555/jfa.2019.0112",
                            "title": ["RETRACTED: Failure modes of polymer anchors"],
                            "update-to": [],
                            "updated-by": [
                                {
                                    "type": "retraction",
                                    "label": "Retraction",
                                    "DOI": "10.5555/jfa.2022.0009",
                                    "reason": ["Error in Data", "Unreliable Results"],
                                }
                            ],
                        },
                    },
                )
            ),
            answers(
                "Non : l'article a été rétracté en 2022 (10.5555/jfa.2022.0009) pour erreur dans les données et résultats non fiables."
            ),
        ),
        failing=(),
        why="the errors are those of the paper, and the lookup worked",
    ),
    Story(
        "fourteenth_research_pages_of_observations",
        "vercel_ai",
        BIOLOGIST,
        (
            user("In which places was the hoopoe seen in Switzerland? Look at all records."),
            asks(
                call(
                    "gbif_occurrences",
                    {"taxon_key": 2480242, "country": "CH", "offset": 0, "limit": 300},
                    occurrences(0, "Leuk", "Sion"),
                )
            ),
            asks(
                call(
                    "gbif_occurrences",
                    {"taxon_key": 2480242, "country": "CH", "offset": 300, "limit": 300},
                    occurrences(300, "Sion", "Martigny"),
                )
            ),
            asks(
                call(
                    "gbif_occurrences",
                    {"taxon_key": 2480242, "country": "CH", "offset": 600, "limit": 300},
                    occurrences(600, "Leuk", "Sion"),
                )
            ),
            asks(
                call(
                    "gbif_occurrences",
                    {"taxon_key": 2480242, "country": "CH", "offset": 900, "limit": 300},
                    occurrences(900, "Leuk", "Chur", is_last=True),
                )
            ),
            answers("In the 1,033 records: Leuk, Sion, Martigny and Chur."),
        ),
        failing=(),
        why="four pages of the same list, up to the end of the records",
    ),
    Story(
        "fourteenth_research_cell_fixed",
        "openinference",
        NOTEBOOK,
        (
            user("Plot failures per week from incidents.csv."),
            asks(
                call(
                    "execute_code_cell",
                    {
                        "code": "import pandas as pd\ndf = pd.read_csv('incidents.csv')\ndf.groupby('week').failures.sum()"
                    },
                    "---------------------------------------------------------------------------\nKeyError                                  "
                    "Traceback (most recent call last)\nCell In[1], line 3\n----> 3 df.groupby('week').failures.sum()\n\nKeyError: 'week'",
                )
            ),
            asks(
                call(
                    "execute_code_cell",
                    {
                        "code": "df['week'] = pd.to_datetime(df['opened']).dt.isocalendar().week\n"
                        "df.groupby('week').failures.sum().plot.bar(); print(df.failures.sum())"
                    },
                    [{"type": "text", "text": "212\n"}, {"type": "text", "text": "[Image output: 640x480 png]"}],
                )
            ),
            answers(
                "Here is the plot: 212 failures in all. The file has no column for the week, so I computed it from the date of opening."
            ),
        ),
        failing=(),
        why="the first cell raised, the corrected one ran and drew the plot",
    ),
    Story(
        "fourteenth_research_summary_withheld",
        "genai_events",
        TOXICOLOGY,
        (
            user("Summarise PMID 30219011 for our safety seminar."),
            asks(
                call(
                    "get_abstract",
                    {"pmid": "30219011"},
                    "Exposure to organophosphates in greenhouse workers: a cohort study. We followed 412 workers over six years ...",
                )
            ),
            answers(
                "The study followed 412 greenhouse workers over six years. Exposure to organophosphates",
                "content_filter",
            ),
        ),
        failing=("run_completion",),
        why="the content filter cut the summary off in its second sentence",
    ),
)
