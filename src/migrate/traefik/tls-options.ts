import { idOf, type SourceObject, type SourceObjects } from '../kit/objects.ts';
import { type Output, objectOf } from '../kit/output.ts';
import type { Converted } from '../kit/result.ts';
import { type Table, Visit } from '../kit/table.ts';
import { type Fields, isFields, textAt, textOf, textsOf } from '../kit/values.ts';
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

/** The TLSOption of an object with TLS: the one that it names, else the one called `default`. Null: it names one that does not exist. */
function optionOf(tls: Fields, home: string, objects: SourceObjects): SourceObject | undefined | null {
  const { options } = tls;
  if (!isFields(options)) return objects.of('TLSOption').find(({ name }) => name === 'default');
  return objects.find('TLSOption', textAt(options, 'namespace') ?? home, textOf(options.name)) ?? null;
}

/** Notes what protects in the TLSOption of a route and has no equivalent here: then the route is closed. Gives the key of the option. */
export function noteOption(
  tls: Fields,
  home: string,
  objects: SourceObjects,
  without: ReadonlySet<string>,
  visit: Visit,
): string | undefined {
  const option = optionOf(tls, home, objects);
  if (option === null) visit.at('tls.options').lose('there is no such TLSOption', true);
  if (option === null || option === undefined) return undefined;
  const read = new Visit(true);
  read.walk(option.spec, tlsOptionTable);
  if (!without.has(`${option.namespace}/${option.name}`))
    for (const note of read.notes.filter(({ blocks }) => blocks))
      visit.notes.push({
        ...note,
        field: `${visit.path}.tls.options(${option.namespace}/${option.name}).${note.field}`,
      });
  return idOf(option);
}

/** TLSOptions as ListenerPolicies of the listeners that have them. What is lost and protects has closed the routes. */
export function convertOptions(
  options: readonly SourceObject[],
  listeners: Listeners,
  output: Output,
): readonly Converted[] {
  return options.map((source) => {
    const visit = new Visit(true);
    visit.walk(source.spec, tlsOptionTable);
    const { notes } = visit;
    const spec = visit.draft.of('ListenerPolicy');
    const places = listeners.withOption(idOf(source));
    if (places.length === 0) return { id: idOf(source), outcome: 'left', notes };
    for (const [namespace, some] of Map.groupBy(places, (place) => place.namespace))
      if (spec !== undefined)
        output.add(
          `${namespace}/tlsoption-${source.name}.yaml`,
          objectOf('gatewright.dev/v1alpha1', 'ListenerPolicy', namespace, source.name, {
            targetRefs: some.map(({ section }) => section),
            ...spec,
          }),
          notes,
        );
    return { id: idOf(source), outcome: notes.some(({ blocks }) => blocks) ? 'closed' : 'converted', notes };
  });
}
