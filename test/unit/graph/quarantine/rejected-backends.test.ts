import test from 'ava';
import { kindModules } from '../../../../src/controllers/index.ts';
import { BackendProviders } from '../../../../src/graph/engine/index.ts';
import { backendKey } from '../../../../src/graph/model/index.ts';
import { Quarantine } from '../../../../src/graph/quarantine/quarantine.ts';
import { backendFaults } from '../../../../src/graph/quarantine/rejected-backends.ts';
import * as ir from '../../../../src/ir/index.ts';

const store = { providers: new BackendProviders(kindModules) };

const rejected: readonly (readonly [kind: ir.Backend['kind'], source: ir.BackendSource | undefined, named: string])[] =
  [
    [undefined, undefined, 'port 80 of Service shop/web'],
    ['ServiceImport', 'import', 'port 80 of ServiceImport shop/web'],
    ['InferencePool', 'pool', 'InferencePool shop/web'],
    ['DynamicBackend', 'dynamic', 'DynamicBackend shop/web'],
    ['AIService', 'ai', 'AIService shop/web'],
    ['HTTPRoute', 'ai-route', 'HTTPRoute shop/web'],
    ['XBackend', 'external', 'XBackend shop/web'],
    ['AccessPolicy', 'login', 'AccessPolicy shop/web'],
    ['HTTPFilter', 'credential', 'HTTPFilter shop/web'],
    ['ExtensionPolicy', 'module', 'ExtensionPolicy shop/web'],
  ];

for (const [kind = 'Service', source, named] of rejected)
  test(`a rejected backend of a ${kind} is named in a status`, (t) => {
    const key = backendKey('shop', 'web', 80, { source });
    const of = { key, namespace: 'shop', service: 'web', port: 80, protocol: 'http1' } as const;
    const backend: ir.Backend = kind === 'Service' ? of : { ...of, kind };
    const endpoints: ir.Endpoints = { backend: key, endpoints: [] };
    const quarantine = new Quarantine();
    const rejection = { key, gateway: 'shop/edge', message: 'not this' };
    quarantine.hold({ ...rejection, kind: 'backend', digest: ir.digestOf(backend) });
    const { message } = backendFaults({ backend, endpoints }, { quarantine, store }).get('shop/edge') ?? {};
    t.true(message?.startsWith(`${named} is rejected by the proxy`), message);
  });
