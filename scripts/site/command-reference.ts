import type { Argument, Command, Option } from 'commander';
import { describedProgram } from '../described-program.ts';
import type { ReferencePage } from './kind-reference.ts';

/** Every command with its arguments and options, as the program itself has them. */
export function commandPage(version: string): ReferencePage {
  const program = describedProgram(version);
  const markdown = [
    '# Commands',
    `All commands of \`gatewright\` ${version} with their options, as \`gatewright help COMMAND\` prints them. [Command line](/cli.md) explains them.`,
    ...program.commands.flatMap((command) => partOf(command, '')),
  ].join('\n\n');
  return { path: 'reference/commands.md', title: 'Commands', markdown };
}

function partOf(command: Command, before: string): string[] {
  if (command.name().startsWith('_')) return [];
  const name = `${before}${command.name()}`;
  const inner = command.commands.flatMap((each) => partOf(each, `${name} `));
  if (inner.length > 0) return inner;
  return [
    `## ${name}`,
    text(command.description()),
    `\`\`\`\ngatewright ${name} ${command.usage()}\n\`\`\``,
    ...table('argument', command.registeredArguments.map(argumentRow)),
    ...table('option', command.options.filter(({ hidden }) => !hidden).map(optionRow)),
  ];
}

const table = (first: string, rows: readonly string[]): string[] =>
  rows.length === 0 ? [] : [[`| ${first} | meaning |`, '|---|---|', ...rows].join('\n')];

const argumentRow = (argument: Argument): string =>
  `| \`${argument.name()}${argument.variadic ? '…' : ''}\` | ${cell(argument.description, argument.argChoices, argument.defaultValue)} |`;

const optionRow = ({ flags, description, argChoices, defaultValue }: Option): string =>
  `| \`${flags.replaceAll('|', '\\|')}\` | ${cell(description, argChoices, defaultValue)} |`;

function cell(description: string, choices: readonly string[] | undefined, preset: unknown): string {
  const parts = [
    text(description),
    ...(choices === undefined ? [] : [`one of: ${choices.map((choice) => `\`${choice}\``).join(', ')}`]),
    ...(['string', 'number'].includes(typeof preset) ? [`default: \`${preset}\``] : []),
  ];
  return parts.filter(Boolean).join('<br>').replaceAll('|', '\\|');
}

const text = (words: string): string => words.replaceAll('<', '&lt;').replaceAll('{{', '&#123;&#123;');
