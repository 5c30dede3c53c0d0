import { existsSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import type { Command } from 'commander';
import { describedProgram } from '../../../scripts/described-program.ts';
import { root } from '../../../scripts/paths.mjs';
import { blocksOf, commandPages, inlineCalls } from '../../support/doc-commands/blocks.ts';
import { plans } from '../../support/doc-commands/plans.ts';

test('each block of commands of a page is tried by a test, or it says why not', (t) => {
  for (const page of commandPages) {
    const begun = blocksOf(page).map(({ commands }) => commands[0] ?? '');
    const planned = plans[page] ?? [];
    t.is(
      begun.length,
      planned.length,
      `${page} has other blocks than test/support/doc-commands/plans.ts: ${begun.join(' | ')}`,
    );
    for (const [at, { begins }] of planned.entries())
      t.true(begun[at]?.startsWith(begins), `${page}, block ${at + 1}: ${begun[at]} does not begin with ${begins}`);
  }
  t.deepEqual(
    Object.keys(plans).filter((page) => !commandPages.includes(page)),
    [],
  );
});

test('a command that is left out, or ends otherwise, is one of its block', (t) => {
  for (const [page, list] of Object.entries(plans))
    for (const [at, plan] of list.entries()) {
      if ('by' in plan) t.true(existsSync(join(root, plan.by)), plan.by);
      if (!('scene' in plan)) continue;
      const commands = blocksOf(page)[at]?.commands ?? [];
      for (const beginning of Object.keys({ ...plan.without, ...plan.ends }))
        t.true(
          commands.some((command) => command.startsWith(beginning)),
          `${page}: ${beginning}`,
        );
    }
});

const program = describedProgram('test');

/** The command that words begin with, and the innermost one there is. */
function commandOf(words: readonly string[], from: Command = program): Command | undefined {
  const found = from.commands.find(
    (command) => command.name() === words[0] || command.aliases().includes(words[0] ?? ''),
  );
  if (found === undefined) return undefined;
  return commandOf(words.slice(1), found) ?? found;
}

test('each command of ours that a page names exists, with its options', (t) => {
  const calls = commandPages.flatMap((page) => [
    ...inlineCalls(page).map((call) => ({ page, call })),
    ...blocksOf(page).flatMap(({ commands }) =>
      commands
        .filter((command) => command.startsWith('gatewright '))
        .map((command) => ({ page, call: command.slice('gatewright '.length) })),
    ),
  ]);
  t.true(calls.length > 100, `${calls.length} calls`);
  for (const { page, call } of calls) {
    const command = commandOf(call.split(/[\s,]+/));
    t.truthy(command, `${page}: there is no gatewright ${call}`);
    const known = new Set(command?.options.flatMap(({ long, short }) => [long, short]));
    const named = [...call.matchAll(/(?<=\s|\[)--?[a-zA-Z][\w-]*/g)].map(([option]) => option);
    t.deepEqual(
      named.filter((option) => !known.has(option)),
      [],
      `${page}: gatewright ${call}`,
    );
  }
});
