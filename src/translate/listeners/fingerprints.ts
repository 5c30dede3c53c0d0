import type * as ir from '../../ir/index.ts';

/** By what program a client opened its connection: a digest of its first message of TLS. */
export const fingerprintFields: Readonly<Record<string, string>> = {
  'tls.client.ja3': '%TLS_JA3_FINGERPRINT%',
  'tls.client.ja4': '%TLS_JA4_FINGERPRINT%',
};

const headers = { ja3: 'X-JA3-Fingerprint', ja4: 'X-JA4-Fingerprint' } as const;

/** Whether some chain shows it, as the inspector of all of them reads it. */
export const usesFingerprint = (chains: readonly ir.Chain[], kind: keyof typeof headers): boolean =>
  chains.some(
    (chain) =>
      chain.kind === 'http' &&
      (chain.client?.forwarded?.add.includes(headers[kind]) || logs(chain.accessLog, `tls.client.${kind}`)),
  );

const logs = ({ fields = [], text = '' }: ir.AccessLog = {}, field: string): boolean =>
  fields.includes(field) || text.includes(`%${field}%`);
