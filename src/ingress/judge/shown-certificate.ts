import { keyOf, type ObjectKey, objectKey } from '../../gateway-api/index.ts';
import { backendSecret } from '../features/backend-tls.ts';
import { SettingsOf } from '../settings-of.ts';
import { secretText } from '../world/secret-text.ts';
import type { Site } from './site.ts';

/** The Secret whose certificate backends are shown, where all Ingresses that name one mean the same: a Gateway has one for all of its backends. */
export function shownCertificate({ ordered, dead, world }: Site): ObjectKey | undefined {
  const named = new Set(
    ordered.flatMap((ingress) => {
      const settings = new SettingsOf(ingress, world.controller);
      const isTls = /^(?:https|grpcs)$/i.test(settings.get('backend-protocol'));
      const secret =
        isTls && !dead.has(keyOf(ingress))
          ? backendSecret(settings, ingress.metadata.namespace ?? 'default')
          : undefined;
      if (secret === undefined) return [];
      const key = objectKey(secret.namespace, secret.name);
      return secretText(world.secrets.get(key), 'tls.crt') === undefined ? [] : [key];
    }),
  );
  const [key] = named;
  return named.size === 1 ? key : undefined;
}
