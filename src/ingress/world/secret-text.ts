import type { Secret } from '../../gateway-api/index.ts';

/** An entry of a Secret, decoded. */
export function secretText(secret: Secret | undefined, entry: string): string | undefined {
  const { data, stringData } = (secret ?? {}) as {
    readonly data?: Record<string, string>;
    readonly stringData?: Record<string, string>;
  };
  const encoded = data?.[entry];
  return stringData?.[entry] ?? (encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('utf8'));
}
