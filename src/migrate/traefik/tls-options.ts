import { idOf, type SourceObject } from '../kit/objects.ts';
import { type Output, objectOf } from '../kit/output.ts';
import type { Converted } from '../kit/result.ts';
import { type Table, Visit } from '../kit/table.ts';
import { textOf, textsOf } from '../kit/values.ts';
import type { Listeners } from './listeners.ts';
import { versionOf } from './tables/service.ts';

const suites: Readonly<Record<string, string>> = {
  TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256: 'ECDHE-ECDSA-AES128-GCM-SHA256',
  TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256: 'ECDHE-RSA-AES128-GCM-SHA256',
  TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384: 'ECDHE-ECDSA-AES256-GCM-SHA384',
  TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384: 'ECDHE-RSA-AES256-GCM-SHA384',
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-ECDSA-CHACHA20-POLY1305',
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-RSA-CHACHA20-POLY1305',
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305: 'ECDHE-ECDSA-CHACHA20-POLY1305',
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305: 'ECDHE-RSA-CHACHA20-POLY1305',
  TLS_RSA_WITH_AES_128_GCM_SHA256: 'AES128-GCM-SHA256',
  TLS_RSA_WITH_AES_256_GCM_SHA384: 'AES256-GCM-SHA384',
};
const curves: Readonly<Record<string, string>> = {
  CurveP256: 'P-256',
  CurveP384: 'P-384',
  CurveP521: 'P-521',
  X25519: 'X25519',
  X25519MLKEM768: 'X25519MLKEM768',
};

const translated = (words: Readonly<Record<string, string>>) => (value: unknown, visit: Visit) => {
  const all = textsOf(value);
  // Those of TLS 1.3 cannot be chosen.
  for (const name of all.filter((each) => words[each] === undefined && !/^TLS_(?:AES|CHACHA)/.test(each)))
    visit.miss(`${name} is not offered`);
  const kept = all.flatMap((name) => words[name] ?? []);
  return kept.length > 0 ? [...new Set(kept)] : undefined;
};

/** Fields of a TLSOption. */
export const tlsOptionTable: Table = {
  minVersion: { to: 'ListenerPolicy.tls.minVersion', as: versionOf },
  maxVersion: { to: 'ListenerPolicy.tls.maxVersion', as: versionOf },
  cipherSuites: { to: 'ListenerPolicy.tls.cipherSuites', as: translated(suites) },
  curvePreferences: { to: 'ListenerPolicy.tls.curves', as: translated(curves) },
  alpnProtocols: {
    to: 'ListenerPolicy.tls.alpnProtocols',
    as: (value) => textsOf(value).filter((name) => name === 'h2' || name === 'http/1.1'),
  },
  disableSessionTickets: {
    to: 'ListenerPolicy.tls.sessionResumption',
    as: (value) => (value === true ? 'IDs' : undefined),
  },
  preferServerCipherSuites: { none: 'the proxy chooses' },
  sniStrict: { none: 'names without a listener are not served' },
  clientAuth: {
    by: (value, visit) => {
      const { clientAuthType } = value as { readonly clientAuthType?: unknown };
      if (clientAuthType !== undefined && textOf(clientAuthType) === 'NoClientCert') return;
      visit.lose('certificates of clients are asked for by the Gateway: set its tls.frontend');
    },
    knows: ['clientAuthType', 'secretNames'],
  },
};

/** TLSOptions as ListenerPolicies of the listeners that name them. */
export function convertOptions(
  options: readonly SourceObject[],
  listeners: Listeners,
  without: ReadonlySet<string>,
  output: Output,
): readonly Converted[] {
  return options.map((source) => {
    const visit = new Visit(true);
    visit.walk(source.spec, tlsOptionTable);
    const targetRefs = listeners
      .withOptions()
      .filter(({ namespace, option }) => namespace === source.namespace && option === source.name)
      .map(({ section }) => section);
    const { notes } = visit;
    if (targetRefs.length === 0)
      return {
        id: idOf(source),
        outcome: 'left',
        notes: [
          {
            verdict: 'decision',
            field: 'spec',
            text: 'no route of its namespace names it: write a ListenerPolicy where it is meant',
          },
          ...notes,
        ],
      };
    const isClosed = notes.some(({ blocks }) => blocks) && !without.has(`${source.namespace}/${source.name}`);
    const file = `${source.namespace}/tlsoption-${source.name}.yaml`;
    const spec = visit.draft.of('ListenerPolicy');
    if (spec !== undefined)
      output.add(
        file,
        objectOf('gatewright.dev/v1alpha1', 'ListenerPolicy', source.namespace, source.name, { targetRefs, ...spec }),
        notes,
      );
    if (isClosed)
      output.add(
        file,
        objectOf('gatewright.dev/v1alpha1', 'AccessPolicy', source.namespace, `${source.name}-tls`, {
          targetRefs,
          clientIPs: { deny: ['0.0.0.0/0', '::/0'] },
        }),
        spec === undefined ? notes : [],
      );
    return { id: idOf(source), outcome: isClosed ? 'closed' : 'converted', notes };
  });
}
