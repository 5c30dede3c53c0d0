import { effect, signal } from '@preact/signals';
import type { Problems } from '../api/index.ts';

/** What the control plane says of the whole. The overview and the title of every page show it. */
export const verdict = signal<Problems | undefined>(undefined);

const signs: Readonly<Record<Problems['verdict'], string>> = { ok: '✔', warning: '⚠', failing: '✖', unknown: '?' };

/** Says the verdict in the title, where it shows in a tab that nobody looks at. */
export function showInTitle(): void {
  effect(() => {
    const problems = verdict.value;
    const count = problems !== undefined && problems.total > 0 ? String(problems.total) : '';
    document.title = problems === undefined ? 'Gatewright' : `${signs[problems.verdict]}${count} Gatewright`;
  });
}
