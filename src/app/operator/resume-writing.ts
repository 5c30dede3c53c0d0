import type { Leadership } from './leadership.ts';
import type { XdsIdentity } from './xds-identity.ts';

/** What writes while this replica leads. */
export interface Writers {
  readonly infrastructure: { resume(): void; reapply(): void };
  readonly writer: { resume(): void };
}

/** A replica that begins to lead writes what is desired by then. Proxies are written again when they are to trust other authorities. */
export function resumeWriting(
  {
    leadership,
    identity,
  }: {
    readonly leadership: Pick<Leadership, 'onGained'>;
    readonly identity: Pick<XdsIdentity, 'onTrust'> | undefined;
  },
  { infrastructure, writer }: Writers,
): void {
  leadership.onGained(() => {
    writer.resume();
    infrastructure.resume();
  });
  identity?.onTrust(() => infrastructure.reapply());
}
