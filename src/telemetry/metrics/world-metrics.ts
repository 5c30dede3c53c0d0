import { Gauge, type Registry } from '@prometheus-io/client';
import { prefix, typeLabel } from './names.ts';

/** What is so now, asked for when somebody scrapes: no event has to keep it up to date. */
export interface WorldFigures {
  /** Data planes that are connected here, by how they stand to the newest snapshot. */
  readonly nodes: { readonly current: number; readonly drifted: number };
  /** Certificates in use. */
  readonly certificates: number;
  /** Those among them that end soon, or have ended. */
  readonly ending: readonly { readonly secret: string; readonly notAfter: Date }[];
  /** Objects that the graph holds, by kind. */
  readonly objects: Iterable<readonly [kind: string, count: number]>;
  /** Envoy resources that were published, by type. */
  readonly resources: Iterable<{ readonly typeUrl: string; readonly resources: number; readonly bytes: number }>;
}

/** What the snapshot and the data planes tell. */
export interface WorldMetrics {
  /** From now on `read` is asked at every scrape. */
  follow(read: () => WorldFigures): void;
}

/**
 * Data planes that follow, and certificates that end. Only certificates near their end have a series each: there may be
 * thousands of others, of which nobody needs to hear.
 */
export function createWorldMetrics(registry: Registry): WorldMetrics {
  let read: (() => WorldFigures) | undefined;
  const registers = [registry];
  new Gauge({
    name: `${prefix}xds_nodes`,
    help: 'Connected data planes: those that have the newest snapshot (current) and those that do not (drifted).',
    labelNames: ['sync'],
    registers,
    collect() {
      const { current, drifted } = read?.().nodes ?? { current: 0, drifted: 0 };
      this.set({ sync: 'current' }, current);
      this.set({ sync: 'drifted' }, drifted);
    },
  });
  new Gauge({
    name: `${prefix}certificates`,
    help: 'Certificates that proxies use.',
    registers,
    collect() {
      this.set(read?.().certificates ?? 0);
    },
  });
  new Gauge({
    name: `${prefix}certificate_expiry_seconds`,
    help: 'When a certificate in use ends, in seconds since 1970; only those that end within 30 days or have ended.',
    labelNames: ['secret'],
    registers,
    collect() {
      this.reset();
      for (const { secret, notAfter } of read?.().ending ?? []) this.set({ secret }, notAfter.getTime() / 1000);
    },
  });
  new Gauge({
    name: `${prefix}input_objects`,
    help: 'Kubernetes objects that are held.',
    labelNames: ['kind'],
    registers,
    collect() {
      for (const [kind, count] of read?.().objects ?? []) this.set({ kind }, count);
    },
  });
  new Gauge({
    name: `${prefix}snapshot_resources`,
    help: 'Envoy resources of the newest snapshot.',
    labelNames: ['type'],
    registers,
    collect() {
      this.reset();
      for (const { typeUrl, resources } of read?.().resources ?? []) this.set({ type: typeLabel(typeUrl) }, resources);
    },
  });
  new Gauge({
    name: `${prefix}snapshot_bytes`,
    help: 'Encoded bytes of the newest snapshot.',
    labelNames: ['type'],
    registers,
    collect() {
      this.reset();
      for (const { typeUrl, bytes } of read?.().resources ?? []) this.set({ type: typeLabel(typeUrl) }, bytes);
    },
  });
  return {
    follow(figures) {
      read = figures;
    },
  };
}
