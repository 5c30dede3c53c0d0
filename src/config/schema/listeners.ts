import * as z from 'zod';
import { listenAddress, whole } from './leaf.ts';

/** The admin API: Layout 1 and Layout 2 have a port each. */
export const admin = z
  .strictObject({
    listen: listenAddress(':18081').prefault(':18081').describe('Layout 1: paths under `/v1`, and probes.'),
    layout2Listen: listenAddress(':8081').prefault(':8081').describe('Layout 2: paths under `/api/v1`, and probes.'),
  })
  .prefault({})
  .describe('The admin API of the control plane.');

/** Prometheus metrics of the control plane. */
export const metrics = z
  .strictObject({
    listen: listenAddress(':18082').prefault(':18082').describe('Address of `/metrics`.'),
    maxRouteRules: whole('the number of rules of routes with metrics of their own, or 0 for none', 0, 25_000)
      .prefault(500)
      .describe(
        'Rules of routes that have metrics of their own (`gatewright_http_…`), some 18 series each; further rules are counted together. 0: no such metrics.',
      ),
  })
  .prefault({})
  .describe('Prometheus metrics of the control plane.');
