import type { Finding } from '../finding.ts';
import type { Noted } from '../values/noted.ts';

/** A value of an object to be written, with comments in it. */
export type Written = string | number | boolean | readonly Written[] | Fields | Noted<Written>;
export interface Fields {
  readonly [name: string]: Written | undefined;
}

export interface Header {
  readonly name: string;
  readonly value: string;
}

/** Changes of headers, as RequestHeaderModifier and ResponseHeaderModifier have them. */
export interface HeaderEdits {
  readonly set?: readonly Header[];
  readonly add?: readonly Header[];
  readonly remove?: readonly string[];
}

/** What a policy or route of an Ingress may refer to in another namespace, if the owner of that namespace agrees. */
export interface Grant {
  readonly from: 'AccessPolicy' | 'HTTPRoute' | 'TrafficPolicy';
  readonly to: 'Secret' | 'Service';
  readonly namespace: string;
  readonly name: string;
}

/** A server outside of the cluster, which an XBackend stands for. */
export interface ExternalServer {
  readonly hostname: string;
  readonly port: number;
  readonly isTls: boolean;
}

/** The name of its XBackend. */
export const externalServerName = ({ hostname, port }: ExternalServer): string => `${hostname}-${port}`;

/** Those who sign certificates of backends. */
export interface BackendAuthority {
  readonly name: string;
  readonly certificates: string;
}

/** What one feature of an Ingress becomes: fields of its routes and policies. */
export interface Part {
  readonly findings: readonly Finding[];
  readonly requestHeaders?: HeaderEdits;
  readonly responseHeaders?: HeaderEdits;
  /** Headers for the backend whose values depend on the request, as an HTTPFilter has them. */
  readonly requestValues?: readonly Header[];
  /** The Host that the backend sees. */
  readonly hostname?: string;
  /** Of HTTPRoute's CORS filter. */
  readonly cors?: Fields;
  /** Of an HTTPFilter: the rules answer by themselves, in place of backends. */
  readonly answer?: Fields;
  /** Of an HTTPFilter: the path that the backend sees. */
  readonly pathRewrite?: Fields;
  /** Of a RequestRedirect filter, in place of backends too. */
  readonly redirect?: Fields;
  /** Of a RequestMirror filter. */
  readonly mirror?: Fields;
  /** Parts of its AccessPolicy, groups of its TrafficPolicy. */
  readonly access?: Fields;
  readonly traffic?: Fields;
  /** Of its RateLimitPolicy. */
  readonly buckets?: readonly Fields[];
  readonly limitStatus?: number;
  /** Of the BackendPolicies of its Services. */
  readonly backend?: Fields;
  /** Of the BackendTLSPolicies of its Services. */
  readonly backendTls?: Fields;
  /** The ConfigMap that its BackendTLSPolicies name, with certificates in PEM. */
  readonly backendAuthority?: BackendAuthority;
  /** Of the rules. */
  readonly session?: Fields;
  readonly grants?: readonly Grant[];
  readonly external?: readonly ExternalServer[];
}

export const nothing: Part = { findings: [] };
export const only = (...findings: readonly Finding[]): Part => ({ findings });

/** What several features become together. Of fields that two have, those of groups are joined, others are of the later one. */
export function joined(parts: readonly Part[]): Part {
  const all = <K extends keyof Part>(name: K) =>
    parts.flatMap((part) => (part[name] === undefined ? [] : [part[name]]));
  const fields = (name: 'access' | 'traffic' | 'backend') => Object.assign({}, ...all(name)) as Fields;
  const edits = (name: 'requestHeaders' | 'responseHeaders'): HeaderEdits => ({
    set: all(name).flatMap(({ set = [] }) => set),
    add: all(name).flatMap(({ add = [] }) => add),
    remove: all(name).flatMap(({ remove = [] }) => remove),
  });
  return {
    ...Object.assign({}, ...parts),
    findings: parts.flatMap(({ findings }) => findings),
    requestHeaders: edits('requestHeaders'),
    responseHeaders: edits('responseHeaders'),
    access: fields('access'),
    traffic: fields('traffic'),
    backend: fields('backend'),
    buckets: all('buckets').flat(),
    requestValues: all('requestValues').flat(),
    grants: all('grants').flat(),
    external: all('external').flat(),
  };
}
