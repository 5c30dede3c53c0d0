import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { kinds } from '../../../../src/gateway-api/index.ts';
import type { AnyObject } from '../../../support/world.ts';
import type { Shares, WorldName } from './shares.ts';

/** Files that are of no kind. */
const common = ['shares.ts', 'worlds.ts'];
/** The graph itself does nothing with objects of these kinds. */
const left = ['ingress.ts', 'ingressclass.ts'];

const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.ts') && !common.includes(name));

/** TCPRoutes, TLSRoutes and UDPRoutes have one file together. */
const fileOf = (kind: string): string =>
  ['TCPRoute', 'TLSRoute', 'UDPRoute'].includes(kind) ? 'l4route.ts' : `${kind.toLowerCase()}.ts`;

const missing = Object.keys(kinds).filter((kind) => ![...files, ...left].includes(fileOf(kind)));
if (missing.length > 0) throw new Error(`${missing.join()}: write ${missing.map(fileOf).join()} with random objects`);

/** Of each kind that has a file of its name, the objects in the worlds that have some. */
const all = await Promise.all(
  files.sort().map(async (name) => ((await import(`./${name}`)) as { readonly objects: Shares }).objects),
);

/** A world is the union of what kinds have in it. */
const union = (world: WorldName): fc.Arbitrary<AnyObject> => fc.oneof(...all.flatMap((shares) => shares[world] ?? []));

/** Worlds of few objects that meet, by what they try. */
export const worlds = {
  /** Policies of traffic, with what they are for. */
  traffic: union('traffic'),
  /** All kinds that are standard, anywhere. */
  anywhere: union('anywhere'),
  /** Objects that meet in nearly every run: listeners that do not conflict, and routes of connections for them. */
  streams: union('streams'),
  /** Kinds and fields of the experimental channel, with few of everything else. */
  experimental: union('experimental'),
  /** Routes that choose among services by model, with all that these refer to. */
  models: union('models'),
  /** A Gateway whose ports are shared with ListenerSets, and routes that name either. */
  sets: union('sets'),
  /** Several Gateways of a class that shares its proxies, or does not, with all that they can take from each other. */
  fleets: union('fleets'),
  /** Policies of access and of limits on Gateways, routes and rules, with what they refer to. */
  access: union('access'),
} as const satisfies Readonly<Record<WorldName, fc.Arbitrary<AnyObject>>>;
