import { counted } from '../../std/index.ts';
import { printable } from '../inventory/text.ts';
import type { MigrationStatus, MoveState } from './migration-status.ts';

const words: Readonly<Record<MoveState, string>> = {
  accepted: 'accepted',
  converted: 'converted',
  pending: 'not accepted yet',
  changed: 'changed',
  open: 'not converted',
  'not-served': 'not served today',
};

/** For a terminal. */
export function statusText({ counts, ingresses, gone, certificates, unread }: MigrationStatus): string {
  const width = Math.max(0, ...ingresses.map(({ ingress }) => ingress.length));
  const parts = (Object.keys(words) as MoveState[]).flatMap((state) =>
    counts[state] === 0 ? [] : [`${counts[state]} ${words[state]}`],
  );
  return [
    `${counted(ingresses.length, 'Ingress', 'Ingresses')}: ${parts.join(', ') || 'none'}`,
    ...ingresses
      .filter(({ state }) => state !== 'accepted' && state !== 'converted')
      .map(({ ingress, state, text }) => `  ${ingress.padEnd(width)}   ${words[state]}: ${text}`),
    ...list('routes whose Ingress is gone, which serve on', gone),
    ...list('Certificates that are deleted with their Ingress', certificates ?? []),
    ...list('could not be read', unread),
  ]
    .map(printable)
    .join('\n');
}

const list = (title: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : ['', title, ...lines.map((line) => `  ${line}`)];
