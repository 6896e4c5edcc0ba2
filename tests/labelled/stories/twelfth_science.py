"""Literature, sequences, clusters and laboratories."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import (
    Agent,
    Story,
    answers,
    asks,
    call,
    hands_off,
    hosted,
    pause,
    tool,
    user,
)

__all__ = ["STORIES"]

ESEARCH = tool("entrez_esearch", "Search an NCBI database", db="string", term="string", retmax="integer?")
EFETCH = tool("entrez_efetch", "Fetch records", db="string", id="string", rettype="string?", retmode="string?")
PUBMED = Agent("pubmed_assistant", (ESEARCH, EFETCH), "You search the biomedical literature.", "gpt-4.1")

ARXIV = tool("search_arxiv", "Query export.arxiv.org", search_query="string", start="integer?", max_results="integer?")
PREPRINTS = Agent("preprint_scout", (ARXIV,), "You find preprints.", "gpt-4o-mini")

SACCT = tool("slurm_sacct", "Accounting of a job", job_id="string")
LOGTAIL = tool("read_job_log", "Last lines of a job's log", path="string", lines="integer?")
CLUSTER = Agent("cluster_helpdesk", (SACCT, LOGTAIL), "You help users of a cluster.", "gpt-4.1")

SHELL = tool("run_shell", "Run a command in the workspace", command="string", timeout_s="integer?")
WRITE = tool("write_file", "Write a file", path="string", content="string")
RNASEQ = Agent("rnaseq_analyst", (SHELL, WRITE), "You analyse RNA-seq counts with R.", "claude-sonnet-4-5", "anthropic")

PYTHON = tool("python", "Run Python in the notebook's kernel", code="string")
NOTEBOOK = Agent("notebook_analyst", (PYTHON,), "Tu analyses des données dans un notebook.", "gpt-4.1")

UNIPROT = tool("uniprot_search", "Search UniProtKB", query="string", fields="string?", size="integer?")
PROTEIN = Agent("protein_assistant", (UNIPROT,), "You answer questions on proteins.", "gpt-4.1-mini")

STATS = Agent("statistics_tutor", (), "You explain statistics and compute examples.", "claude-sonnet-4-5", "anthropic")

S2 = tool(
    "semantic_scholar_search",
    "Search Semantic Scholar",
    query="string",
    year="string?",
    limit="integer?",
    fields="string?",
)
CROSSREF = tool("crossref_works", "Search Crossref", query="string", rows="integer?")
S2_AGENT = Agent("citation_counter", (S2,), "You count citations.", "gpt-4.1-mini")
CR_AGENT = Agent("metadata_checker", (CROSSREF,), "You check bibliographic data.", "gpt-4.1-mini")
COUNT = tool("citation_counter", "Ask the citation counter", request="string")
CHECK = tool("metadata_checker", "Ask the metadata checker", request="string")
REVIEW = Agent("review_lead", (COUNT, CHECK), "You lead a literature review and delegate.", "gpt-4.1")

STOCK = tool("lab_inventory", "Stock of a reagent", catalog_number="string")
BOOK = tool(
    "book_instrument",
    "Book an instrument",
    instrument="string",
    start={"type": "string", "format": "date-time"},
    hours="number",
)
PLANNER = Agent("assay_planner", (STOCK,), "You plan assays.", "gpt-4.1")
LABDESK = Agent("lab_desk", (BOOK,), "You book instruments.", "gpt-4.1-mini")

FOLD = tool(
    "predict_structure",
    "Predict a structure",
    sequence="string",
    num_recycles="integer?",
    templates={"type": "array", "items": {"type": "string"}},
)
FOLDING = Agent("folding_agent", (FOLD,), "You run structure predictions.", "gpt-4.1")

EMPTY_FEED = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">\n  <link href="http://arxiv.org/api/query?search_query={q}" rel="self" type="application/atom+xml"/>\n'
    '  <title type="html">ArXiv Query: search_query={q}</title>\n  <id>http://arxiv.org/api/7f1</id>\n  <updated>2026-09-14T00:00:00-04:00</updated>\n'
    '  <opensearch:totalResults xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">0</opensearch:totalResults>\n'
    '  <opensearch:startIndex xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">0</opensearch:startIndex>\n</feed>\n'
)
VARIANTS = (
    "all:frozen AND all:slime AND all:mould AND all:router",
    "all:frozen AND all:slime AND all:mold AND all:router",
    "all:frozen AND all:slime AND all:mould AND all:routing",
    "all:frozen AND all:slime AND all:mold AND all:routing",
    "ti:frozen AND ti:slime AND ti:mould AND all:router",
    "ti:frozen AND ti:slime AND ti:mold AND all:router",
    "ti:frozen AND ti:slime AND ti:mould AND all:routing",
    "abs:frozen AND abs:slime AND abs:mould AND abs:router",
    "abs:frozen AND abs:slime AND abs:mold AND abs:router",
    "abs:frozen AND abs:slime AND abs:mould AND abs:routers",
    "abs:frozen AND abs:slime AND abs:mold AND abs:routers",
    "all:frozen AND all:slime AND all:mould AND all:routers",
    "all:frozen AND all:slime AND all:mold AND all:routers",
    "ti:frozen AND ti:slime AND ti:mold AND all:routers",
)

STORIES = (
    Story(
        "twelfth_science_entrez_backend_down_once",
        "genai",
        PUBMED,
        (
            user("Find the newest randomised trial on semaglutide and sleep apnoea and give me its conclusion."),
            asks(
                call(
                    "entrez_esearch",
                    {
                        "db": "pubmed",
                        "term": "semaglutide AND sleep apnea AND randomized controlled trial[pt]",
                        "retmax": 3,
                    },
                    {
                        "header": {"type": "esearch", "version": "0.3"},
                        "esearchresult": {
                            "ERROR": "Search Backend failed: Unable to open connection to #PMQuerySrv?dbaf=pubmed"
                        },
                    },
                )
            ),
            pause(5),
            asks(
                call(
                    "entrez_esearch",
                    {
                        "db": "pubmed",
                        "term": "semaglutide AND sleep apnea AND randomized controlled trial[pt]",
                        "retmax": 3,
                    },
                    {
                        "header": {"type": "esearch", "version": "0.3"},
                        "esearchresult": {
                            "count": "1",
                            "retmax": "1",
                            "retstart": "0",
                            "idlist": ["41200377"],
                            "translationset": [],
                            "errorlist": {"phrasesnotfound": [], "fieldsnotfound": []},
                            "warninglist": {"phrasesignored": [], "quotedphrasesnotfound": [], "outputmessages": []},
                        },
                    },
                )
            ),
            asks(
                call(
                    "entrez_efetch",
                    {"db": "pubmed", "id": "41200377", "rettype": "abstract", "retmode": "text"},
                    "1. J Sleep Metab. 2026 Aug;12(8):411-20.\n\nWeekly semaglutide in obstructive sleep apnoea: a randomised trial.\n\nLindqvist A, Osei K.\n\nMETHODS: 212 adults who had failed CPAP were randomised. Treatment failure was defined as AHI > 15.\nCONCLUSIONS: Semaglutide lowered the AHI by 14.1 events per hour more than placebo; 9 patients stopped because of adverse events.\n\nPMID: 41200377\n",
                )
            ),
            answers(
                "Lindqvist and Osei (J Sleep Metab, August 2026): semaglutide lowered the AHI by 14.1 events per hour more than placebo."
            ),
        ),
        failing=(),
        why="the backend failed once and the same search then worked; failures in the abstract are medical",
    ),
    Story(
        "twelfth_science_arxiv_fourteen_spellings",
        "genai_events",
        PREPRINTS,
        (
            user("There was a preprint about routers modelled on frozen slime mould. Which one?"),
            *(
                asks(call("search_arxiv", {"search_query": q, "max_results": 5}, EMPTY_FEED.replace("{q}", q)))
                for q in VARIANTS
            ),
            answers("I couldn't find such a preprint on arXiv. Do you remember an author?"),
        ),
        failing=("tool_efficiency",),
        why="fourteen nearly identical searches, all without a result",
    ),
    Story(
        "twelfth_science_job_out_of_memory",
        "genai",
        CLUSTER,
        (
            user("Mein Job 48213377 ist weg. Was ist passiert?"),
            asks(
                call(
                    "slurm_sacct",
                    {"job_id": "48213377"},
                    "JobID           JobName  Partition    Account  AllocCPUS      State ExitCode     MaxRSS     ReqMem    Elapsed\n------------ ---------- ---------- ---------- ---------- ---------- -------- ---------- ---------- ----------\n48213377       assemble        fat     ag-moor         16 OUT_OF_ME+    0:125                  128G   03:12:44\n48213377.ba+      batch                ag-moor         16 OUT_OF_ME+    0:125 134182300K              03:12:44\n48213377.ex+     extern                ag-moor         16  COMPLETED      0:0      1200K              03:12:44\n",
                )
            ),
            asks(
                call(
                    "read_job_log",
                    {"path": "/scratch/moor/slurm-48213377.out", "lines": 3},
                    "[M::ha_pt_gen] peak hash table size exceeded soft limit\n/var/spool/slurmd/job48213377/slurm_script: line 14: 221903 Killed                  hifiasm -o moor -t 16 reads.fq.gz\nslurmstepd: error: Detected 1 oom_kill event in StepId=48213377.batch. Some of the step tasks have been OOM Killed.\n",
                )
            ),
            answers(
                "hifiasm brauchte mehr als die 128 GB und wurde nach gut drei Stunden vom Cluster beendet. Reich ihn mit --mem=256G neu ein."
            ),
        ),
        failing=(),
        why="both lookups worked; the failed job is what was asked about",
    ),
    Story(
        "twelfth_science_deseq_not_installed",
        "openllmetry",
        RNASEQ,
        (
            user("Lance l'analyse différentielle sur counts.tsv, traités contre contrôles."),
            asks(
                call(
                    "run_shell",
                    {"command": "head -3 counts.tsv && wc -l counts.tsv"},
                    "gene\tc1\tc2\tt1\tt2\nENSG00000000003\t679\t448\t873\t408\nENSG00000000005\t0\t0\t0\t0\n   57821 counts.tsv\n",
                )
            ),
            asks(
                call(
                    "write_file",
                    {
                        "path": "de.R",
                        "content": "library(DESeq2)\ncts <- as.matrix(read.delim('counts.tsv', row.names=1))\n# ...\n",
                    },
                    "Wrote 78 bytes to de.R",
                )
            ),
            asks(
                call(
                    "run_shell",
                    {"command": "Rscript de.R", "timeout_s": 600},
                    "Erreur dans library(DESeq2) : aucun package nommé ‘DESeq2’ n'est trouvé\nExécution arrêtée\n[exit status 1]",
                )
            ),
            answers(
                "Le script est prêt dans de.R. DESeq2 n'est pas installé ici et je ne peux rien installer : lance-le là où il l'est."
            ),
        ),
        failing=("tool_error",),
        why="the last action of the run is an R script that failed",
    ),
    Story(
        "twelfth_science_pandas_column_with_space",
        "pydantic_ai",
        NOTEBOOK,
        (
            user("Quelle est la concentration moyenne de nitrates par station en 2025 ?"),
            asks(
                call(
                    "python",
                    {
                        "code": "import pandas as pd\ndf = pd.read_csv('eau_2025.csv', sep=';', decimal=',')\ndf.groupby('station')['nitrates'].mean()"
                    },
                    "---------------------------------------------------------------------------\nKeyError                                  Traceback (most recent call last)\nCell In[1], line 3\n      1 import pandas as pd\n      2 df = pd.read_csv('eau_2025.csv', sep=';', decimal=',')\n----> 3 df.groupby('station')['nitrates'].mean()\n\nKeyError: 'Column not found: nitrates'",
                )
            ),
            asks(
                call(
                    "python", {"code": "df.columns.tolist()"}, "['station', 'date', ' nitrates_mg_l', 'erreur_mesure']"
                )
            ),
            asks(
                call(
                    "python",
                    {"code": "df.groupby('station')[[' nitrates_mg_l', 'erreur_mesure']].mean().round(2)"},
                    "          nitrates_mg_l  erreur_mesure\nstation                              \nAmont             12.41           0.30\nAval              27.86           0.32\nSource             3.07           0.29",
                )
            ),
            answers("En 2025 : Source 3,07 mg/l, Amont 12,41 mg/l, Aval 27,86 mg/l (erreur de mesure d'environ 0,3)."),
        ),
        failing=(),
        why="the wrong column was looked up and the means were computed",
    ),
    Story(
        "twelfth_science_uniprot_field_name",
        "openinference",
        PROTEIN,
        (
            user("How long is human TP53 according to Swiss-Prot?"),
            asks(
                call(
                    "uniprot_search",
                    {
                        "query": "symbol:TP53 AND organism_id:9606 AND reviewed:true",
                        "fields": "accession,length",
                        "size": 1,
                    },
                    'HTTP 400: {"url":"http://rest.uniprot.org/uniprotkb/search","messages":["\'symbol\' is not a valid search field"]}',
                )
            ),
            asks(
                call(
                    "uniprot_search",
                    {
                        "query": "gene_exact:TP53 AND organism_id:9606 AND reviewed:true",
                        "fields": "accession,length",
                        "size": 1,
                    },
                    "Entry\tLength\nP04637\t393\n",
                )
            ),
            answers("393 amino acids (P04637)."),
        ),
        failing=(),
        why="the wrong field was refused once and the right one gave the length",
    ),
    Story(
        "twelfth_science_hosted_tools_with_warnings",
        "openllmetry",
        STATS,
        (
            user("What's the current LTS of R? And fit a power law to 3, 9, 26, 81, 240 with numpy, please."),
            answers(
                "R has no LTS; the current release is 4.5. The values grow by a factor of about 2.99 per step.",
                hosted=(
                    hosted(
                        "web_search",
                        {"query": "current R release LTS"},
                        [
                            {
                                "type": "web_search_result",
                                "title": "R: Error handling changes in 4.5",
                                "url": "https://news.example/r45",
                                "page_age": "April 2026",
                            },
                            {
                                "type": "web_search_result",
                                "title": "The R Project for Statistical Computing",
                                "url": "https://www.r-project.example/",
                                "page_age": None,
                            },
                        ],
                    ),
                    hosted(
                        "code_execution",
                        {"code": "import numpy as np\nnp.polyfit(range(5), np.log([3,9,26,81,240]), 1)"},
                        {
                            "type": "code_execution_result",
                            "stdout": "[1.0951 1.0857]\n",
                            "stderr": "<string>:2: RankWarning: Polyfit may be poorly conditioned\n",
                            "return_code": 0,
                            "content": [],
                        },
                    ),
                ),
            ),
        ),
        failing=(),
        why="the provider ran both tools, which were not offered as functions; a warning with return code 0 is no failure",
    ),
    Story(
        "twelfth_science_citations_from_memory",
        "vercel_ai",
        REVIEW,
        (
            user("For “Gut microbiota and torpor” by Hallgren 2019: DOI and number of citations?"),
            asks(
                call(
                    "citation_counter",
                    {"request": "Citations of Hallgren 2019, Gut microbiota and torpor"},
                    "About 120 citations.",
                    agent=S2_AGENT,
                    steps=(
                        asks(
                            call(
                                "semantic_scholar_search",
                                {
                                    "query": "Gut microbiota and torpor Hallgren",
                                    "year": "2019",
                                    "limit": 1,
                                    "fields": "title,citationCount",
                                },
                                {
                                    "message": "Too Many Requests. Please wait and try again or apply for a key for higher rate limits. https://www.semanticscholar.org/product/api#api-key-form",
                                    "code": "429",
                                },
                            )
                        ),
                        answers("About 120 citations."),
                    ),
                ),
                call(
                    "metadata_checker",
                    {"request": "DOI of Hallgren 2019, Gut microbiota and torpor"},
                    "10.5555/torpor.2019.044",
                    agent=CR_AGENT,
                    steps=(
                        asks(
                            call(
                                "crossref_works",
                                {"query": "Hallgren Gut microbiota and torpor 2019", "rows": 1},
                                {
                                    "status": "ok",
                                    "message-type": "work-list",
                                    "message-version": "1.0.0",
                                    "message": {
                                        "total-results": 4180,
                                        "items": [
                                            {
                                                "DOI": "10.5555/torpor.2019.044",
                                                "title": ["Gut microbiota and torpor"],
                                                "is-referenced-by-count": 96,
                                            }
                                        ],
                                    },
                                },
                            )
                        ),
                        answers("10.5555/torpor.2019.044"),
                    ),
                ),
            ),
            answers("DOI 10.5555/torpor.2019.044, about 120 citations."),
        ),
        failing=("tool_error",),
        why="the only search of the citation counter got a 429 and was not repeated; its number is a guess",
    ),
    Story(
        "twelfth_science_booking_handed_to_lab_desk",
        "pydantic_ai",
        PLANNER,
        (
            user("Plan the ELISA for Thursday, 9 to 13, and book the plate reader."),
            asks(
                call(
                    "lab_inventory",
                    {"catalog_number": "DY206"},
                    {"catalog": "DY206", "in_stock": 2, "expired": 0, "failed_qc": 0, "location": "fridge B"},
                )
            ),
            hands_off(LABDESK),
            asks(
                call(
                    "book_instrument",
                    {"instrument": "plate-reader-2", "start": "2026-09-17T09:00:00+02:00", "hours": 4},
                    {"booking": "B-7719", "status": "confirmed", "conflicts": []},
                )
            ),
            answers("Two kits DY206 are in fridge B, and plate reader 2 is yours on Thursday from 9 to 13 (B-7719)."),
        ),
        failing=(),
        why="the planner handed over to the lab desk, which booked",
    ),
    Story(
        "twelfth_science_templates_as_text",
        "openinference",
        FOLDING,
        (
            user("Fold MKTAYIAKQR with templates 1ABC and 2XYZ, three recycles."),
            asks(
                call(
                    "predict_structure",
                    {"sequence": "MKTAYIAKQR", "num_recycles": 3, "templates": "1ABC,2XYZ"},
                    {
                        "job": "fold-0a71",
                        "status": "COMPLETE",
                        "mean_plddt": 71.3,
                        "templates_used": 0,
                        "pdb": "s3://folds/fold-0a71/rank_001.pdb",
                    },
                )
            ),
            answers("Done: mean pLDDT 71.3, see s3://folds/fold-0a71/rank_001.pdb."),
        ),
        failing=("tool_call_validity",),
        why="templates is a text where the schema asks for an array; the server took it and used no template",
    ),
)
