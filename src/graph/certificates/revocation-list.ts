import { X509Certificate } from 'node:crypto';
import type { ObjectByKind } from '../../gateway-api/index.ts';
import type { StoredObjects } from '../engine/index.ts';
import type { RevocationLists } from '../model/index.ts';
import { derTag, derTime, derValues, derWithin } from './der.ts';
import { certificateBlocks, largestBundle, revocationBlocks } from './pem.ts';

/** Where lists of revoked certificates are; the namespace is resolved. */
export interface RevocationListRef {
  readonly kind: 'Secret' | 'ConfigMap';
  readonly namespace: string;
  readonly name: string;
}

/** Where the lists of a policy are; undefined: it names none. */
export function revocationListRef({
  metadata,
  spec: { tls },
}: Pick<ObjectByKind['ListenerPolicy'], 'metadata' | 'spec'>): RevocationListRef | undefined {
  const ref = tls?.crlRef;
  return ref && { kind: ref.kind, namespace: metadata.namespace ?? '', name: ref.name };
}

export type RevocationCheck = RevocationLists | { readonly fault: string };

/** In one object. */
export const mostLists = 64;
const entry = 'ca.crl';

/** Follows a reference to a Secret or ConfigMap with lists of revoked certificates in `ca.crl`. Source: RFC 5280, section 5. */
export function resolveRevocationLists(ref: RevocationListRef, store: Pick<StoredObjects, 'find'>): RevocationCheck {
  const { kind, namespace, name } = ref;
  const object = store.find(kind, `${namespace}/${name}`);
  return object ? checkObject(object, ref) : { fault: `${kind} ${namespace}/${name} does not exist` };
}

const checked = new WeakMap<object, RevocationCheck>();

/** Parsed once per stored object: Envoy would reject what it cannot read, and keep what it had. */
function checkObject(object: ObjectByKind['Secret' | 'ConfigMap'], { kind, namespace, name }: RevocationListRef) {
  const known = checked.get(object);
  if (known) return known;
  const text = object.data?.[entry] ?? '';
  const result = check(
    kind === 'Secret' ? Buffer.from(text, 'base64').toString('latin1') : text,
    `${kind} ${namespace}/${name}`,
  );
  checked.set(object, result);
  return result;
}

function check(text: string, where: string): RevocationCheck {
  if (text === '') return { fault: `${where} has no ${entry}: it must hold lists of revoked certificates in PEM` };
  const blocks = revocationBlocks(text, mostLists);
  if (blocks.length > mostLists) return { fault: `${entry} of ${where} has more than ${mostLists} lists` };
  const lists = blocks.map((block) => readList(block));
  const read = lists.flatMap((list) => list ?? []);
  if (read.length === 0 || read.length < lists.length)
    return { fault: `${entry} of ${where} is not a list of revoked certificates in PEM (BEGIN X509 CRL)` };
  const ends = earliest(read.flatMap((list) => list.ends ?? []));
  const late = earliest(read.flatMap(lateOf));
  return {
    pem: read.map(({ pem }) => pem).join(''),
    issuers: new Set(read.map(({ issuer }) => issuer)),
    ...(ends && { ends }),
    ...(late && { late }),
  };
}

const earliest = (moments: readonly Date[]): Date | undefined =>
  moments.toSorted((a, b) => a.getTime() - b.getTime())[0];

/** When a quarter of its lifetime is left. */
const lateOf = ({ begins, ends }: ReadList): Date[] =>
  ends ? [new Date(ends.getTime() - (ends.getTime() - begins.getTime()) / 4)] : [];

interface ReadList {
  /** As Envoy reads it: lines of 64 characters. */
  readonly pem: string;
  readonly issuer: string;
  readonly begins: Date;
  readonly ends?: Date;
}

function readList(block: string): ReadList | undefined {
  const base64 = block.replace(/-----[^-]*-----/g, '').replace(/\s+/g, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return undefined;
  const der = Buffer.from(base64, 'base64');
  try {
    const facts = listFacts(der);
    if (!facts) return undefined;
    const lines = der.toString('base64').replace(/.{64}/g, '$&\n').trimEnd();
    return { ...facts, pem: `-----BEGIN X509 CRL-----\n${lines}\n-----END X509 CRL-----\n` };
  } catch {
    return undefined;
  }
}

/** CertificateList: signed content, algorithm, signature. The content: version?, algorithm, issuer, this update, next update?, entries?, extensions? */
function listFacts(der: Buffer): Omit<ReadList, 'pem'> | undefined {
  const [list, ...rest] = derValues(der, 0, der.length);
  const [content, algorithm, signature, ...more] = derWithin(der, list);
  if (rest.length > 0 || more.length > 0 || algorithm?.tag !== derTag.sequence) return undefined;
  if (signature?.tag !== derTag.bitString) return undefined;
  const fields = derWithin(der, content);
  const [, issuer, thisUpdate, next] = fields[0]?.tag === derTag.integer ? fields.slice(1) : fields;
  const begins = thisUpdate && derTime(der, thisUpdate);
  if (issuer?.tag !== derTag.sequence || !begins) return undefined;
  const ends = next && derTime(der, next);
  return { issuer: der.toString('hex', issuer.start, issuer.end), begins, ...(ends && { ends }) };
}

/** Authorities of these whose clients are not verified, since none of the lists is of them: their subjects. `authorities`: in PEM. */
export const authoritiesWithout = ({ issuers }: RevocationLists, authorities: string): readonly string[] =>
  certificateBlocks(authorities, largestBundle).flatMap((pem) => {
    const { raw, subject } = new X509Certificate(pem);
    return issuers.has(subjectOf(raw)) ? [] : [subject.split('\n').join(', ')];
  });

/** Of a certificate: version?, serial number, algorithm, issuer, validity, subject, … */
function subjectOf(der: Buffer): string {
  const [certificate] = derValues(der, 0, der.length);
  const [content] = derWithin(der, certificate);
  const fields = derWithin(der, content);
  const subject = (fields[0]?.tag === derTag.context0 ? fields.slice(1) : fields)[4];
  return subject ? der.toString('hex', subject.start, subject.end) : '';
}
