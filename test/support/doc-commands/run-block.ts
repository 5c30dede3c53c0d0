import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { blocksOf, type CommandBlock } from './blocks.ts';
import { type BlockPlan, plans, type Scene } from './plans.ts';

/** A block that is tried, with what is put into it. */
export interface PlannedBlock {
  readonly block: CommandBlock;
  readonly plan: Extract<BlockPlan, { readonly scene: Scene }>;
}

/** Blocks of a scene in the order of pages, and of these. */
export const blocksIn = (scene: Scene): readonly PlannedBlock[] =>
  Object.entries(plans).flatMap(([page, list]) => {
    const blocks = blocksOf(page);
    return list.flatMap((plan, at) => {
      const block = blocks[at];
      return 'scene' in plan && plan.scene === scene && block !== undefined ? [{ block, plan }] : [];
    });
  });

/** The script of a block: it ends at the first command that ends with another status than it should. */
export function scriptOf({ block, plan }: PlannedBlock): string {
  const begins =
    (entries: Readonly<Record<string, unknown>> = {}) =>
    (command: string) =>
      Object.keys(entries).find((beginning) => command.startsWith(beginning));
  const left = block.commands.filter((command) => begins(plan.without)(command) === undefined);
  const lines = left.map((command) => {
    const filled = (plan.put ?? []).reduce((text, [from, to]) => text.replaceAll(new RegExp(from, 'g'), to), command);
    const expected = plan.ends?.[begins(plan.ends)(command) ?? ''];
    return expected === undefined
      ? filled
      : `status=0; ${filled} || status=$?; [[ $status =~ ^(${expected.join('|')})$ ]]`;
  });
  return ['set -euo pipefail', ...lines].join('\n');
}

export interface BlockEnded {
  readonly code: number | null;
  /** What the commands printed, each behind a line with the command itself. */
  readonly output: string;
}

/** Runs a script as a reader does: in bash, in a folder, with programs that `env` has in its PATH. */
export async function runScript(script: string, directory: string, env: NodeJS.ProcessEnv): Promise<BlockEnded> {
  const child = spawn('bash', ['-x', '-c', script], { cwd: directory, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const [code] = await once(child, 'close');
  return { code: code as number | null, output };
}
