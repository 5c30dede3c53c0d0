import test from 'ava';
import type { Condition, GatewayStatus, RouteParentStatus, Status } from '../../../src/gateway-api/index.ts';
import { mergeStatus } from '../../../src/status/index.ts';

const CONTROLLER = 'gatewright.dev/gateway-controller';
const options = { controllerName: CONTROLLER, now: '2026-01-02T03:04:05Z' };
const EARLIER = '2026-01-01T00:00:00Z';

const accepted: Condition = {
  type: 'Accepted',
  status: 'True',
  reason: 'Accepted',
  message: '',
  observedGeneration: 1,
};
const acceptedLive = { ...accepted, lastTransitionTime: EARLIER };
const foreignLive = { ...acceptedLive, type: 'example.com/Foreign' };

const parent = (name: string, more: Partial<RouteParentStatus['parentRef']> = {}): RouteParentStatus => ({
  parentRef: { name, ...more },
  controllerName: CONTROLLER,
  conditions: [accepted],
});
const route = (...parents: RouteParentStatus[]): Status => ({ kind: 'HTTPRoute', parents });

test("another controller's parents stay, ours are written, ours that are gone are removed", (t) => {
  const theirs = { parentRef: { name: 'a' }, controllerName: 'example.com/other', conditions: [acceptedLive] };
  const gone = { parentRef: { name: 'gone' }, controllerName: CONTROLLER, conditions: [acceptedLive] };
  t.deepEqual(mergeStatus({ parents: [gone, theirs] }, route(parent('a')), options), {
    parents: [theirs, { ...parent('a'), conditions: [{ ...accepted, lastTransitionTime: options.now }] }],
  });
});

test('a parent whose reference has the defaults filled in is the same parent', (t) => {
  const live = {
    parents: [
      {
        parentRef: { group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'a', sectionName: 'http' },
        controllerName: CONTROLLER,
        conditions: [acceptedLive, foreignLive],
      },
    ],
  };
  t.deepEqual(mergeStatus(live, route(parent('a', { sectionName: 'http' })), options), live);
});

test('references that differ in namespace, section or port are different parents', (t) => {
  const desired = [
    parent('a'),
    parent('a', { namespace: 'x' }),
    parent('a', { sectionName: 's' }),
    parent('a', { port: 80 }),
  ];
  const merged = mergeStatus(undefined, route(...desired), options) as { parents: RouteParentStatus[] };
  t.deepEqual(
    merged.parents.map(({ parentRef }) => parentRef),
    desired.map(({ parentRef }) => parentRef),
  );
});

test('undefined fields of a reference are not written', (t) => {
  const merged = mergeStatus(undefined, route(parent('a', { namespace: undefined })), options) as {
    parents: RouteParentStatus[];
  };
  t.deepEqual(Object.keys(merged.parents[0]!.parentRef), ['name']);
});

const gateway = (listeners: string[]): GatewayStatus => ({
  kind: 'Gateway',
  addresses: [{ type: 'IPAddress', value: '192.0.2.1' }],
  conditions: [accepted],
  listeners: listeners.map((name) => ({
    name,
    attachedRoutes: 1,
    supportedKinds: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute' }],
    conditions: [accepted],
  })),
});

test("a Gateway's foreign conditions stay, on listeners too; a listener that is gone goes whole", (t) => {
  const desired = gateway(['a']);
  const live = {
    conditions: [acceptedLive, foreignLive],
    listeners: [
      { name: 'gone', attachedRoutes: 0, supportedKinds: [], conditions: [foreignLive] },
      { name: 'a', attachedRoutes: 0, supportedKinds: [], conditions: [foreignLive, acceptedLive] },
    ],
  };
  t.deepEqual(mergeStatus(live, desired, options), {
    addresses: desired.addresses,
    conditions: [acceptedLive, foreignLive],
    listeners: [{ ...desired.listeners[0], conditions: [foreignLive, acceptedLive] }],
  });
});

test("the API server's placeholders are replaced", (t) => {
  const pending = {
    type: 'Accepted',
    status: 'Unknown',
    reason: 'Pending',
    message: 'Waiting for controller',
    lastTransitionTime: '1970-01-01T00:00:00Z',
  };
  const merged = mergeStatus({ conditions: [pending] }, gateway([]), options) as { conditions: unknown[] };
  t.deepEqual(merged.conditions, [{ ...accepted, lastTransitionTime: options.now }]);
});

test('a GatewayClass has its features and conditions, with foreign conditions kept', (t) => {
  const desired: Status = { kind: 'GatewayClass', conditions: [accepted], supportedFeatures: [{ name: 'Gateway' }] };
  t.deepEqual(mergeStatus({ conditions: [foreignLive] }, desired, options), {
    conditions: [foreignLive, { ...accepted, lastTransitionTime: options.now }],
    supportedFeatures: [{ name: 'Gateway' }],
  });
});
