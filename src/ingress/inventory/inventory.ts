import { entriesOf } from '../annotations/index.ts';
import type { Finding } from '../finding.ts';
import type { Judged, Judgement } from '../judge/judge.ts';
import { hostsOf } from '../judge/site.ts';
import { streamServices } from '../judge/streams.ts';
import { catchAll } from '../model/servers.ts';
import { configKeys, flags, settingNamed } from '../settings/index.ts';
import { type Verdict, verdicts } from '../verdict.ts';

/** One Ingress of an inventory. */
export interface InventoryRow {
  readonly ingress: string;
  readonly hosts: readonly string[];
  readonly verdict: Verdict;
  readonly findings: readonly Finding[];
}

/** What a move from ingress-nginx would do. This is also what `-o json` prints: fields are only added, codes of verdicts stay. */
export interface Inventory {
  readonly version: 1;
  readonly controller: {
    /** `namespace/name`; null if none was found. */
    readonly workload: string | null;
    readonly image: string | null;
    readonly className: string;
    readonly configMap: string | null;
    readonly configMapKeys: number;
    readonly flags: number;
  };
  readonly counts: {
    readonly ingresses: number;
    readonly otherClasses: number;
    /** With a name; an Ingress for all others is none of these. */
    readonly hosts: number;
    readonly certificates: number;
    readonly verdicts: Readonly<Record<Verdict, number>>;
  };
  /** What the ConfigMap and the flags of the controller have here, if that is something to know. */
  readonly settings: readonly Finding[];
  readonly ingresses: readonly InventoryRow[];
  /** What could not be read, in words. */
  readonly unread: readonly string[];
}

export function inventoryOf({ site, ingresses }: Judgement, unread: readonly string[]): Inventory {
  const { world } = site;
  const { workload, className, configMap, settings, flags: given } = world.controller;
  const rows = ingresses.map(rowOf);
  const secrets = ingresses.flatMap(({ ingress }) =>
    (ingress.spec.tls ?? []).flatMap(({ secretName }) =>
      secretName ? `${ingress.metadata.namespace}/${secretName}` : [],
    ),
  );
  return {
    version: 1,
    controller: {
      workload: workload?.key ?? null,
      image: workload?.image ?? null,
      className,
      configMap: configMap ?? null,
      configMapKeys: Object.keys(settings).length,
      flags: given.size,
    },
    counts: {
      ingresses: rows.length,
      otherClasses: world.ingresses.length - rows.length,
      hosts: new Set(ingresses.flatMap(({ ingress }) => hostsOf(ingress).filter((host) => host !== catchAll))).size,
      certificates: new Set(secrets).size,
      verdicts: Object.fromEntries(
        verdicts.map((verdict) => [verdict, rows.filter((row) => row.verdict === verdict).length]),
      ) as Inventory['counts']['verdicts'],
    },
    settings: [
      ...streamServices(site).findings,
      ...settingFindings(settings, configKeys),
      ...settingFindings(Object.fromEntries([...given].map(([name, value]) => [`--${name}`, value])), flags),
    ],
    ingresses: rows,
    unread,
  };
}

const rowOf = ({ key, ingress, verdict, findings }: Judged): InventoryRow => ({
  ingress: key,
  hosts: hostsOf(ingress).map((host) => (host === '_' ? '*' : host)),
  verdict,
  findings: [...findings].sort((a, b) => verdicts.indexOf(b.verdict) - verdicts.indexOf(a.verdict)),
});

/** Keys and flags that are set to another value than their default, and are more than the default of an annotation. */
const settingFindings = (given: Readonly<Record<string, string>>, table: typeof configKeys): readonly Finding[] =>
  Object.entries(given)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, value]): readonly Finding[] => {
      const [row] = settingNamed(table, name);
      if (row === undefined)
        return [{ verdict: 'no-effect', about: name, text: 'ingress-nginx 1.15 does not know it' }];
      if (value.trim() === row.default || row.verdict === 'no-effect' || isRead(row)) return [];
      if (name in becomesSame && becomesSame[name]?.(given))
        return [{ verdict: 'same', about: name, text: row.becomes }];
      return [
        { verdict: row.verdict, about: name, text: row.why === undefined ? row.becomes : `${row.becomes}: ${row.why}` },
      ];
    });

/** Of these nothing is made: they say what is served today, or the default of an annotation. */
const isRead = ({ verdict, becomes }: (typeof configKeys)[number]): boolean =>
  verdict === 'same' && /^(?:nothing|the default)/.test(becomes);

/** Keys that need no decision with values that are converted. */
const becomesSame: Readonly<Record<string, (given: Readonly<Record<string, string>>) => boolean>> = {
  'use-forwarded-headers': hasProxies,
  'enable-real-ip': hasProxies,
  'proxy-real-ip-cidr': hasProxies,
  'forwarded-for-header': hasProxies,
};

/** Proxies before the controller are named, and are not every client. */
function hasProxies(given: Readonly<Record<string, string>>): boolean {
  const networks = entriesOf(given['proxy-real-ip-cidr'] ?? '');
  return networks.length > 0 && networks.every((network) => !network.endsWith('/0'));
}

/** Nothing needs a person: every Ingress is the same, or differs in ways that are known. */
export const isClear = ({ ingresses, settings }: Inventory): boolean =>
  [...ingresses, ...settings].every(({ verdict }) => ['no-effect', 'same', 'differs', 'not-served'].includes(verdict));
