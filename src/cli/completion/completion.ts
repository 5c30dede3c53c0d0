import { CliError } from '../kit/cli-error.ts';

/** A command as shells complete it. */
export interface Completable {
  readonly name: string;
  readonly description: string;
  /** Long forms: `--output`. */
  readonly options: readonly string[];
}

/** The shells there is a script for. */
export const shells: readonly string[] = ['bash', 'zsh', 'fish'];

/**
 * A script that completes commands, their options, and names of objects, for `eval` or the shell's folder of completions. Commands and
 * options are part of it; for anything else it calls `gatewright __complete -- WORDS`, whose lines are taken as they are, never expanded.
 */
export function completionScript(shell: string, commands: readonly Completable[]): string {
  switch (shell) {
    case 'bash':
      return bash(commands);
    case 'zsh':
      return zsh(commands);
    case 'fish':
      return fish(commands);
    default:
      throw new CliError(`no completion for ${JSON.stringify(shell)}; there is one for ${shells.join(', ')}`);
  }
}

const namesIn = (commands: readonly Completable[]): string => commands.map(({ name }) => name).join(' ');

/** Bash breaks words at `:` and `=`, too, which tears addresses apart: so the line itself is read. */
const bash = (commands: readonly Completable[]): string =>
  [
    '_gatewright() {',
    `  local typed=\${COMP_LINE:0:COMP_POINT} word=\${COMP_WORDS[COMP_CWORD]} program=gatewright line`,
    '  local -a words',
    '  read -ra words <<< "$typed"',
    '  [[ $typed == *[[:space:]] ]] && words+=("")',
    '  COMPREPLY=()',
    '  if ((COMP_CWORD == 1)); then',
    `    COMPREPLY=($(compgen -W '${namesIn(commands)}' -- "$word"))`,
    '    return',
    '  fi',
    '  if [[ $word == -* ]]; then',
    `    case \${words[1]} in`,
    ...commands.map(
      ({ name, options }) => `      ${name}) COMPREPLY=($(compgen -W '${options.join(' ')}' -- "$word")) ;;`,
    ),
    '    esac',
    '    return',
    '  fi',
    `  type -P "$program" > /dev/null || program=\${words[0]}`,
    '  compopt +o default 2> /dev/null',
    '  while IFS= read -r line; do',
    '    if [[ $line == :files ]]; then compopt -o default 2> /dev/null; else COMPREPLY+=("$line"); fi',
    `  done < <("$program" __complete -- "\${words[@]:1}" 2> /dev/null)`,
    '}',
    'complete -o default -F _gatewright gatewright',
  ].join('\n');

const zsh = (commands: readonly Completable[]): string =>
  [
    '#compdef gatewright',
    '_gatewright() {',
    '  local -a found',
    '  if ((CURRENT == 2)); then',
    `    compadd -- ${namesIn(commands)}`,
    '    return',
    '  fi',
    '  if [[ $PREFIX == -* && $PREFIX != *=* ]]; then',
    `    case \${words[2]} in`,
    ...commands.map(({ name, options }) => `      ${name}) compadd -- ${options.join(' ')} ;;`),
    '    esac',
    '    return',
    '  fi',
    `  found=("\${(@f)$(gatewright __complete -- "\${(@)words[2,CURRENT-1]}" "$PREFIX" 2> /dev/null)}")`,
    "  compset -P '--*='",
    `  if [[ $found[1] == :files ]]; then _files; else compadd -- \${(@)found:#}; fi`,
    '}',
    'if [[ $funcstack[1] == _gatewright ]]; then _gatewright "$@"; else compdef _gatewright gatewright; fi',
  ].join('\n');

const fish = (commands: readonly Completable[]): string =>
  [
    'function __gatewright_complete',
    '  set -l typed (commandline -opc)',
    '  set -l found (gatewright __complete -- $typed[2..-1] (commandline -ct) 2> /dev/null)',
    '  if test "$found" = :files; __fish_complete_path (commandline -ct); else; printf "%s\\n" $found; end',
    'end',
    "complete -c gatewright -f -n 'not __fish_use_subcommand' -a '(__gatewright_complete)'",
    ...commands.flatMap(({ name, description, options }) => [
      `complete -c gatewright -n __fish_use_subcommand -f -a ${name} -d '${description.replaceAll("'", '’')}'`,
      ...options.map(
        (option) => `complete -c gatewright -n '__fish_seen_subcommand_from ${name}' -l ${option.slice(2)}`,
      ),
    ]),
  ].join('\n');
