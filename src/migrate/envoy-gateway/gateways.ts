import type { Draft } from '../kit/draft.ts';
import { mergedFields } from '../kit/merge.ts';
import { idOf, type SourceObject } from '../kit/objects.ts';
import { type Output, objectOf, successorOf } from '../kit/output.ts';
import type { Converted } from '../kit/result.ts';
import { type Note, Visit } from '../kit/table.ts';
import { type Fields, isFields } from '../kit/values.ts';
import { egGroup, ownController, ownGroup } from './kinds.ts';
import type { Moving } from './moving.ts';
import { noteOf } from './policy.ts';
import { envoyProxy } from './tables/envoy-proxy.ts';

/** An EnvoyProxy as it was read. */
interface ProxyRead {
  readonly source: SourceObject;
  readonly draft: Draft;
  readonly notes: Note[];
}

export interface GatewaysMade {
  readonly converted: readonly Converted[];
  /** What an EnvoyProxy says of the listeners of a Gateway. */
  readonly listeners: ReadonlyMap<SourceObject, Fields>;
}

/** What policies of clients say of the certificates that a Gateway asks for: its `tls.frontend`. */
export type Frontends = ReadonlyMap<string, Fields>;

/** GatewayClasses, Gateways and ListenerSets under new names, and DataPlanes of EnvoyProxies. */
export function convertGateways(moving: Moving, frontends: Frontends, output: Output): GatewaysMade {
  const proxies = new Map(
    moving.objects.of('EnvoyProxy').map((source) => [`${source.namespace}/${source.name}`, readProxy(source)]),
  );
  const converted: Converted[] = [];
  const listeners = new Map<SourceObject, Fields>();
  const used = new Set<ProxyRead>();
  const proxyOf = (ref: unknown, home: string): ProxyRead | undefined => {
    if (!isFields(ref) || ref.group !== egGroup) return undefined;
    const proxy = proxies.get(`${ref.namespace ?? home}/${ref.name}`);
    if (proxy !== undefined) used.add(proxy);
    return proxy;
  };
  const classes = new Map<string, ProxyRead>();
  for (const source of moving.classes) {
    const proxy = proxyOf(source.spec.parametersRef, '');
    if (proxy !== undefined) classes.set(source.name, proxy);
    const { parametersRef: _, ...spec } = source.spec;
    output.add(`gatewayclass-${source.name}.yaml`, {
      apiVersion: source.apiVersion,
      kind: 'GatewayClass',
      metadata: { name: moving.newName(source.name) },
      spec: {
        ...spec,
        controllerName: ownController,
        ...(hasPlane(proxy) && {
          parametersRef: {
            group: ownGroup,
            kind: 'DataPlane',
            name: proxy.source.name,
            namespace: proxy.source.namespace,
          },
        }),
      },
    });
    converted.push({ id: `GatewayClass/${source.name}`, outcome: 'converted', notes: [] });
  }
  for (const gateway of moving.gateways) {
    const notes: Note[] = [];
    const { infrastructure, gatewayClassName, ...spec } = gateway.spec;
    const proxy = proxyOf(isFields(infrastructure) ? infrastructure.parametersRef : undefined, gateway.namespace);
    const shown = mergedFields(
      classes.get(String(gatewayClassName))?.draft.of('ListenerPolicy'),
      proxy?.draft.of('ListenerPolicy'),
    );
    if (shown !== undefined) listeners.set(gateway, shown);
    if (spec.addresses !== undefined)
      notes.push(
        noteOf('decision', 'addresses', 'two Gateways cannot have one address: it is free when the old one is gone'),
      );
    const frontend = frontends.get(`${gateway.namespace}/${gateway.name}`);
    output.add(
      `${gateway.namespace}/gateway-${gateway.name}.yaml`,
      successorOf(gateway, moving.newName(gateway.name), {
        gatewayClassName: moving.classes.length === 0 ? 'gatewright' : moving.newName(String(gatewayClassName)),
        ...spec,
        ...(infrastructure !== undefined && { infrastructure: infrastructureOf(infrastructure, proxy) }),
        ...(frontend !== undefined && { tls: mergedFields(isFields(spec.tls) ? spec.tls : {}, { frontend }) }),
      }),
      notes,
    );
    converted.push({ id: idOf(gateway), outcome: 'converted', notes });
  }
  for (const set of moving.listenerSets) {
    const parent = set.spec.parentRef as Fields;
    output.add(
      `${set.namespace}/listenerset-${set.name}.yaml`,
      successorOf(set, moving.newName(set.name), {
        ...set.spec,
        parentRef: { ...parent, name: moving.newName(String(parent.name)) },
      }),
    );
    converted.push({ id: idOf(set), outcome: 'converted', notes: [] });
  }
  for (const proxy of proxies.values()) converted.push(writeProxy(proxy, used.has(proxy), output));
  return { converted, listeners };
}

const hasPlane = (proxy: ProxyRead | undefined): proxy is ProxyRead => proxy?.draft.of('DataPlane') !== undefined;

function readProxy(source: SourceObject): ProxyRead {
  const visit = new Visit(false);
  visit.walk(source.spec, envoyProxy);
  return { source, draft: visit.draft, notes: visit.notes };
}

/** Labels and annotations stay; the proxy’s parameters are a DataPlane. */
function infrastructureOf(value: unknown, proxy: ProxyRead | undefined): Fields {
  const { parametersRef, ...others } = isFields(value) ? value : {};
  const isTheirs = isFields(parametersRef) && parametersRef.group === egGroup;
  if (!isTheirs) return { ...others, parametersRef };
  if (!hasPlane(proxy)) return others;
  return { ...others, parametersRef: { group: ownGroup, kind: 'DataPlane', name: proxy.source.name } };
}

function writeProxy({ source, draft, notes }: ProxyRead, isUsed: boolean, output: Output): Converted {
  const spec = draft.of('DataPlane');
  if (!isUsed)
    return {
      id: idOf(source),
      outcome: 'left',
      notes: [noteOf('no-effect', 'spec', 'no class and no Gateway names it'), ...notes],
    };
  if (spec !== undefined)
    output.add(
      `${source.namespace}/envoyproxy-${source.name}.yaml`,
      objectOf('gatewright.dev/v1alpha1', 'DataPlane', source.namespace, source.name, spec),
      notes,
    );
  return { id: idOf(source), outcome: 'converted', notes };
}
