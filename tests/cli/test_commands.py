"""Every command as a process: streams, formats, exit codes."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hmem.cli.completion.model import read_commands
from hmem.settings import SETTINGS

from cli_samples import FILES
from runner import SOURCE, hmem, write_tree
from runner import hmem_here as here


def test_help_loads_no_engine():
    code = (
        "import sys\nfrom hmem.cli.app import application\n"
        "try:\n    application()(['--help'], prog_name='hmem')\nexcept SystemExit as end:\n    assert not end.code\n"
        "loaded = {'numpy', 'whoosh', 'usearch', 'model2vec', 'watchdog', 'rich', 'tokenizers'} & set(sys.modules)\n"
        "assert not loaded, loaded"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_import_loads_no_engine():
    code = (
        "import sys, hmem\nassert not {'numpy', 'whoosh', 'usearch', 'model2vec', 'watchdog', 'rich', 'typer'}"
        " & set(sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("command", [command.name for command in read_commands() if command.name])
def test_every_command_has_help_with_an_example(command):
    ran = here(command, "--help")
    assert ran.code == 0
    assert "Example:" in ran.out


def test_every_option_says_what_it_does():
    silent = [(command.name, flag.names[0]) for command in read_commands() for flag in command.flags if not flag.help]
    assert silent == []


# Flags without a setting: what is asked for this once, not how one likes it.
OF_ONE_RUN = {
    "index": {"--meta", "--rebuild", "--dry-run", "--prune-missing", "--yes", "--verbose", "--quiet", "--json"},
    "search": {
        "--request", "--batch", "--no-default-where", "--in", "--glob", "--lang", "--kind", "--collection", "--since",
        "--until", "--as-of", "--all-states", "--json", "--files-with-matches", "--null",
    },
    "watch": {"--yes", "--quiet", "--json"},
}  # fmt: skip


@pytest.mark.parametrize("name", OF_ONE_RUN)
def test_a_flag_that_one_may_like_for_good_has_a_setting(name):
    settings = {f"--{setting.name.replace('_', '-')}" for setting in SETTINGS} | {"--store"}
    [command] = [command for command in read_commands() if command.name == name]
    without = {flag.names[0] for flag in command.flags if not settings & set(flag.names)} - {"--help"}
    assert without <= OF_ONE_RUN[name]


def test_version():
    assert hmem("--version").out.startswith("hmem 0.")


def test_the_configuration_switches_a_boost_off(tree):
    def boosts(**env: str) -> set[str]:
        found = json.loads(here("search", "retry with backoff", "--json", cwd=tree, **env).out)
        return {boost["name"] for hit in found["results"] for boost in hit["boosts"]}

    assert "name" in boosts()
    assert "name" not in boosts(HMEM_RANKING_NAME="0")


def test_lines_are_path_line_text(tree):
    ran = here("search", "connection pool exhausted", cwd=tree)
    assert ran.code == 0
    path, line, text = ran.out.splitlines()[0].split(":", 2)
    assert path == "notes/pool.md"
    assert FILES["notes/pool.md"].splitlines()[int(line) - 1] == text.removeprefix(" ")


def test_paths_are_absolute_outside_the_tree(tree, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    ran = here("search", "zebra", "-l", cwd=elsewhere)
    assert ran.out.splitlines()[0] == str(tree / "notes/names with spaces/ünï.md")


def test_null_separated_paths_reach_xargs(tree):
    ran = hmem("search", "zebra crossing", "-l", "-0", "-k", "1", cwd=tree)
    assert ran.out == "notes/names with spaces/ünï.md\0"


def test_no_hit_is_one_and_says_so(tree):
    ran = here("search", "--alpha", "0", "xylophone", "--json", cwd=tree)
    assert ran.code == 1
    assert json.loads(ran.out)["results"] == []
    assert "no hit" in ran.err


def test_no_store_is_an_error_with_a_hint():
    ran = here("search", "x")
    assert ran.code == 2
    assert ran.out == ""
    assert "hint: `hmem index PATH`" in ran.err


def test_search_registers_nothing(tmp_path):
    here("search", "x", cwd=tmp_path)
    assert not Path(os.environ["HMEM_DATA_DIR"]).exists()


@pytest.mark.parametrize(
    "args",
    [
        ("--alpha", "2", "x"),
        ("--rrf-k", "5", "x"),
        ("--fusion", "sum", "x"),
        ("--arms", "sparse", "x"),
        ("-w", "service", "x"),
        ("-w", "servise=billing", "x"),
        ("--kind", "novel", "x"),
        ("--min", "dense", "x"),
        ("-k", "0", "x"),
        ("--json", "-l", "x"),
        ("-0", "--json", "x"),
        ("--full", "--max-lines", "3", "x"),
        ("--format", "xml", "x"),
        ("--since", "someday", "x"),
        (),
        ("--request", "-", "x"),
    ],
)
def test_contradictions_are_errors(tree, args):
    ran = here("search", *args, cwd=tree)
    assert ran.code == 2
    assert ran.out == ""
    assert "rror" in ran.err


def test_json_adds_up(tree):
    answer = json.loads(here("search", "retry_with_backoff", "--json", cwd=tree).out)
    assert answer["results"][0]["symbol"] == "retry_with_backoff"
    assert answer["results"][0]["path"] == str(tree / "src/retry.py")
    for hit in answer["results"]:
        parts = [arm["contribution"] for arm in hit["arms"].values() if arm]
        assert sum(parts) + sum(boost["value"] for boost in hit["boosts"]) == pytest.approx(hit["score"])


def test_jsonl_csv_and_markdown_agree_with_json(tree):
    ids = [hit["chunk_id"] for hit in json.loads(here("search", "pool", "--json", cwd=tree).out)["results"]]
    lines = here("search", "pool", "--format", "jsonl", cwd=tree).out.splitlines()
    assert [json.loads(line)["chunk_id"] for line in lines] == ids
    rows = list(csv.DictReader(io.StringIO(here("search", "pool", "--format", "csv", cwd=tree).out)))
    assert [row["chunk_id"] for row in rows] == ids
    markdown = here("search", "pool", "--format", "md", cwd=tree).out
    assert len(re.findall(r"^## \d+\. `", markdown, re.MULTILINE)) == len(ids)


def test_get_accepts_what_search_prints(tree):
    path, line, _ = here("search", "canary", "--alpha", "0", cwd=tree).out.splitlines()[0].split(":", 2)
    by_line = here("get", f"{path}:{line}", cwd=tree)
    assert "Canary first" in by_line.out
    hit = json.loads(here("search", "canary", "--alpha", "0", "--json", cwd=tree).out)["results"][0]
    assert here("get", hit["chunk_id"]).out == by_line.out
    assert here("get", path, cwd=tree).out == FILES["notes/deploy.md"]
    assert here("get", "notes/none.md", cwd=tree).code == 2


def test_status_and_ls(tree):
    status = json.loads(here("status", "--json").out)
    assert {item["name"]: item["documents"] for item in status["collections"]} == {"notes": 3, "src": 1}
    assert here("ls", "src", cwd=tree).out == "src/retry.py\n"
    assert [line.split("\t")[0] for line in here("ls").out.splitlines()] == ["notes", "src"]


def test_remove_forgets_only_that_collection(own_tree):
    assert here("remove", "nope").code == 2
    assert here("remove", "notes").code == 0
    assert here("search", "zebra crossing", "--alpha", "0").code == 1
    assert here("search", "backoff", "-l", cwd=own_tree).out == "src/retry.py\n"
    assert (own_tree / "notes/pool.md").exists()


def test_deleted_and_renamed_files_follow(own_tree):
    (own_tree / "notes/deploy.md").unlink()
    (own_tree / "notes/pool.md").rename(own_tree / "notes/basin.md")
    report = json.loads(here("index", "--json", cwd=own_tree).out)
    assert (report["added"], report["removed"], report["updated"]) == (1, 2, 0)
    assert report["reused"] == report["chunks"]
    assert here("search", "canary", "--alpha", "0").code == 1
    assert here("search", "connection pool", "-l", "-k", "1", cwd=own_tree).out == "notes/basin.md\n"


def test_index_of_a_part_prunes_only_there(own_tree):
    (own_tree / "notes/deploy.md").unlink()
    (own_tree / "notes/names with spaces/ünï.md").unlink()
    report = json.loads(here("index", "notes/names with spaces", "--json", cwd=own_tree).out)
    assert report["removed"] == 1
    assert here("search", "canary", "--alpha", "0", "-l", "--no-refresh", cwd=own_tree).out == "notes/deploy.md\n"


def test_dry_run_changes_nothing(own_tree):
    before = here("status", "--json").out
    (own_tree / "notes/new.md").write_text("# New\n\nquokka\n")
    report = json.loads(here("index", "--dry-run", "--json", cwd=own_tree).out)
    assert report["added"] == 1
    assert json.loads(here("status", "--json").out)["generation"] == json.loads(before)["generation"]
    assert here("search", "quokka", "--alpha", "0", "--no-refresh").code == 1


def test_strict_makes_an_unreadable_file_an_error(own_tree):
    if os.geteuid() == 0:
        pytest.skip("root reads everything")
    (own_tree / "notes/pool.md").chmod(0)
    assert here("index", cwd=own_tree).code == 0
    assert here("index", "--strict", cwd=own_tree).code == 2


def test_home_and_root_are_refused():
    for place in ("/", os.environ["HOME"]):
        ran = here("index", place)
        assert ran.code == 2
        assert "--yes" in ran.err


def test_batch_answers_line_by_line(tree):
    lines = 'canary\n{"search_text": "pool", "top_k": 1}\n{"search_text": 3}\n\nretry\n'
    ran = here("search", "--batch", "-", stdin=lines, cwd=tree)
    assert ran.code == 2
    answers = [json.loads(line) for line in ran.out.splitlines()]
    assert [answer["line"] for answer in answers] == [1, 2, 3, 5]  # a blank line counts, and asks nothing
    assert answers[1]["total_retrieved"] == 1
    assert "search_text" in answers[2]["error"]["message"]


def test_a_batch_sees_what_is_committed_while_it_runs(own_tree):
    process = subprocess.Popen(
        [sys.executable, "-m", "hmem", "search", "--batch", "-", "--no-refresh", "--alpha", "0"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=own_tree,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        text=True,
    )
    assert process.stdin
    assert process.stdout

    def ask(query: str) -> dict:
        process.stdin.write(f"{query}\n")
        process.stdin.flush()
        return json.loads(process.stdout.readline())

    before = ask("quokka")
    (own_tree / "notes/new.md").write_text("# New\n\nquokka\n")
    assert here("index", "-q", cwd=own_tree).code == 0
    after = ask("quokka")
    process.stdin.close()
    assert process.wait(timeout=60) == 0
    process.stdout.close()
    assert (before["total_retrieved"], after["total_retrieved"]) == (0, 1)
    assert after["generation"] > before["generation"]


def configure(text: str) -> None:
    path = Path(os.environ["HMEM_CONFIG_DIR"]) / "config.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)


@pytest.mark.parametrize(
    ("configured", "args", "arms"),
    [
        ("alpha = 0", ("--arms", "dense"), {"dense"}),
        ("alpha = 1", ("--arms", "bm25"), {"bm25"}),
        ("alpha = 1", ("--min", "bm25=0.1"), {"bm25", "document", "dense"}),
        ('arms = ["dense"]', ("--alpha", "0"), {"bm25", "document"}),
        ('arms = ["bm25"]', ("--alpha", "1"), {"dense"}),
        ('arms = ["bm25"]', ("--min", "dense=0"), {"bm25", "document", "dense"}),
        ('min = ["dense=0.9"]', ("--alpha", "0"), {"bm25", "document"}),
        ('min = ["document=0.1"]', ("--arms", "bm25,dense"), {"bm25", "dense"}),
        ('min = ["document=0.1"]', ("--request", "-"), {"bm25", "dense"}),
        ("alpha = 1", ("--request", "-"), {"bm25", "dense"}),
    ],
)
def test_a_setting_yields_to_the_flags_that_it_contradicts(tree, configured, args, arms):
    configure(f"[search]\n{configured}\n")
    query = () if "--request" in args else ("pool",)
    request = '{"search_text": "pool", "hybrid_params": {}}'
    ran = here("search", *query, *args, "--json", cwd=tree, stdin=request)
    assert ran.code == 0, ran.err
    answer = json.loads(ran.out)["arms"]
    assert {name for name, arm in answer.items() if arm["status"] in ("ok", "empty")} <= arms
    assert all(answer[name].get("reason") not in ("switched off", "alpha is 0", "alpha is 1") for name in arms)


def test_settings_that_contradict_each_other_are_named_with_their_layers(tree):
    configure('[search]\narms = ["dense"]\n')
    ran = here("search", "pool", cwd=tree, HMEM_ALPHA="0")
    assert ran.code == 2
    assert "`search.alpha` is set in `HMEM_ALPHA`" in ran.err
    assert "config.toml`" in ran.err
    configure('[search]\narms = ["sparse"]\n')
    ran = here("search", "pool", cwd=tree)
    assert "unknown arm: `sparse`" in ran.err
    assert "config.toml`" in ran.err


def test_a_place_that_is_nowhere_is_an_error_an_empty_one_is_not(own_tree):
    (own_tree / "notes/empty").mkdir()
    ran = here("search", "pool", "--in", "notes/empty", cwd=own_tree)
    assert (ran.code, ran.out) == (1, "")
    ran = here("search", "pool", "--in", "notes/names with space", cwd=own_tree)
    assert ran.code == 2
    assert "did you mean `notes/names with spaces`?" in ran.err
    assert here("search", "zebra", "-l", "--in", "names with spaces", cwd=own_tree / "src").code == 0


def test_alias_expands_and_other_at_words_are_searched(tree):
    config = Path(os.environ["HMEM_CONFIG_DIR"])
    config.mkdir()
    (config / "config.toml").write_text('[alias]\nbilling = ["-w", "service=billing"]\n')
    paths = here("search", "@billing", "connection", "-l", cwd=tree).out.splitlines()
    assert paths == ["notes/pool.md"]
    assert here("search", "@scope/pkg", "--alpha", "0", cwd=tree).code == 1


def test_default_filters_of_the_configuration(tree):
    config = Path(os.environ["HMEM_CONFIG_DIR"])
    config.mkdir()
    (config / "config.toml").write_text('[search]\nwhere = ["service != billing"]\n')
    assert "notes/pool.md" not in here("search", "pool", "-l", cwd=tree).out
    assert "notes/pool.md" in here("search", "pool", "-l", "--no-default-where", cwd=tree).out


def test_config_names_origins():
    ran = here("config", "search.top-k", HMEM_TOP_K="7")
    assert ran.out == "7\n"
    lines = here("config", HMEM_TOP_K="7").out.splitlines()
    assert any(line.startswith("search.top_k ") and line.endswith("# HMEM_TOP_K") for line in lines)
    ran = here("config", "search.topk")
    assert ran.code == 2
    assert "search.top_k" in ran.err


def test_closed_pipe_ends_quietly(tree):
    command = f"{sys.executable} -m hmem search connection --full -k 50 | head -n 1; echo ${{PIPESTATUS[0]}}"
    env = {**os.environ, "PYTHONPATH": str(SOURCE)}
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=tree, env=env, check=True)
    assert done.stdout.splitlines()[-1] == "0"
    assert done.stderr == ""


def test_closed_stdout_is_no_traceback(tree):
    env = {**os.environ, "PYTHONPATH": str(SOURCE)}
    command = f"{sys.executable} -m hmem search connection >&-"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=tree, env=env, check=False)
    assert done.returncode == 0
    assert "Traceback" not in done.stderr


def test_control_characters_reach_no_record_raw(tmp_path):
    root = write_tree(
        tmp_path, {"n/evil.md": "# Evil \x1b[31mred\x1b[0m [bold]markup[/bold]\n\nquokka \x07\x9b2J end\n"}
    )
    here("index", root / "n")
    for form in ("lines", "md"):
        out = here("search", "quokka", "--format", form, "--full").out
        assert "\x1b" not in out
        assert "\x07" not in out
        assert "\x9b" not in out
    assert "[bold]markup[/bold]" in here("search", "quokka", "--full").out


def test_an_unmounted_root_keeps_its_documents(tmp_path):
    place = tmp_path / "volume"
    place.mkdir()
    script = (
        f"mount -t tmpfs none {place} && echo '# Walrus' > {place}/a.md && {sys.executable} -m hmem index -q {place}"
        f" && umount {place} && {sys.executable} -m hmem search walrus -l; {sys.executable} -m hmem index {place}"
    )
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    probe = subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "none", place], capture_output=True, check=False)
    if probe.returncode:
        pytest.skip("mounting is not allowed here")
    done = subprocess.run(["unshare", "-m", "sh", "-c", script], capture_output=True, text=True, env=env, check=False)
    assert done.stdout == f"{place}/a.md\n"
    assert "missing or unmounted" in done.stderr


def test_a_dry_run_needs_no_store(tmp_path):
    root = write_tree(tmp_path, {"n/a.md": "# A\n"}) / "n"
    report = json.loads(hmem("index", "--dry-run", "--json", root).out)
    assert (report["added"], report["dry_run"]) == (1, True)
    assert hmem("status").code == 2


def test_a_path_that_is_nowhere_or_empty_is_an_error(tree):
    for path in ("notes/none.md", "notes/none/", ""):
        ran = hmem("index", path, cwd=tree)
        assert ran.code == 2, path
        assert ran.err.startswith("error: ")


def test_markdown_names_the_lines_that_it_quotes(tree):
    out = hmem("search", "max_connections", "--format", "md", "-k", "1", "-n", "1", cwd=tree).out
    head, _, quoted = out.split("\n")[0], *out.split("\n")[2:4]
    number = int(head.split(":")[1].split("-")[0])
    assert FILES["notes/pool.md"].split("\n")[number - 1] == quoted


def test_file_names_bring_no_control_character_into_a_record(tmp_path):
    root = write_tree(tmp_path, {"n/\x1b[31mred.md": "# Quokka\n"}) / "n"
    hmem("index", root)
    assert "\x1b" not in hmem("search", "quokka").out
