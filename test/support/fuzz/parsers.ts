import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create, toBinary } from '@bufbuild/protobuf';
import { encode } from 'dns-packet';
import { stringify } from 'yaml';
import { CacheFile } from '../../../src/agent/cache/cache-file.ts';
import { decodeEntry, encodeEntry } from '../../../src/agent/cache/entry.ts';
import { decodeMessage } from '../../../src/agent/dns/ask-server.ts';
import { readQuestion } from '../../../src/agent/dns/messages.ts';
import { parseHosts, parseResolvConf } from '../../../src/agent/dns/system-names.ts';
import { encodeResource } from '../../../src/agent/relay/delta-messages.ts';
import { durationBounds } from '../../../src/contracts/index.ts';
import { readCidr } from '../../../src/controllers/policies/cidr.ts';
import { DeltaDiscoveryRequestSchema, DiscoveryRequestSchema } from '../../../src/envoy/index.ts';
import { checkCertificate } from '../../../src/graph/certificates/certificate.ts';
import { bundleIn } from '../../../src/graph/certificates/index.ts';
import { regexWeight } from '../../../src/graph/model/regex-weight.ts';
import { readJwks } from '../../../src/key-sets/index.ts';
import { hashFormat, UserList } from '../../../src/passwords/index.ts';
import { parseManifests } from '../../../src/sources/index.ts';
import { parseDurationMs } from '../../../src/std/index.ts';
import { readReport } from '../../../src/traffic/read-report.ts';
import { decodeDeltaRequest, decodeSotwRequest } from '../../../src/xds/session/protocol.ts';
import { testCertificates } from '../certificates.ts';
import { readCorpus } from './corpus.ts';
import { documentParsers } from './document-parsers.ts';
import { type FuzzedParser, ofText, orThrows, texts } from './fuzzed-parser.ts';
import { hostileTexts } from './hostile-values.ts';

const [one, other] = testCertificates;
const secretOf = (certificate: string, key: string) =>
  ({
    kind: 'Secret',
    metadata: { namespace: 'default', name: 'x' },
    data: { 'tls.crt': Buffer.from(certificate).toString('base64'), 'tls.key': Buffer.from(key).toString('base64') },
  }) as never;

const divider = '\n#####\n';
const node = { id: 'node', cluster: 'default/edge' };
const delta = create(DeltaDiscoveryRequestSchema, { node, typeUrl: 'x', resourceNamesSubscribe: ['a', '*'] } as never);
const sotw = create(DiscoveryRequestSchema, { node, typeUrl: 'x', resourceNames: ['a'], versionInfo: '1' } as never);
const failure = {
  ...{ at: 1, listener: 'http', route: 'default/shop', backend: 'default/web/80', endpoint: '10.0.0.1:80' },
  ...{ clientAddress: '10.0.0.9', method: 'GET', host: 'a.test', path: '/', protocol: 'HTTP/1.1', status: 503 },
  ...{ flags: ['UF'], details: 'x', passed: ['jwt'], transportFailure: '', attempts: 1, durationMs: 3, requestId: 'r' },
};
const report = {
  nodeId: 'n',
  cluster: 'default/edge',
  boot: 'b',
  sequence: 1,
  again: false,
  sentAt: 1,
  counted: {
    from: 1,
    to: 2,
    rows: [
      [
        'http',
        'default/shop',
        'default/web/80',
        5,
        1,
        1,
        [0, 4, 0, 0, 1, 0],
        12,
        durationBounds.map(() => 1),
        { UF: 1 },
      ],
    ],
    picks: [['default/pool', 'picked', '10.0.0.1:80', 3]],
  },
  complete: true,
  failures: [failure],
  endpoints: [{ backend: 'default/web/80', address: '10.0.0.1:80', verdict: 'ejected', since: 1 }],
};

const held = encodeResource('type.googleapis.com/a', { name: 'a', version: '1' }, Buffer.from('abc'));
const cacheRecord = encodeEntry({
  gateway: 'default/edge',
  whole: true,
  confirmedAt: new Date(1),
  knowledge: {
    applied: { marker: held, at: new Date(2) },
    types: [
      { typeUrl: 'type.googleapis.com/a', answered: true, names: [{ name: 'a', held, rejected: held, absent: false }] },
    ],
  },
});

/** As an agent writes it, with two records. */
async function cacheFile(): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'gatewright-cached-'));
  const file = new CacheFile(join(folder, 'cache'), undefined);
  await file.replace(cacheRecord);
  await file.append(cacheRecord);
  await file.close();
  const bytes = readFileSync(file.path);
  rmSync(folder, { recursive: true });
  return bytes;
}

async function readCache(bytes: Buffer): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'gatewright-cached-'));
  const file = join(folder, 'cache');
  writeFileSync(file, bytes);
  const reading = await new CacheFile(file, undefined).read();
  rmSync(folder, { recursive: true });
  if (reading && 'records' in reading) for (const record of reading.records) orThrows(decodeEntry)(record);
}

/** By what they read. */
export const parsers: Readonly<Record<string, FuzzedParser>> = {
  yaml: {
    samples: texts(...readCorpus().map(({ objects }) => objects.map((object) => stringify(object)).join('---\n'))),
    parse: ofText(parseManifests),
  },
  certificate: {
    samples: texts(one.certificate + divider + one.key, other.certificate + one.certificate + divider + other.key),
    parse: ofText((text) => {
      const [certificate = '', key = ''] = text.split(divider);
      checkCertificate(secretOf(certificate, key));
      bundleIn('ConfigMap', { metadata: { namespace: 'a', name: 'b' }, data: { 'ca.crt': certificate } } as never);
    }),
  },
  keySet: {
    samples: texts('{"keys":[{"kty":"RSA","n":"sXch","e":"AQAB","kid":"a"},{"kty":"OKP","crv":"Ed25519","x":"AA"}]}'),
    parse: ofText(readJwks),
  },
  duration: { samples: texts('1h2m3s4ms', '10s', '0s', '99999h'), parse: ofText(parseDurationMs) },
  network: { samples: texts('10.0.0.0/8', '2001:db8::/32', '::ffff:10.0.0.1/128'), parse: ofText(readCidr) },
  pattern: {
    samples: texts('^/a(b|c)*[a-z]{1,30}$', ...hostileTexts.filter((text) => text.length < 100)),
    parse: orThrows(ofText(regexWeight)),
  },
  passwords: {
    samples: texts(
      'a:$2y$05$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZ01234',
      'b:{SHA}0DPiKuNIrrVmD8IUCuw1hQxNqZc=\nc:$apr1$x$y',
    ),
    parse: (bytes) => {
      const { hash = '' } = new UserList(bytes).find('a', Buffer.alloc(32)) ?? {};
      hashFormat(hash);
    },
  },
  nameServers: {
    samples: texts('nameserver 10.0.0.10\nsearch a.b c\noptions ndots:5 timeout:1'),
    parse: ofText(parseResolvConf),
  },
  hosts: { samples: texts('127.0.0.1 localhost a\n::1 b # c'), parse: ofText(parseHosts) },
  nameAnswer: {
    samples: [
      encode({
        type: 'response',
        id: 1,
        questions: [{ type: 'A', name: 'a.test' }],
        answers: [{ type: 'A', name: 'a.test', data: '10.0.0.1' }],
      }),
    ],
    parse: orThrows(decodeMessage),
  },
  nameQuestion: {
    samples: [encode({ type: 'query', id: 1, questions: [{ type: 'AAAA', name: 'a.test' }] })],
    parse: readQuestion,
  },
  deltaRequest: { samples: [toBinary(DeltaDiscoveryRequestSchema, delta)], parse: orThrows(decodeDeltaRequest) },
  sotwRequest: { samples: [toBinary(DiscoveryRequestSchema, sotw)], parse: orThrows(decodeSotwRequest) },
  trafficReport: {
    samples: texts(JSON.stringify(report)),
    parse: orThrows(ofText((text) => readReport(JSON.parse(text) ?? {}))),
  },
  cachedConfiguration: { samples: [await cacheFile()], parse: readCache },
  cacheRecord: { samples: [cacheRecord], parse: orThrows(decodeEntry) },
  ...documentParsers,
};
