import test from 'ava';
import type { KubernetesObject } from '../../../src/gateway-api/index.ts';
import { type ObjectApi, reconcileObject } from '../../../src/infrastructure/reconcile-object.ts';
import { serviceAccountOf } from '../../../src/infrastructure/service-account.ts';
import { KubeError, type ResourceType } from '../../../src/kube/index.ts';
import { gatewayProxies } from './gateway.ts';

const desired = serviceAccountOf(gatewayProxies());
const signal = new AbortController().signal;

/** An API server with at most one object. */
class OneObject implements ObjectApi {
  readonly calls: string[] = [];
  object: KubernetesObject | undefined;
  rejection: KubeError | undefined;

  find: ObjectApi['find'] = async <T extends object>() => this.object as T | undefined;
  apply: ObjectApi['apply'] = async <T extends KubernetesObject>(_type: ResourceType, object: KubernetesObject) => {
    this.calls.push('apply');
    if (this.rejection !== undefined) throw this.rejection;
    this.object = object;
    return object as T;
  };
  delete: ObjectApi['delete'] = async () => {
    this.calls.push('delete');
  };
}

test('what is missing is applied, and what is as desired is not', async (t) => {
  const api = new OneObject();
  t.is(await reconcileObject(api, undefined, desired, signal), undefined);
  t.is(await reconcileObject(api, api.object, desired, signal), undefined);
  t.deepEqual(api.calls, ['apply']);
});

test('what another writer changed is applied again', async (t) => {
  const api = new OneObject();
  const live = { ...desired, automountServiceAccountToken: true };
  await reconcileObject(api, live, desired, signal);
  t.deepEqual(api.calls, ['apply']);
});

test('a changed desired state is applied', async (t) => {
  const api = new OneObject();
  await reconcileObject(api, desired, serviceAccountOf(gatewayProxies({ uid: 'uid-2' })), signal);
  t.deepEqual(api.calls, ['apply']);
});

test('an object of the name that is not ours is left alone', async (t) => {
  const api = new OneObject();
  api.object = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'gatewright-edge', namespace: 'shop' } };
  t.regex((await reconcileObject(api, undefined, desired, signal)) ?? '', /ServiceAccount gatewright-edge exists/);
  t.deepEqual(api.calls, []);
});

test('an object that is being deleted is left alone', async (t) => {
  const api = new OneObject();
  const live = { ...desired, metadata: { ...desired.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
  t.is(await reconcileObject(api, live, serviceAccountOf(gatewayProxies({ uid: 'uid-2' })), signal), undefined);
  t.deepEqual(api.calls, []);
});

test('what the API server calls invalid is a problem to show, what it cannot do now is an error', async (t) => {
  const api = new OneObject();
  api.rejection = new KubeError({ code: 'invalid', message: 'field is immutable' });
  t.is(await reconcileObject(api, undefined, desired, signal), 'field is immutable');
  api.rejection = new KubeError({ code: 'unavailable', message: 'etcd' });
  await t.throwsAsync(reconcileObject(api, undefined, desired, signal), { message: 'etcd' });
});

test('what is at another version by now is left until the watch reports it', async (t) => {
  const api = new OneObject();
  api.rejection = new KubeError({ code: 'conflict', message: 'the object has been modified' });
  const other = serviceAccountOf(gatewayProxies({ uid: 'uid-2' }));
  t.is(await reconcileObject(api, desired, other, signal), undefined);
  t.deepEqual(api.calls, ['apply']);
});
