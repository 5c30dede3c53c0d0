import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import type { Command } from 'commander';
import { describedProgram } from '../../../scripts/described-program.ts';
import { root } from '../../../scripts/paths.mjs';

const program = describedProgram('test');

const page = readFileSync(join(root, 'docs/cli.md'), 'utf8');
const [introduction = '', table = ''] = /^(?<before>[\s\S]*?)\n\| command \|.*\n\|[-|]*\n(?<rows>(?:\|.*\n)*)/
  .exec(page)
  ?.slice(1) ?? [''];

/** Each command that people call, by its words: `config check`. */
const commands: ReadonlyMap<string, Command> = new Map(
  program.commands
    .filter((command) => !command.name().startsWith('_'))
    .flatMap((command) =>
      command.commands.length === 0
        ? [[command.name(), command] as const]
        : command.commands.map((inner) => [`${command.name()} ${inner.name()}`, inner] as const),
    ),
);

/** What a text in backticks is about: the longest command that it begins with. */
const commandOf = (text: string): string | undefined =>
  [...commands.keys()]
    .filter((name) => text === name || text.startsWith(`${name} `))
    .sort()
    .at(-1);

const optionsIn = (text: string): string[] =>
  [...text.matchAll(/(?<=^|[\s[(|])--?[a-zA-Z][\w-]*/g)].map(([option]) => option);

const inBackticks = (text: string): string[] =>
  [...text.matchAll(/`(?<code>[^`]+)`/g)].map(([, code]) => code as string);

const rows = table
  .split('\n')
  .filter(Boolean)
  .map((row) => {
    const [, first = '', ...rest] = row.split(/(?<!\\)\|/);
    return { spans: inBackticks(first), options: inBackticks(`${first} ${rest.join('|')}`).flatMap(optionsIn) };
  });
const rowsOf = (name: string) => rows.filter(({ spans }) => spans.some((span) => commandOf(span) === name));

/** Options that the introduction describes, for every command that has them. */
const common = new Set(inBackticks(introduction.replace(/```[\s\S]*?```/g, '')).flatMap(optionsIn));

test('the page has a table of commands', (t) => {
  t.true(rows.length > 15);
  t.true(common.has('--server'));
});

for (const [name, command] of commands) {
  test(`${name} is on docs/cli.md with its options`, (t) => {
    t.true(rowsOf(name).length > 0, 'a row');
    const named = new Set([...common, ...rowsOf(name).flatMap(({ options }) => options)]);
    const missing = command.options.filter(({ long, short }) => !named.has(long ?? '') && !named.has(short ?? ''));
    t.deepEqual(
      missing.map(({ flags }) => flags),
      [],
    );
  });
}

test('every command and option of the table exists', (t) => {
  for (const { spans, options } of rows) {
    const names = spans.flatMap((span) => commandOf(span) ?? []);
    // A row may go on with other values of an argument: `completion bash`, `zsh`.
    t.true(names.length > 0, spans.join(', '));
    const known = names.flatMap((name) => commands.get(name)?.options.flatMap(({ long, short }) => [long, short]));
    for (const option of options) t.true(known.includes(option), `${names.join(', ')} has no ${option}`);
  }
});

test('every call in the examples is of a command with such options', (t) => {
  const calls = [...page.matchAll(/gatewright (?<rest>[a-z][^\n`"|]*)/g)].map(({ groups }) => groups?.rest ?? '');
  t.true(calls.length > 5);
  for (const call of calls) {
    const name = commandOf(call.trim());
    if (name === undefined) continue;
    const known = commands.get(name)?.options.flatMap(({ long, short }) => [long, short]);
    for (const option of optionsIn(call)) t.true(known?.includes(option), `${call}: no option ${option}`);
  }
});
