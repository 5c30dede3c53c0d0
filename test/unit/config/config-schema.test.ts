import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import test from 'ava';
import { parse } from 'yaml';
import { configSchemaFile } from '../../../scripts/generate/config-schema.ts';
import type { ConfigInput } from '../../../src/config/index.ts';

const accepts = new Ajv2020({ strict: true, strictTypes: false }).compile(JSON.parse(configSchemaFile()));

const good: Readonly<Record<string, string>> = {
  nothing: '{}',
  'what the manifests have': (
    parse(readFileSync(new URL('../../../manifests/20-config.yaml', import.meta.url), 'utf8')) as {
      data: { 'config.yaml': string };
    }
  ).data['config.yaml'],
  "the contract's keys": `admin_auth: {bearer_token: "\${ADMIN_TOKEN}"}\ndataplane: {config: {node_id: a}}`,
  'variables in place of values': `infrastructure: {replicas: "\${COUNT}"}\nxds: {insecure: "\${PLAIN}"}\nlog: {level: "\${LEVEL}"}`,
};

for (const [what, yaml] of Object.entries(good)) {
  test(`the published schema takes ${what}`, (t) => {
    t.true(accepts(parse(yaml)), JSON.stringify(accepts.errors));
  });
}

const bad: Readonly<Record<string, object>> = {
  'an unknown key': { debonce: {} },
  'an unknown key below': { leaderElection: { name: 'a' } },
  'a word that is none': { log: { level: 'loud' } },
  'a number that is too small': { infrastructure: { replicas: -1 } },
  'a duration that is none': { leaderElection: { leaseDuration: '15 seconds' } },
};

for (const [what, document] of Object.entries(bad)) {
  test(`the published schema rejects ${what}`, (t) => {
    t.false(accepts(document));
  });
}

test('every section that code reads is published', (t) => {
  const { properties } = JSON.parse(configSchemaFile()) as { properties: Record<string, unknown> };
  const sections: readonly (keyof ConfigInput)[] = ['xds', 'adminAuth', 'leaderElection', 'translatorLimits'];
  for (const section of sections) t.true(section in properties, section);
});
