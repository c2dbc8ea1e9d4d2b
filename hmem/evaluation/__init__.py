"""Retrieval quality on labelled queries: what each arm is worth, alone and together, and what a setting would change.

judgments = read_json_lines(text, "queries.jsonl")
evaluate(judgments, Locator(catalog).find, search, EvaluationOptions(SearchOptions(""), tokens))
"""

from __future__ import annotations

from hmem.evaluation.compare import read_earlier
from hmem.evaluation.evaluate import EvaluationOptions, evaluate
from hmem.evaluation.judgments import Judgments, Label, Question, read_json_lines
from hmem.evaluation.locate import Locator
from hmem.evaluation.ranking import Unit
from hmem.evaluation.report import Evaluation
from hmem.evaluation.starter import starter_questions
from hmem.evaluation.trec import read_trec

__all__ = [
    "Evaluation",
    "EvaluationOptions",
    "Judgments",
    "Label",
    "Locator",
    "Question",
    "Unit",
    "evaluate",
    "read_earlier",
    "read_json_lines",
    "read_trec",
    "starter_questions",
]
