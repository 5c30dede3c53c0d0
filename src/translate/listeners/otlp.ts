import type * as ir from '../../ir/index.ts';
import { clusterName, durationOf } from '../resource/index.ts';

/** A receiver that does not answer costs what was to be sent, and nothing else. */
const timeoutMs = 5000;

export const otlpReceiver = ({ backend, authority, headers = [] }: ir.OtlpReceiver) => ({
  targetSpecifier: { case: 'envoyGrpc' as const, value: { clusterName: clusterName(backend), authority } },
  timeout: durationOf(timeoutMs),
  initialMetadata: headers.map(({ name, value }) => ({ key: name.toLowerCase(), value })),
});
