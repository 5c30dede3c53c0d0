import { z } from 'zod';
import { flag, listenAddress } from './leaf.ts';

/** The gRPC xDS server. `insecure` allows plain text, which must be written down (design §2.11). */
export const xds = z
  .strictObject({ listen: listenAddress(':18080').prefault(':18080'), insecure: flag().default(false) })
  .prefault({});

/** The admin API: Layout 1 and Layout 2 have a port each. */
export const admin = z
  .strictObject({
    listen: listenAddress(':18081').prefault(':18081'),
    layout2Listen: listenAddress(':8081').prefault(':8081'),
  })
  .prefault({});

/** Prometheus metrics of the control plane. */
export const metrics = z.strictObject({ listen: listenAddress(':18082').prefault(':18082') }).prefault({});
