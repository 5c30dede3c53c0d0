import test from 'ava';
import { effectOf, effectText } from '../../../src/cli/describe/policies.ts';
import { kindModules } from '../../../src/controllers/index.ts';
import { Graph } from '../../../src/graph/index.ts';
import { controllerName, gateway, gatewayClass, httpRoute, ownObject } from '../../support/objects.ts';
import { put, someTime } from '../../support/world.ts';

/** What `describe` says of a policy, by the conditions that the control plane gives it. */

const targetRefs = [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'web' }];

function said(kind: 'AccessPolicy' | 'ExtensionPolicy' | 'TrafficPolicy', spec: object): string {
  const graph = new Graph({ controllerName, kinds: kindModules, bind: (_, port) => ({ address: '127.0.0.1', port }) });
  put(
    graph,
    gatewayClass(),
    gateway('edge', [{ name: 'http', port: 80, protocol: 'HTTP' }]),
    httpRoute('web', { rules: [{ backendRefs: [{ name: 'web', port: 80 }] }] }),
    ownObject(kind, 'one', { targetRefs, ...spec }),
  );
  graph.build(someTime);
  return effectText(effectOf(graph.statusOf(kind, 'default/one') as Parameters<typeof effectOf>[0]), ':');
}

test('a policy that is wrong closes its targets where it may not be missing', (t) => {
  const invalid = { authorization: { default: 'Deny', rules: [{ name: 'r', action: 'Allow', when: { cel: 'no(' } }] } };
  t.regex(said('AccessPolicy', invalid), /^closes its targets: Invalid: .*; until then its targets are answered 500$/);
  const lost = { basicAuth: { secretRef: { name: 'lost' } } };
  t.regex(said('AccessPolicy', lost), /^closes its targets: .*; until then its targets are answered 500$/);
  const extProc = { extProc: { backendRef: { name: 'lost', port: 80 } } };
  t.regex(said('ExtensionPolicy', extProc), /^closes its targets: .*; until then its targets are answered 503$/);
});

test('one that may be missing, or is as it should be, closes nothing', (t) => {
  const extProc = { extProc: { backendRef: { name: 'lost', port: 80 } }, onFailure: 'Allow' };
  t.notRegex(said('ExtensionPolicy', extProc), /^closes/);
  t.is(said('AccessPolicy', { clientIPs: { allow: ['10.0.0.0/8'] } }), 'in effect');
  t.is(
    said('AccessPolicy', { targetRefs: [{ ...targetRefs[0], name: 'other' }] }),
    'no effect: no Gateway of ours uses what it is for',
  );
});
