"""The completion scripts of bash, zsh and fish, written from the model of the command line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hmem.cli.completion.model import DIRECTORIES, FILES, MODELS, Command, Flag, read_commands

if TYPE_CHECKING:
    from collections.abc import Iterator

SHELLS = {"bash": "hmem.bash", "zsh": "_hmem", "fish": "hmem.fish"}
"""The shells and what each one calls the file."""

_NOTE = "Generated from the commands themselves: `python -m hmem.cli.completion completions` writes it anew."


def script(shell: str) -> str:
    """Return the completion script of a shell, a key of SHELLS."""
    writers = {"bash": _bash, "zsh": _zsh, "fish": _fish}
    return "\n".join(writers[shell](read_commands())) + "\n"


def _bash(commands: tuple[Command, ...]) -> Iterator[str]:
    names = " ".join(command.name for command in commands if command.name)
    yield f"# bash completion for hmem. {_NOTE}"
    yield from _BASH_HEAD.splitlines()
    yield '  case "$command $previous" in'
    for command in commands:
        for flag in command.flags:
            if flag.takes_value:
                patterns = "|".join(f'"{command.name} {name}"' for name in flag.names)
                yield f"    {patterns}) {_bash_answer(flag.source)}; return ;;"
    yield "  esac"
    yield '  case "$command" in'
    for command in commands:
        flags = " ".join(name for flag in command.flags for name in flag.names)
        actions = f'; actions="{" ".join(command.actions)}"' if command.actions else ""
        yield f'    "{command.name}") flags="{flags}"; source="{command.source or ""}"{actions} ;;'
    yield "  esac"
    yield from _BASH_TAIL.replace("@COMMANDS@", names).splitlines()


def _bash_answer(source: str | None) -> str:
    if source == FILES:
        return "compopt -o default"
    if source == DIRECTORIES:
        return "compopt -o dirnames"
    return f"_hmem_words {source}" if source else ":"


_BASH_HEAD = """\
_hmem_words() {
  local word at
  for ((at = 1; at < COMP_CWORD; at++)); do
    if [[ ${COMP_WORDS[at]} == --store ]]; then local -x HMEM_STORE=${COMP_WORDS[at + 1]}; fi
  done
  while IFS= read -r word; do
    [[ $word == *= ]] && compopt -o nospace
    [[ $word == *[!a-zA-Z0-9_@%+=:,./-]* ]] && word=$(printf '%q' "$word")
    COMPREPLY+=("$word")
  done < <("${COMP_WORDS[0]}" __complete "$1" "$current" 2>/dev/null)
}

_hmem() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local command="" flags="" source="" actions="" at
  COMPREPLY=()
  for ((at = 1; at < COMP_CWORD; at++)); do
    if [[ ${COMP_WORDS[at]} != -* ]]; then command=${COMP_WORDS[at]}; break; fi
  done"""

_BASH_TAIL = """\
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$current"))
  elif [[ -z $command ]]; then
    COMPREPLY=($(compgen -W "@COMMANDS@" -- "$current"))
  elif [[ -n $actions && $previous == "$command" ]]; then
    COMPREPLY=($(compgen -W "$actions" -- "$current"))
  elif [[ $source == files ]]; then
    compopt -o default
  elif [[ $source == directories ]]; then
    compopt -o dirnames
  elif [[ -n $source ]]; then
    _hmem_words "$source"
    [[ $source == models ]] && compopt -o plusdirs
    [[ $command == help ]] && COMPREPLY+=($(compgen -W "@COMMANDS@" -- "$current"))
  fi
}

complete -F _hmem hmem"""


def _zsh(commands: tuple[Command, ...]) -> Iterator[str]:
    yield "#compdef hmem"
    yield f"# zsh completion for hmem. {_NOTE}"
    yield from _ZSH_HEAD.splitlines()
    yield "_hmem_commands() {"
    yield "  local -a commands=("
    yield from (f"    '{_zsh_text(command.name, command.help)}'" for command in commands if command.name)
    yield "  )"
    yield "  _describe -t commands command commands"
    yield "}"
    yield ""
    yield "_hmem() {"
    yield "  local context state state_descr line"
    yield "  typeset -A opt_args"
    yield "  _arguments -C \\"
    yield from (f"    {_zsh_flag(flag)} \\" for flag in commands[0].flags)
    yield "    '1: :_hmem_commands' '*:: :->arguments'"
    yield "  [[ $state == arguments ]] || return"
    yield "  case $words[1] in"
    for command in commands[1:]:
        yield f"    {command.name})"
        yield "      _arguments -s \\"
        yield from (f"        {_zsh_flag(flag)} \\" for flag in command.flags)
        if command.actions:
            yield f"        '1: :({' '.join(command.actions)})' \\"
        yield f"        '*: :{_zsh_action(command.source)}' ;;"
    yield "  esac"
    yield "}"
    yield ""
    yield '_hmem "$@"'


_ZSH_HEAD = """\

_hmem_words() {
  local -a found
  local -x HMEM_STORE=${opt_args[--store]:-$HMEM_STORE}
  [[ -n $HMEM_STORE ]] || unset HMEM_STORE
  found=(${(f)"$(command hmem __complete $1 ${(Q)PREFIX} 2>/dev/null)"})
  [[ $1 == topics ]] && _hmem_commands
  if [[ $found[1] == *= ]]; then compadd -S '' -a found; else compadd -a found; fi
}
"""


def _zsh_flag(flag: Flag) -> str:
    text = _zsh_escaped(flag.help)
    value = f":{_zsh_escaped(flag.source or 'value')}:{_zsh_action(flag.source)}" if flag.takes_value else ""
    star = "*" if flag.repeats else ""
    if len(flag.names) == 1:
        return f"'{star}{flag.names[0]}[{text}]{value}'"
    exclusive = "" if flag.repeats else f"({' '.join(flag.names)})"
    return f"'{exclusive}{star}'{{{','.join(flag.names)}}}'[{text}]{value}'"


def _zsh_action(source: str | None) -> str:
    if source == FILES:
        return "_files"
    if source == DIRECTORIES:
        return "_files -/"
    if source == MODELS:
        return "{_hmem_words models; _files -/}"
    # A leading blank keeps `_arguments` from putting options of its own before the word.
    return f" _hmem_words {source}" if source else " "


def _zsh_text(name: str, text: str) -> str:
    return f"{name}:{_zsh_escaped(text)}"


def _zsh_escaped(text: str) -> str:
    return re.sub(r"([\[\]:\\])", r"\\\1", text).replace("'", "'\\''")


def _fish(commands: tuple[Command, ...]) -> Iterator[str]:
    yield f"# fish completion for hmem. {_NOTE}"
    yield from _FISH_HEAD.splitlines()
    for command in commands:
        if command.name:
            yield f"complete -c hmem -n __fish_use_subcommand -f -a {command.name} -d {_fish_quoted(command.help)}"
    for command in commands:
        when = f"'__fish_seen_subcommand_from {command.name}'" if command.name else "__fish_use_subcommand"
        for flag in command.flags:
            yield f"complete -c hmem -n {when} {_fish_flag(flag)}"
        if command.actions:
            first = f"'__fish_seen_subcommand_from {command.name}; and not __fish_seen_subcommand_from @'"
            actions = " ".join(command.actions)
            yield f"complete -c hmem -n {first.replace('@', actions)} -f -a '{actions}'"
            when = f"'__fish_seen_subcommand_from {command.name}; and __fish_seen_subcommand_from {actions}'"
        if command.source == MODELS:
            yield f"complete -c hmem -n {when} -x -a '(__hmem_words {MODELS}; __fish_complete_directories)'"
        elif command.source not in (None, FILES, DIRECTORIES):
            yield f"complete -c hmem -n {when} -f -a '(__hmem_words {command.source})'"
        elif command.source is None and command.name:
            yield f"complete -c hmem -n {when} -f"


_FISH_HEAD = """\

function __hmem_words
    set -l words (commandline -opc)
    for at in (seq (math (count $words) - 1))
        test "$words[$at]" = --store; and set -lx HMEM_STORE $words[(math $at + 1)]
    end
    command hmem __complete $argv[1] (commandline -ct) 2>/dev/null
end
"""


def _fish_flag(flag: Flag) -> str:
    parts = [f"-s {name[1:]}" if len(name) == 2 else f"-l {name[2:]}" for name in flag.names]
    if flag.source == FILES:
        parts.append("-r -F")
    elif flag.source == DIRECTORIES:
        parts.append("-x -a '(__fish_complete_directories)'")
    elif flag.source:
        parts.append(f"-x -a '(__hmem_words {flag.source})'")
    elif flag.takes_value:
        parts.append("-x")
    return " ".join([*parts, f"-d {_fish_quoted(flag.help)}"])


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
