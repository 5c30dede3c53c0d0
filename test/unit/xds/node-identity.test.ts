import { create } from '@bufbuild/protobuf';
import test from 'ava';
import { NodeSchema } from '../../../src/envoy/index.ts';
import { identify, type NodeIdentity } from '../../../src/xds/nodes/node-identity.ts';

const identityWith = (metadata: Record<string, string | number>): NodeIdentity =>
  identify(create(NodeSchema, { id: 'n', cluster: 'a/b', metadata })) as NodeIdentity;

test('the token of an agent’s reports is taken as agents make it, and printed nowhere', (t) => {
  const token = 'aB3_-'.repeat(8).concat('xyz');
  const identity = identityWith({ gatewright_report_token: token });
  t.is(identity.reportToken?.reveal(), token);
  t.false(JSON.stringify(identity).includes(token));
});

test('what could be more than a token in a header is none', (t) => {
  const sound = 'a'.repeat(43);
  const others = [
    '',
    sound.slice(1),
    `${sound}a`,
    `${sound.slice(2)}\r\n`,
    `${sound}\r\nHost: x`,
    `${sound.slice(1)} `,
    7,
  ];
  for (const token of others)
    t.is(identityWith({ gatewright_report_token: token }).reportToken, undefined, JSON.stringify(token));
});
