import type { KubernetesObject } from '../gateway-api/index.ts';
import { type KubeClient, KubeError, prune } from '../kube/index.ts';
import { covers } from './covers.ts';
import { digestAnnotation, gatewayAnnotation } from './names.ts';
import { type ProxyObject, proxyKinds } from './object.ts';
import { isMadeFor } from './owner.ts';

/** The calls that keep the objects; KubeClient has them. */
export type ObjectApi = Pick<KubeClient, 'find' | 'apply' | 'delete'>;

/** Why the object could not be made so; undefined when it is as desired, or on its way. */
export type Problem = string | undefined;

/**
 * Makes one object so by server-side apply, if it is not. `live` is what the watch knows of it. An object of the same
 * name that is not ours is left alone and is a problem for a person.
 */
export async function reconcileObject(
  api: ObjectApi,
  live: KubernetesObject | undefined,
  desired: ProxyObject,
  signal: AbortSignal,
): Promise<Problem> {
  const kind = proxyKinds[desired.kind];
  // The watch shows only what carries our label, so a name that seems free may be taken.
  const found = live ?? (await api.find(kind, desired.metadata, { signal }));
  if (found !== undefined && !isMadeFor(found, desired.metadata)) return taken(desired);
  // It is applied again when its deletion is complete, which the watch reports.
  if (found?.metadata.deletionTimestamp !== undefined) return undefined;
  if (live !== undefined && matchesDesired(live, desired)) return undefined;
  try {
    await api.apply(kind, desired, { signal });
    return undefined;
  } catch (error) {
    // Rejected for its content: a retry would not help, and the author of the Gateway should read why.
    if (error instanceof KubeError && error.code === 'invalid') return error.message;
    // It is no longer what `desired` was made from. The watch reports what it is, and then it is applied again.
    if (error instanceof KubeError && error.code === 'conflict') return undefined;
    throw error;
  }
}

/** Deletes an object of ours, if it is still the same one. */
export async function deleteObject(
  api: ObjectApi,
  live: KubernetesObject & { readonly kind: keyof typeof proxyKinds },
  signal: AbortSignal,
): Promise<void> {
  if (live.metadata.deletionTimestamp !== undefined) return;
  try {
    await api.delete(proxyKinds[live.kind], live.metadata, {
      uid: live.metadata.uid,
      propagationPolicy: 'Background',
      signal,
    });
  } catch (error) {
    if (error instanceof KubeError && (error.code === 'not-found' || error.code === 'conflict')) return;
    throw error;
  }
}

/** The digest shows that the desired object changed, the comparison what others changed. */
export const matchesDesired = (live: KubernetesObject, desired: ProxyObject): boolean =>
  live.metadata.annotations?.[digestAnnotation] === desired.metadata.annotations?.[digestAnnotation] &&
  covers(live, prune(proxyKinds[desired.kind], desired));

const taken = ({ kind, metadata }: ProxyObject): string =>
  `${kind} ${metadata.name} exists and was not made for this Gateway: rename or delete it (annotation ${gatewayAnnotation})`;
