import test from 'ava';
import type * as ir from '../../../../src/ir/index.ts';
import { translateListener } from '../../../../src/translate/listeners/index.ts';
import { DeltaChannel, SotwChannel } from '../../../../src/xds/session/channel.ts';
import { FilterChains } from '../../../../src/xds/session/filter-chains.ts';
import { HeldBack } from '../../../../src/xds/session/held-back.ts';
import { httpListener } from '../../../support/ir.ts';

const geo: ir.GeoLookup = { databases: ['location'], headers: { country: 'x-country' } };

test('a client without databases of places is sent the listener without their filters, which would end its Envoy', (t) => {
  const plain = httpListener('http/80');
  const located = { ...plain, chains: plain.chains.map((chain) => ({ ...chain, geo })) } as ir.Listener;
  const none = () => undefined;
  const [resource, without] = [translateListener(located, none), translateListener(plain, none)];
  t.is(resource.withoutGeo?.version, without.version);
  t.is(without.withoutGeo, undefined);
  const batch = { upserts: [resource], removed: [] } as never;
  for (const Channel of [DeltaChannel, SotwChannel]) {
    const sent = (hasGeo: boolean) => {
      const parts = [resource.typeUrl, (name: string) => name, new HeldBack(), new FilterChains(), hasGeo] as const;
      const channel = Channel === DeltaChannel ? new DeltaChannel(undefined, ...parts) : new SotwChannel(...parts);
      channel.accepted(batch);
      return channel.encode(batch, '1', 'v').toString('latin1');
    };
    t.true(sent(true).includes('geoip/location.mmdb'));
    t.false(sent(false).includes('geoip'));
  }
});
