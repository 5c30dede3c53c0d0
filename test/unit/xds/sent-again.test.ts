import { create, fromBinary } from '@bufbuild/protobuf';
import test from 'ava';
import { ScopedRouteConfigurationSchema, typeUrls } from '../../../src/envoy/index.ts';
import { bytesOfText } from '../../../src/std/memory/index.ts';
import { resourceOf } from '../../../src/translate/resource/index.ts';
import { sentAgain } from '../../../src/xds/rejections/sent-again.ts';
import { fakeResource } from '../../support/xds.ts';

test('a scope that is sent again is the same in other bytes each time, and of the same version', (t) => {
  const message = create(ScopedRouteConfigurationSchema, { name: 'a', routeConfiguration: { name: 'routes' } });
  const scope = resourceOf(typeUrls.scopedRoute, 'a', ScopedRouteConfigurationSchema, message);
  const again = [1, 2].map((count) => sentAgain({ upserts: [scope], removed: ['b'] }, count));
  const bodies = again.map(({ upserts: [one] }) => one?.body ?? '');
  t.is(new Set([scope.body, ...bodies]).size, 3);
  for (const [at, body] of bodies.entries()) {
    const { name, routeConfiguration } = fromBinary(ScopedRouteConfigurationSchema, bytesOfText(body));
    t.is(name, 'a');
    t.is(routeConfiguration?.name, 'routes');
    t.deepEqual(routeConfiguration?.metadata?.filterMetadata, { 'gatewright.sent-again': { count: at + 1 } });
  }
  for (const { upserts, removed } of again) {
    t.is(upserts[0]?.version, scope.version);
    t.deepEqual(removed, ['b']);
  }
});

test('what is no scope is sent again as it is', (t) => {
  const endpoints = fakeResource(typeUrls.endpoint, 'a', 'one');
  t.deepEqual(sentAgain({ upserts: [endpoints], removed: [] }, 1), { upserts: [endpoints], removed: [] });
});
