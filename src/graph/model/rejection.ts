import type { RejectedKind } from '../../contracts/index.ts';
import type * as ir from '../../ir/index.ts';

/** A piece of content that is rejected, with the reason. Known of it is what the snapshot holds: digests and keys. */
export interface Rejection {
  readonly kind: RejectedKind;
  /** ir.Gateway.key of the proxies. */
  readonly gateway: string;
  /** Of a route its source, `KIND/NAMESPACE/NAME`; else the key in the IR. */
  readonly key: string;
  /** Of the content: ir.digestOfRoutes or, of a route of connections, of its shares; ir.digestOf of anything else. */
  readonly digest: ir.Digest;
  readonly message: string;
  /** No proxy was sent it, because it cannot be encoded. */
  readonly isUnencodable?: true;
  /** It is not rejected: it waits for a trial (`running`), or is served without one (`none`). */
  readonly trial?: 'running' | 'none';
}
