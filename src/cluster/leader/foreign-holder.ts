import { controllerAnnotation, type Lease } from './lease.ts';

/**
 * Whose the lease is, when it is not ours: one that another program has held at some time, or that control planes for
 * other GatewayClasses elect their leader with. Undefined when it is ours, or was made for us and never held.
 */
export function foreignHolder({ metadata, spec }: Lease, controllerName: string): string | undefined {
  const holder = spec?.holderIdentity ? `held by ${JSON.stringify(spec.holderIdentity)}` : 'without a holder just now';
  const written = metadata.annotations?.[controllerAnnotation];
  if (written === controllerName) return undefined;
  if (written !== undefined) return `the lease of control planes for the controller name ${written}, ${holder}`;
  const isUntouched = !spec?.holderIdentity && spec?.renewTime === undefined;
  return isUntouched ? undefined : `the lease of another program, ${holder}`;
}
