import { CliError } from '../kit/cli-error.ts';

/** A command as shells complete it. */
export interface Completable {
  readonly name: string;
  readonly description: string;
  /** Long forms: `--output`. */
  readonly options: readonly string[];
}

/** The shells there is a script for. */
const shells = ['bash', 'zsh', 'fish'] as const;

/** A script that completes commands and their options, for `eval` or the shell's folder of completions. */
export function completionScript(shell: string, commands: readonly Completable[]): string {
  switch (shell) {
    case 'bash':
      return bash(commands);
    case 'zsh':
      return `#compdef gatewright\nautoload -U bashcompinit && bashcompinit\n${bash(commands)}`;
    case 'fish':
      return fish(commands);
    default:
      throw new CliError(`no completion for ${JSON.stringify(shell)}; there is one for ${shells.join(', ')}`);
  }
}

const bash = (commands: readonly Completable[]): string =>
  [
    '_gatewright() {',
    `  local command=\${COMP_WORDS[1]} word=\${COMP_WORDS[COMP_CWORD]} words`,
    '  if ((COMP_CWORD == 1)); then',
    `    words='${commands.map(({ name }) => name).join(' ')}'`,
    '  else',
    '    case $command in',
    ...commands.map(({ name, options }) => `      ${name}) words='${options.join(' ')}' ;;`),
    '    esac',
    '  fi',
    '  COMPREPLY=($(compgen -W "$words" -- "$word"))',
    '}',
    'complete -o default -F _gatewright gatewright',
  ].join('\n');

const fish = (commands: readonly Completable[]): string =>
  commands
    .flatMap(({ name, description, options }) => [
      `complete -c gatewright -n __fish_use_subcommand -f -a ${name} -d '${description.replaceAll("'", '’')}'`,
      ...options.map(
        (option) => `complete -c gatewright -n '__fish_seen_subcommand_from ${name}' -l ${option.slice(2)}`,
      ),
    ])
    .join('\n');
