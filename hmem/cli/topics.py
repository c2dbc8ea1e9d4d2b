"""The texts of `hmem help TOPIC`. The first line says what a topic is about; lines fit into 80 columns."""

FILTERS = """\
Filters: which chunks may be found. They hold before any arm ranks.

  -w 'KEY OP VALUE'   OP is one of  =  !=  <  <=  >  >=  ~  (~ is a glob)
  -w A -w B           both must hold
  -w 'key=a,b'        any of the values; a list matches if an element does
  -w 'key!=a,b'       none of them; also true where the key is missing,
                      where every other OP is false
  -w 'key~a*'         * is anything, ? one sign, [ab] one of them, {a,b} either,
                      \\* a star
  -w "key='a, b'"     quotes keep commas and blanks

Keys are those of your front matter, nested ones dotted (`owner.team`), and
  collection path name ext lang kind title heading symbol tags size mtime
  created updated
`meta.KEY` is always the document's own key, also where it is called like one
of these. `hmem ls --keys` lists the keys that there are, with examples. A key
that nothing has is an error, not an empty answer.

Numbers compare as numbers, sizes may end in k, M or G, dates as dates:
  2025-03-31   2025-03   '2025-03-31 10:15'   7d   '2 weeks ago'   yesterday
A date names a stretch of time: updated=2025-03 is any day of that March.
Whether a key is a number, a date, yes or no, text or a list is what its values
are; text compares letter by letter, `=` and `~` regard case.

Shorter:
  --in PATH           below a directory or a file, from where you are, else
                      inside a collection; one that is nowhere is an error
  -g '**/*.md'        paths that match, as ignore files write them: * stays in
                      a folder, ** does not; -g '!drafts/**' leaves some out
  --lang python       --kind note|wiki|code|text       -c COLLECTION
  --since 30d         --until 2025-03-31               (the key `updated`)

What its front matter retires is left out: a `status` of superseded, expired,
deprecated, obsolete, retracted or withdrawn, `superseded_by`, a past `expires`
or `valid_until`, and what another document names in `supersedes`.
  --all-states        shows it too; hits then say their state
  --as-of 2025-03-31  as the memory stood at that date: without what was
                      created or became valid later, with what has been
                      superseded or has expired since

`[search] where = [...]` in your config.toml is a filter on every search;
`--no-default-where` lifts it for one.

Examples:
  hmem search 'retry policy' -w service=billing -w 'status!=draft' --since 30d
  hmem search handler -w 'path~src/**/*.py' -w 'size<20k'
  hmem search deploy --kind wiki --in wiki -g '!**/old/**'
  hmem ls --keys
"""

RANKING = """\
Ranking: how the order of the hits comes about, and how to turn it.

Arms look at the same chunks and each make a list of their own:
  bm25       words of the chunk and its headings, names, folders
  document   words of the whole file
  dense      meaning: the angle between the query's and the chunk's vector
  entity     rare names (`E4127`, `pool_max`, `pool.py`): a bounded boost
  time       how near to the time that the query names: a bounded boost

--fusion convex (the default): every list is brought to 0..1, then
    score = (1 - alpha) * lexical + alpha * dense
--fusion rrf: the textbook formula over ranks,
    score = sum of weight / (rrf-k + rank)

Words of time: `now`, `currently`, `latest` put the newest first; `in March
2025`, `since 2024`, `between May and July 2024`, `last summer` put first what
held then, and what has been superseded since may be found. --explain shows how
they were understood. A query without such words is ranked without regard to
time, unless you ask:
  --recency 0.3       weight of the newest date of a document; 1 is newest first
  --half-life 90      age in days at which that counts half

  --alpha 0           words alone      --alpha 1       meaning alone
  --arms bm25,dense   only these arms  --no-boosts     the fused score only
  --min dense=0.4     drop what an arm scores lower (raw score, see --explain)

Every constant is a setting of [ranking] (`hmem config`), also the boosts, which
bear the names that --explain shows: 0 switches one off, 1 a multiplier (test,
aside, repeat). `code-alpha` and `prose-alpha` are alpha where none is given.

--explain shows, for every hit, what each arm said: rank, raw score, weight,
and what that adds. The parts add up to the score. `--json` always has them.

"Quoted words" must occur as written; everything else in a query is only words.

Which fusion: leave the default unless you need the textbook formula, or scores
that depend on ranks alone (to compare with another tool that gives only ranks).
Measure on queries of your own before you settle on a number: `hmem help eval`.

Examples:
  hmem search 'pool exhausted' --explain -k 3
  hmem search PoolTimeoutError --alpha 0 -k 3
  hmem search 'clients give up' --fusion rrf --rrf-k 20 --no-boosts
"""

FORMATS = """\
Formats: what a search prints. A terminal gets a table, a pipe gets lines.

  table   rank, score, what each arm says, linked location, snippet
  lines   path:line: text    the line that matches best, never cut
  paths   each document once, best first (-l); -0 ends each with NUL
  json    one object: query, arms, fusion, filters, results (--json)
  jsonl   one result object a line
  csv     a header, then one record a hit
  md      quotable blocks with their sources, for a prompt

  --full              whole chunks          -n 5    at most 5 lines of each
  --max-tokens 2000   as many of the best hits as fit; the last may be cut, and
                      says so (`"truncated": true`). A token is counted as 4
                      bytes of what is printed
  --absolute          absolute paths; else relative where below the directory
                      you are in. `path` in JSON is always absolute

stdout has data only; warnings, errors and hints go to stderr. Control
characters in what was indexed are shown as signs (ESC as \u241b). NO_COLOR and
TERM=dumb turn colour off.

Exit codes: 0 found or done, 1 nothing found, 2 error, 130 interrupted.

Many queries in one process:
  --batch FILE|-      one query, or one request object, a line in; one object a
                      line out, with the `line` it is for. A bad line gives
                      {"line": 3, "error": {...}}, and exit code 2 at the end
  --request FILE|-    one search as JSON: query_id, search_text, top_k,
                      metadata_filter {key: value}, hybrid_params
                      {dense_weight, sparse_weight, rrf_k_constant}

Examples:
  hmem search 'retry' --format csv -k 20 > hits.csv
  hmem search -l -0 'connection pool' | xargs -0 wc -l
  hmem search 'retry' --json | jq -r '.results[] | "\\(.score) \\(.path)"'
  printf '%s\\n' retry canary | hmem search --batch - -k 1
"""

CONFIG = """\
Config: settings, their layers and names.

Lowest first: defaults; the model that `hmem model use` chose; config.toml in
your configuration directory; the HMEM_* variables; flags. `hmem config` prints
every setting with its value and where that comes from, `hmem config KEY` one
value, and in its first lines the places of the file, the data and the store.
The file is yours; hmem never writes it.

A setting has the name of its flag:
  flag --top-k 20      file [search] top-k = 20      variable HMEM_TOP_K=20

The parts of the ranking stand in [ranking], each with its own bounds:
  file [ranking] test = 1   variable HMEM_RANKING_TEST=1  (1: tests count whole)

Places: HMEM_DATA_DIR, HMEM_CONFIG_DIR, HMEM_STORE (a name, or a directory if
it has a slash); --store for one command.

A collection may carry a .hmem.toml at its root that says what to index
([index] include, exclude, hidden, no-ignore, max-filesize) and gives default
metadata ([metadata]). It comes with the tree and can do nothing else.

Saved searches:
  [alias]
  oncall = ["--where", "service=billing", "--since", "30d"]
then `hmem search @oncall timeout`.
"""

EVAL = """\
Eval: measuring the search on queries of your own.

A file with one JSON object a line:
  {"query": "retry delays", "relevant": ["src/retry.py:7", "wiki/pool.md"]}
`relevant` is a path, path:line, path:first-last or chunk id, a list of them, or
an object of them with grades; `tags` group queries; `grade` and `id` may stand
beside. `hmem eval --init FILE` writes some from your headings and docstrings.
TREC's form: hmem eval QUERIES --qrels QRELS.

Printed for each arm, each pair and the search as it is set:
  nDCG@10 MRR@10      how high the answers rank; 1 is perfect
  R@k P@5             share of the answers among the first k; of the first 5
                      that are answers
  p50, p95, tokens    milliseconds, and the length of the answer

then a sweep of alpha and one of k. Each is also chosen on one half of the
queries and scored on the other: a value that wins only where it was chosen is
over-tuned. Below fifty queries a difference of .02 says nothing.

  --misses            queries without an answer among the first 10, and where
                      the answer ranks in each arm
  --compare FILE      against an earlier --json result; p is the chance that a
                      difference as large comes about by luck
  --tag --where -c    only some of the queries, or of the store
  --split SEED        other halves       --no-sweep   the first table alone
`hmem eval --help` lists all flags.

Examples:
  hmem eval --init queries.jsonl
  hmem eval queries.jsonl --misses
  hmem eval queries.jsonl --json > before.json
  hmem eval queries.jsonl --compare before.json
"""

TOPICS = {"filters": FILTERS, "ranking": RANKING, "formats": FORMATS, "eval": EVAL, "config": CONFIG}
