import type { ComponentChildren } from 'preact';

/** How something is, as every list and badge says it: by a sign and a word, never by colour alone. */
export type State = 'ok' | 'warning' | 'failing' | 'unknown';

const signs: Readonly<Record<State, string>> = { ok: '✔', warning: '⚠', failing: '✖', unknown: '?' };

const worstFirst: readonly State[] = ['failing', 'unknown', 'warning', 'ok'];

/** The order of two states: the worse first. */
export const compareStates = (a: State, b: State): number => worstFirst.indexOf(a) - worstFirst.indexOf(b);

/** A sign and words for a state. */
export function Badge({ state, children }: { readonly state: State; readonly children: ComponentChildren }) {
  return (
    <span class={`badge ${state}`}>
      <span class="sign" aria-hidden="true">
        {signs[state]}
      </span>
      <span>{children}</span>
    </span>
  );
}

/** A message of the API: English, whatever the language of the page. */
export function Message({ children }: { readonly children: ComponentChildren }) {
  return (
    <span class="message" lang="en" dir="auto">
      {children}
    </span>
  );
}

/** Text that users or clients chose. It is shown as it is, in its own direction. */
export function Name({ children }: { readonly children: ComponentChildren }) {
  return <bdi class="name">{children}</bdi>;
}

/** A figure that is not known, with the reason. */
export function Unknown({ why }: { readonly why: string }) {
  return (
    <span class="unknown" title={why}>
      <span aria-hidden="true">–</span>
      <span class="hidden">{why}</span>
    </span>
  );
}
