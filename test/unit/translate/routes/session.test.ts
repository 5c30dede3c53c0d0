import { fromBinary, type JsonObject } from '@bufbuild/protobuf';
import { anyUnpack } from '@bufbuild/protobuf/wkt';
import test from 'ava';
import {
  CompositePerRouteSchema,
  ExecuteFilterActionSchema,
  ScopedRouteConfigurationSchema,
  SetMetadataSchema,
} from '../../../../src/envoy/index.ts';
import type * as ir from '../../../../src/ir/index.ts';
import { bytesOfText } from '../../../../src/std/memory/index.ts';
import { backendKey, exactScope, route, virtualHost } from '../../../support/ir.ts';

const session: ir.Session = {
  kind: 'cookie',
  scope: 'default/web/80',
  name: 's',
  path: '/a',
  permanent: true,
  secure: true,
  lifetimeSeconds: 60,
};

/** Envoy's shares of a rule that forwards to these. */
function sharesOf(...backends: readonly ir.WeightedBackend[]) {
  const rule = { action: { kind: 'forward', backends, invalidStatus: 500 } } as const;
  const { body } = exactScope('http/80', virtualHost('a.test', [route('r', '/', rule)]));
  const { routeConfiguration } = fromBinary(ScopedRouteConfigurationSchema, bytesOfText(body));
  const action = routeConfiguration?.virtualHosts[0]?.routes[0]?.action;
  if (action?.case !== 'route') throw new Error('no route');
  const { clusterSpecifier, retryPolicy } = action.value;
  const clusters = clusterSpecifier.case === 'weightedClusters' ? clusterSpecifier.value.clusters : [];
  return { routeConfiguration, clusters, retryPolicy };
}

type Share = ReturnType<typeof sharesOf>['clusters'][number] | undefined;

/** What a share puts into a slot. */
function actionOf(share: Share, slot: string) {
  const any = share?.typedPerFilterConfig[slot];
  const onMatch = any && anyUnpack(any, CompositePerRouteSchema)?.matcher?.onNoMatch?.onMatch;
  const action = onMatch?.case === 'action' ? onMatch.value.typedConfig : undefined;
  return action && anyUnpack(action, ExecuteFilterActionSchema);
}

function contextOf(share: Share): JsonObject | undefined {
  const filter = actionOf(share, 'gatewright.session-context')?.typedConfig?.typedConfig;
  return filter && anyUnpack(filter, SetMetadataSchema)?.metadata[0]?.value;
}

test('each share says where its table is and what a token is wrapped in; the key is nowhere', (t) => {
  const web = { backend: backendKey('web'), weight: 1, session };
  const { clusters, retryPolicy } = sharesOf(web, { backend: backendKey('plain'), weight: 1 });
  t.deepEqual(contextOf(clusters[0]), {
    name: 's',
    kind: 'cookie',
    table: '/table?lifetime=60&scope=default%2Fweb%2F80&endpoints=default%2Fweb%2F80',
    attributes: '; Path=/a; Max-Age=60; HttpOnly; Secure; SameSite=Strict',
  });
  t.deepEqual(
    clusters[0]?.responseHeadersToAdd.map(({ header }) => header?.key),
    ['x-gw-upstream'],
  );
  t.is(actionOf(clusters[0], 'gatewright.session')?.filterChainName, 'gatewright.session', 'the script is in the slot');
  t.is(contextOf(clusters[1]), undefined);
  t.deepEqual(clusters[1]?.responseHeadersToAdd, []);
  t.is(retryPolicy, undefined, "the virtual host's");
});

test('shares of one name say so, and a header has no attributes', (t) => {
  const pin: ir.Session = { kind: 'header', scope: 'both', name: 'x-pin' };
  const { clusters } = sharesOf(
    { backend: backendKey('a'), weight: 1, session: pin },
    { backend: backendKey('b'), weight: 1, session: pin },
  );
  t.deepEqual(contextOf(clusters[0]), {
    name: 'x-pin',
    kind: 'header',
    table: '/table?lifetime=0&scope=both&endpoints=default%2Fa%2F80',
    shared: 'yes',
  });
});

test('a rule without sessions fills no slot of theirs', (t) => {
  const plain = sharesOf({ backend: backendKey('web'), weight: 1 });
  const filled = Object.keys(plain.routeConfiguration?.typedPerFilterConfig ?? {});
  t.deepEqual(filled, ['gatewright.ladder', 'auth/http/80', 'base/http/80']);
  t.is(plain.retryPolicy, undefined);
});
