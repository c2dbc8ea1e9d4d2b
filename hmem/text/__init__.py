"""The one analysis of text, for documents and queries alike.

`words` cuts a text into words, `terms` turns a word into what is counted, `query_terms` weighs what is looked up,
`model_words` prepares a text for the embedding model. Every function takes any string, never raises, and needs
time linear in its length. What is remembered between calls is bounded and safe to use from several threads.
"""

from hmem.text.analysis import EXACT, Reading, count_terms, exact_form, model_words, pairs, terms
from hmem.text.identifiers import identifier_parts
from hmem.text.query import (
    EXACT_WEIGHT,
    STEM_WEIGHT,
    STOP_WEIGHT,
    QueryTerm,
    QueryText,
    contains_phrase,
    parse_query,
    plain_text,
    query_pairs,
    query_terms,
)
from hmem.text.scripts import fold, normalise
from hmem.text.segment import words
from hmem.text.stems import STOP_WORDS, stem

__all__ = [
    "EXACT",
    "EXACT_WEIGHT",
    "STEM_WEIGHT",
    "STOP_WEIGHT",
    "STOP_WORDS",
    "QueryTerm",
    "QueryText",
    "Reading",
    "contains_phrase",
    "count_terms",
    "exact_form",
    "fold",
    "identifier_parts",
    "model_words",
    "normalise",
    "pairs",
    "parse_query",
    "plain_text",
    "query_pairs",
    "query_terms",
    "stem",
    "terms",
    "words",
]
