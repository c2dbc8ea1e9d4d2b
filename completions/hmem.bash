# bash completion for hmem. Generated from the commands themselves: `python -m hmem.cli.completion completions` writes it anew.
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
  done
  case "$command $previous" in
    "index --store") _hmem_words stores; return ;;
    "index --name") :; return ;;
    "index --meta") :; return ;;
    "index --include") :; return ;;
    "index --exclude") :; return ;;
    "index --max-filesize") :; return ;;
    "index --jobs") :; return ;;
    "index --lock-timeout") :; return ;;
    "search --request") compopt -o default; return ;;
    "search --batch") compopt -o default; return ;;
    "search --store") _hmem_words stores; return ;;
    "search --top-k"|"search -k") :; return ;;
    "search --alpha") :; return ;;
    "search --fusion") _hmem_words fusions; return ;;
    "search --rrf-k") :; return ;;
    "search --arms") _hmem_words arms; return ;;
    "search --min") _hmem_words minimums; return ;;
    "search --recency") :; return ;;
    "search --half-life") :; return ;;
    "search --where"|"search -w") _hmem_words keys; return ;;
    "search --in") compopt -o default; return ;;
    "search --glob"|"search -g") :; return ;;
    "search --lang") _hmem_words languages; return ;;
    "search --kind") _hmem_words kinds; return ;;
    "search --collection"|"search -c") _hmem_words collections; return ;;
    "search --since") :; return ;;
    "search --until") :; return ;;
    "search --as-of") :; return ;;
    "search --format") _hmem_words formats; return ;;
    "search --max-lines"|"search -n") :; return ;;
    "search --max-tokens") :; return ;;
    "related --store") _hmem_words stores; return ;;
    "related --top-k"|"related -k") :; return ;;
    "related --alpha") :; return ;;
    "related --fusion") _hmem_words fusions; return ;;
    "related --rrf-k") :; return ;;
    "related --arms") _hmem_words arms; return ;;
    "related --min") _hmem_words minimums; return ;;
    "related --recency") :; return ;;
    "related --half-life") :; return ;;
    "related --where"|"related -w") _hmem_words keys; return ;;
    "related --in") compopt -o default; return ;;
    "related --glob"|"related -g") :; return ;;
    "related --lang") _hmem_words languages; return ;;
    "related --kind") _hmem_words kinds; return ;;
    "related --collection"|"related -c") _hmem_words collections; return ;;
    "related --since") :; return ;;
    "related --until") :; return ;;
    "related --as-of") :; return ;;
    "related --format") _hmem_words formats; return ;;
    "related --max-lines"|"related -n") :; return ;;
    "related --max-tokens") :; return ;;
    "get --store") _hmem_words stores; return ;;
    "remember --store") _hmem_words stores; return ;;
    "remember --title") :; return ;;
    "remember --meta") :; return ;;
    "remember --tag") :; return ;;
    "remember --supersedes") :; return ;;
    "remember --lock-timeout") :; return ;;
    "forget --store") _hmem_words stores; return ;;
    "forget --lock-timeout") :; return ;;
    "watch --store") _hmem_words stores; return ;;
    "watch --debounce") :; return ;;
    "serve --store") _hmem_words stores; return ;;
    "serve --idle") :; return ;;
    "mcp --store") _hmem_words stores; return ;;
    "status --store") _hmem_words stores; return ;;
    "doctor --store") _hmem_words stores; return ;;
    "doctor --lock-timeout") :; return ;;
    "eval --store") _hmem_words stores; return ;;
    "eval --qrels") :; return ;;
    "eval --tag") :; return ;;
    "eval --compare") compopt -o default; return ;;
    "eval --split") :; return ;;
    "eval --unit") :; return ;;
    "eval --where"|"eval -w") _hmem_words keys; return ;;
    "eval --collection"|"eval -c") _hmem_words collections; return ;;
    "ls --store") _hmem_words stores; return ;;
    "remove --store") _hmem_words stores; return ;;
    "remove --lock-timeout") :; return ;;
  esac
  case "$command" in
    "") flags="--version -V --debug --help"; source="" ;;
    "index") flags="--store --name --meta --include --exclude --no-ignore --ignore --hidden --no-hidden --secrets --no-secrets --max-filesize --rebuild --dry-run --prune-missing --strict --jobs --yes -y --lock-timeout --verbose -v --quiet -q --json --help"; source="files" ;;
    "search") flags="--request --batch --store --top-k -k --alpha --fusion --rrf-k --no-boosts --boosts --arms --min --recency --half-life --explain --no-explain --where -w --no-default-where --in --glob -g --lang --kind --collection -c --since --until --as-of --all-states --format --json --files-with-matches -l --null -0 --absolute --relative --full --no-full --max-lines -n --max-tokens --refresh --no-refresh --help"; source="aliases" ;;
    "related") flags="--store --top-k -k --alpha --fusion --rrf-k --no-boosts --boosts --arms --min --recency --half-life --explain --no-explain --where -w --no-default-where --in --glob -g --lang --kind --collection -c --since --until --as-of --all-states --format --json --files-with-matches -l --null -0 --absolute --relative --full --no-full --max-lines -n --max-tokens --refresh --no-refresh --help"; source="files" ;;
    "get") flags="--store --json --help"; source="files" ;;
    "remember") flags="--store --title --meta --tag --supersedes --lock-timeout --json --help"; source="" ;;
    "forget") flags="--store --lock-timeout --quiet -q --json --help"; source="" ;;
    "watch") flags="--store --debounce --poll --no-poll --serve --no-serve --yes -y --quiet -q --json --help"; source="directories" ;;
    "serve") flags="--store --idle --quiet -q --help"; source="" ;;
    "mcp") flags="--store --help"; source="" ;;
    "status") flags="--store --verbose -v --json --help"; source="" ;;
    "doctor") flags="--store --repair --memory --lock-timeout --json --help"; source="" ;;
    "eval") flags="--store --qrels --init --tag --misses --compare --split --no-sweep --unit --where -w --collection -c --quiet -q --json --help"; source="files" ;;
    "ls") flags="--store --all -a --keys --absolute --null -0 --json --help"; source="collections" ;;
    "remove") flags="--store --lock-timeout --quiet -q --help"; source="collections" ;;
    "config") flags="--json --help"; source="settings" ;;
    "completion") flags="--help"; source="shells" ;;
    "help") flags="--help"; source="topics" ;;
    "model") flags="--help --json --quiet -q"; source="models"; actions="list info use" ;;
  esac
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$current"))
  elif [[ -z $command ]]; then
    COMPREPLY=($(compgen -W "index search related get remember forget watch serve mcp status doctor eval ls remove config completion help model" -- "$current"))
  elif [[ -n $actions && $previous == "$command" ]]; then
    COMPREPLY=($(compgen -W "$actions" -- "$current"))
  elif [[ $source == files ]]; then
    compopt -o default
  elif [[ $source == directories ]]; then
    compopt -o dirnames
  elif [[ -n $source ]]; then
    _hmem_words "$source"
    [[ $source == models ]] && compopt -o plusdirs
    [[ $command == help ]] && COMPREPLY+=($(compgen -W "index search related get remember forget watch serve mcp status doctor eval ls remove config completion help model" -- "$current"))
  fi
}

complete -F _hmem hmem
