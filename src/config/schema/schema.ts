import * as z from 'zod';
import type { SecretText } from '../secret-text.ts';
import { adminAuth } from './admin-auth.ts';
import { aiSpans } from './ai-spans.ts';
import { aiUsage } from './ai-usage.ts';
import { backends } from './backends.ts';
import { chatbot } from './chatbot.ts';
import { dashboard } from './dashboard.ts';
import { dataplane } from './dataplane.ts';
import { debounce } from './debounce.ts';
import { envoyPatches } from './envoy-patches.ts';
import { extensions } from './extensions.ts';
import { infrastructure } from './infrastructure.ts';
import { ingress } from './ingress.ts';
import { leaderElection } from './leader-election.ts';
import { text } from './leaf.ts';
import { admin, metrics } from './listeners.ts';
import { log } from './log.ts';
import { metricsBackend } from './metrics-backend.ts';
import { rateLimits } from './rate-limits.ts';
import { replicas } from './replicas.ts';
import { sessionPersistence } from './session-persistence.ts';
import { source } from './source.ts';
import { outgoing, state } from './state.ts';
import { tracing } from './tracing.ts';
import { translatorLimits } from './translator-limits.ts';
import { xds } from './xds.ts';

/** Everything that can be configured, for control plane and data plane alike, with every default. */
export const configSchema = z.strictObject({
  source,
  controllerName: text('a name such as "gatewright.dev/gateway-controller"')
    .regex(/^[a-z0-9.-]+\/[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/, {
      error: 'DOMAIN/PATH such as "gatewright.dev/gateway-controller"',
    })
    .default('gatewright.dev/gateway-controller')
    .describe('GatewayClasses with this `spec.controllerName` belong to this control plane.'),
  xds,
  admin,
  metrics,
  adminAuth,
  dashboard,
  debounce,
  log,
  infrastructure,
  dataplane,
  sessionPersistence,
  leaderElection,
  replicas,
  translatorLimits,
  state,
  outgoing,
  backends,
  rateLimits,
  ingress,
  extensions,
  envoyPatches,
  metricsBackend,
  chatbot,
  tracing,
  aiSpans,
  aiUsage,
});

/** What a configuration file may hold, in our spelling of the keys. */
export type ConfigInput = z.input<typeof configSchema>;

type DeepReadonly<T> = T extends SecretText
  ? T
  : T extends (infer E)[]
    ? readonly DeepReadonly<E>[]
    : T extends object
      ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
      : T;

/** A checked configuration: defaults filled in, durations in milliseconds, addresses taken apart, paths absolute. */
export type Config = DeepReadonly<z.output<typeof configSchema>>;
