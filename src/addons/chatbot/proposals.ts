import { parse } from 'yaml';
import { textDiff } from '../../std/text-diff/index.ts';
import { AdminRejection, type AskAdmin } from './ask-admin.ts';
import type { ChatEvent } from './events.ts';
import type { wire } from './tools/index.ts';

/** Manifests that an answer proposes: its fenced blocks of YAML that hold objects, as one text. Undefined when there are none. */
export function proposedManifests(answer: string): string | undefined {
  const blocks = [
    ...answer.matchAll(/^[ \t]*(?:```|~~~)[ \t]*(?:ya?ml|kubernetes)?[ \t]*\n([\s\S]*?)^[ \t]*(?:```|~~~)[ \t]*$/gim),
  ]
    .map(([, block = '']) => block.trim())
    .filter((block) => /^apiVersion:/m.test(block) && /^kind:/m.test(block));
  return blocks.length === 0 ? undefined : `${blocks.join('\n---\n')}\n`;
}

/** What a dry run said of a proposal. */
export interface DryRun {
  readonly valid: boolean;
  /** Whether it could be tried at all: else there is nothing to correct. */
  readonly tried: boolean;
  readonly errors: readonly string[];
  /** What of it would not work, though it is valid. */
  readonly warnings: readonly string[];
  /** Of what there is to what there would be; empty when nothing would change. */
  readonly diff: string;
  /** JSON of what proxies would have to do otherwise; empty when that is nothing, or could not be found out. */
  readonly ir: string;
}

/** Has the control plane try them; nothing is changed. Errors of the attempt are findings too. */
export async function dryRun(manifests: string, ask: AskAdmin, signal: AbortSignal): Promise<DryRun> {
  const answer = await ask({ method: 'POST', path: '/v1/validate', body: manifests }, signal);
  if (answer.status >= 400)
    return { valid: false, tried: false, errors: [new AdminRejection(answer).message], warnings: [], diff: '', ir: '' };
  const { valid, errors, warnings, objects } = answer.body as wire.ValidationAnswer;
  const diff = valid ? objects.map(diffOf).join('') : '';
  return { valid, tried: true, errors, warnings, diff, ir: diff === '' ? '' : await irOf(objects, ask, signal) };
}

/** More of it is for `POST /v1/diff`. */
const maxIrBytes = 32 * 1024;

async function irOf(objects: wire.ValidationAnswer['objects'], ask: AskAdmin, signal: AbortSignal): Promise<string> {
  const items = objects.map(({ after }) => parse(after, { uniqueKeys: false }) as unknown);
  const answer = await ask(
    { method: 'POST', path: '/v1/diff', body: { apiVersion: 'v1', kind: 'List', items } },
    signal,
  );
  if (answer.status >= 400) return '';
  const { ir } = answer.body as wire.DiffAnswer;
  if (ir.length === 0) return '';
  let bytes = 0;
  const shown = ir.filter((change) => {
    bytes += JSON.stringify(change).length;
    return bytes <= maxIrBytes;
  });
  return JSON.stringify({ changes: shown, left_out: ir.length - shown.length });
}

function diffOf({ kind, namespace, name, before, after }: wire.ValidationAnswer['objects'][number]): string {
  if (before === after) return '';
  const file = `${kind}/${namespace}/${name}.yaml`;
  return textDiff(before === '' ? '/dev/null' : `a/${file}`, `b/${file}`, before, after);
}

/** The summary of a proposal. `corrected`: it is not the first one. */
export function* proposalEvents(
  manifests: string,
  { valid, errors, warnings, diff, ir }: DryRun,
  corrected: boolean,
): Generator<ChatEvent> {
  yield { type: 'manifests', manifests, valid, errors, ...(warnings.length > 0 && { warnings }) };
  if (!valid) yield { type: 'dry_run_status', success: false, error: errors.join('; '), status: 'invalid' };
  else if (corrected) yield { type: 'dry_run_status', success: true, corrected, status: 'corrected' };
  else yield { type: 'dry_run_status', success: true, status: 'valid' };
  if (diff !== '') yield { type: 'diff', diff };
  if (ir !== '') yield { type: 'ir', ir };
}
