import type { ComponentChildren } from 'preact';
import { Age } from './panel.tsx';

/** Where a detail belongs: the list that it is an entry of. */
interface Back {
  readonly href: string;
  readonly text: string;
}

/** The heading of a page, with how old its data are; of a detail with the way back to its list. */
export function Title({
  at,
  back,
  actions,
  children,
}: {
  readonly at: Date | undefined;
  readonly back?: Back;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  return (
    <header class="title">
      {back && (
        <p>
          <a href={back.href}>{back.text}</a>
        </p>
      )}
      <h1>{children}</h1>
      <Age at={at} />
      {actions}
    </header>
  );
}

/** What a detail shows whose object is not there, or no longer. */
export function Gone({ back, children }: { readonly back: Back; readonly children: ComponentChildren }) {
  return (
    <p class="empty">
      {children} <a href={back.href}>{back.text}</a>
    </p>
  );
}
