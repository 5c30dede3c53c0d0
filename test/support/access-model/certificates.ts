import { type ClientCertificate, type ClientNames, createClientAuthority } from '../client-certificates.ts';

/** Clients with certificates in the model's world, by name, so that a failing case can be read. */
export const holders = {
  alice: { subject: 'CN=alice,O=Corp', dns: ['alice.corp.test'], uris: ['spiffe://corp/staff/alice'] },
  capitals: { subject: 'CN=capitals', dns: ['ALICE.corp.test'] },
  wildcard: { subject: 'CN=wildcard', dns: ['*.corp.test'] },
  machine: { uris: ['spiffe://corp/machines/m1'] },
  bob: { subject: 'CN=bob,O=Corp' },
} as const satisfies Readonly<Record<string, ClientNames>>;

/** `stranger` says what alice says, and another authority signed it; `ended` is alice's of yesterday; `none` shows nothing in its handshake. */
export type Holder = keyof typeof holders | 'stranger' | 'ended' | 'none';

/** What is shown in handshakes, and by whom it is checked. */
export interface ModelCertificates {
  readonly authorities: string;
  readonly server: ClientCertificate;
  readonly of: (holder: Holder) => ClientCertificate | undefined;
}

export async function issueCertificates(): Promise<ModelCertificates> {
  const [ours, other] = [await createClientAuthority('ours'), await createClientAuthority('ours')];
  const known = new Map<Holder, ClientCertificate>();
  for (const [holder, names] of Object.entries(holders)) known.set(holder as Holder, await ours.issue(names));
  known.set('stranger', await other.issue(holders.alice));
  known.set('ended', await ours.issue({ ...holders.alice, ends: new Date(Date.now() - 60_000) }));
  const server = await ours.issue({ subject: 'CN=server', dns: ['*.test'] });
  return { authorities: ours.certificatePem, server, of: (holder) => known.get(holder) };
}
