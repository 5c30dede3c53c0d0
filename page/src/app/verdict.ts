import { computed, effect, signal } from '@preact/signals';
import type { Problems } from '../api/index.ts';
import type { Live } from '../live/index.ts';

/** What the control plane says of the whole, asked once for all that show it; undefined before the first question. */
export const liveProblems = signal<Live<Problems> | undefined>(undefined);

/** The last answer. The overview and the title of every page show it. */
export const verdict = computed(() => liveProblems.value?.data);

const signs: Readonly<Record<Problems['verdict'], string>> = { ok: '✔', warning: '⚠', failing: '✖', unknown: '?' };

/** Says the verdict in the title, where it shows in a tab that nobody looks at. */
export function showInTitle(): void {
  effect(() => {
    const problems = verdict.value;
    const count = problems !== undefined && problems.total > 0 ? String(problems.total) : '';
    document.title = problems === undefined ? 'Gatewright' : `${signs[problems.verdict]}${count} Gatewright`;
  });
}
