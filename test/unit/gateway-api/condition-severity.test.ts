import test from 'ava';
import {
  accessPolicyAffected,
  envoyPatchAffected,
  extensionPolicyAffected,
  isPending,
  isProblem,
  isRemark,
  rateLimitPolicyAffected,
  severityOf,
  statusParts,
  trafficPolicyAffected,
  worstOf,
} from '../../../src/gateway-api/index.ts';
import { ownConditionTypes } from '../../../src/status/own-condition-types.ts';

const judged = test.macro({
  title: (_, type: string, status: string, severity: string | undefined) => `${type}=${status}: ${severity ?? 'good'}`,
  exec: (t, type: string, status: string, severity: string | undefined) => {
    t.is(severityOf({ type, status }), severity as never);
    t.is(isProblem({ type, status }), severity === 'error' || severity === 'degraded');
  },
});

for (const [type, severity] of [
  ['Accepted', 'error'],
  ['Programmed', 'error'],
  ['ResolvedRefs', 'degraded'],
  ['SupportedVersion', 'degraded'],
  ['Validated', 'advisory'],
] as const) {
  test(judged, type, 'True', undefined);
  test(judged, type, 'False', severity);
  test(judged, type, 'Unknown', severity);
}
for (const [type, severity] of [
  ['Conflicted', 'error'],
  ['PartiallyInvalid', 'degraded'],
  ['OverlappingTLSConfig', 'advisory'],
  ['InsecureFrontendValidationMode', 'advisory'],
  ['InsecureBackendValidationMode', 'degraded'],
] as const) {
  test(judged, type, 'True', severity);
  test(judged, type, 'False', undefined);
  test(judged, type, 'Unknown', undefined);
}
// Of other controllers.
test(judged, 'Reconciled', 'False', 'advisory');
test(judged, 'Reconciled', 'True', undefined);
test(judged, 'Stalled', 'Unknown', undefined);
test(judged, 'toString', 'True', undefined);

test('every type of condition that we write is judged, but for some that only say something', (t) => {
  const types = new Set(Object.values(ownConditionTypes).flatMap((some) => [...some]));
  for (const type of [
    'AttachedListenerSets',
    accessPolicyAffected,
    envoyPatchAffected,
    extensionPolicyAffected,
    rateLimitPolicyAffected,
    trafficPolicyAffected,
    // An advisory when False, as any unknown type is.
    'Validated',
  ])
    t.true(types.delete(type));
  const isKnown = (type: string) =>
    ['True', 'False'].some((status) => !['advisory', undefined].includes(severityOf({ type, status }))) ||
    severityOf({ type, status: 'True' }) === 'advisory';
  t.deepEqual(
    [...types].filter((type) => !isKnown(type)),
    [],
  );
});

test('the worst condition is the first of those that are as bad as any', (t) => {
  const conditions = [
    { type: 'OverlappingTLSConfig', status: 'True' },
    { type: 'ResolvedRefs', status: 'False' },
    { type: 'PartiallyInvalid', status: 'True' },
    { type: 'Conflicted', status: 'False' },
  ];
  t.deepEqual(worstOf(conditions), { condition: conditions[1], severity: 'degraded' });
  t.is(worstOf([{ type: 'Accepted', status: 'True' }]), undefined);
});

test('a good status may have a reason that is worth a word, and a bad status is never only that', (t) => {
  const accepted = (reason: string, status = 'True') => ({ type: 'Accepted', status, reason });
  t.is(severityOf(accepted('NoRoomToMove')), 'degraded');
  t.true(isProblem(accepted('NoRoomToMove')));
  t.true(isRemark(accepted('NoRoomToMove')));
  t.is(severityOf(accepted('OverrideNotAllowed')), 'advisory');
  t.false(isProblem(accepted('OverrideNotAllowed')));
  for (const reason of ['Accepted', 'toString', 'ListenersNotValid']) {
    t.is(severityOf(accepted(reason)), undefined, reason);
    t.false(isRemark(accepted(reason)), reason);
  }
  t.is(severityOf(accepted('NoRoomToMove', 'False')), 'error');
  t.false(isRemark(accepted('NoRoomToMove', 'False')));
  t.is(severityOf({ type: 'Programmed', status: 'True', reason: 'NoRoomToMove' }), undefined, 'of another type');
});

test('what waits for proxies or an address is pending', (t) => {
  t.true(isPending({ type: 'Programmed', reason: 'Pending' }));
  t.true(isPending({ type: 'Programmed', reason: 'AddressNotAssigned' }));
  t.false(isPending({ type: 'Programmed', reason: 'Invalid' }));
});

test('conditions are found in a status of any form', (t) => {
  const conditions = [
    { type: 'Accepted', status: 'True', reason: 'Accepted', message: '', observedGeneration: 1 },
  ] as const;
  const at = { name: 'edge', sectionName: 'http' };
  t.deepEqual(statusParts({ conditions, listeners: [{ name: 'http', conditions }, { name: 'new' }] }), [
    { of: 'object', name: '', conditions },
    { of: 'listener', name: 'http', conditions },
    { of: 'listener', name: 'new', conditions: [] },
  ]);
  t.deepEqual(statusParts({ parents: [{ parentRef: at, conditions }] }), [
    { of: 'parent', name: 'edge', ref: at, conditions },
  ]);
  t.deepEqual(statusParts({ ancestors: [{ ancestorRef: at, conditions }] }), [
    { of: 'ancestor', name: 'edge', ref: at, conditions },
  ]);
  t.deepEqual(statusParts({}), []);
});
