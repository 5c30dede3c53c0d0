import { createHash } from 'node:crypto';
import type { Dice } from '../../test/support/fuzz/dice.ts';
import type { ObjectMaker } from '../../test/support/fuzz/small-world.ts';
import type { AnyObject } from '../../test/support/world.ts';

/** What a route answers whose backend is none: nothing of the objects around it can be to blame for another answer. */
export const canaryStatus = 302;

/** The Gateway that all share, and one that belongs to the objects: what is for a whole Gateway is for that one. */
export const shared = 'edge';
const own = 'own';

type Json = { [key: string]: unknown };

export const redirectRoute = (name: string, host: string): AnyObject =>
  ({
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'HTTPRoute',
    metadata: { name, namespace: 'default' },
    spec: {
      parentRefs: [{ name: shared }],
      hostnames: [host],
      rules: [
        {
          filters: [
            { type: 'RequestRedirect', requestRedirect: { statusCode: canaryStatus, hostname: 'served.test' } },
          ],
        },
      ],
    },
  }) as never;

/** Objects as tenants could write them: none is the operator's own Gateway, and none is a policy for the whole of it. */
export function liveObjects(maker: ObjectMaker, dice: Dice, ports: readonly number[]): AnyObject[] {
  return maker.written(dice).flatMap((object) => adapted(structuredClone(object) as unknown as Json, ports) ?? []);
}

function adapted(object: Json, ports: readonly number[]): AnyObject | undefined {
  const metadata = object.metadata as Json | undefined;
  const spec = object.spec as Json | undefined;
  if (object.kind === 'GatewayClass' && metadata?.name === 'gatewright') return undefined;
  if (object.kind === 'Gateway' && metadata) metadata.name = own;
  if (object.kind === 'Namespace' && ['default', 'kube-system'].includes(String(metadata?.name))) return undefined;
  if (typeof spec !== 'object' || spec === null) return object as never;
  // An address that is not of this machine cannot be bound, which is no fault.
  if (object.kind === 'Gateway') delete spec.addresses;
  if (Array.isArray(spec.listeners)) for (const listener of spec.listeners) movePort(listener, ports);
  if (Array.isArray(spec.targetRefs)) for (const ref of spec.targetRefs) moveTarget(ref);
  return object as never;
}

function movePort(listener: Json | null, ports: readonly number[]): void {
  if (typeof listener !== 'object' || listener === null || typeof listener.port !== 'number') return;
  const digest = createHash('sha256').update(String(listener.port)).digest();
  listener.port = ports[(digest[0] ?? 0) % ports.length];
}

function moveTarget(ref: Json | null): void {
  if (typeof ref !== 'object' || ref === null) return;
  if (ref.kind === 'Gateway' && ref.name === shared) ref.name = own;
}
