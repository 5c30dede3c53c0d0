import type { AddressGuard } from '../../outgoing/index.ts';
import { SpanExporter, type SpanResult } from '../../spans/index.ts';
import { componentLogger } from '../../telemetry/index.ts';
import type { Core } from '../control-plane/index.ts';

export interface ExporterParts {
  /** The key of the configuration that names the receiver. */
  readonly section: 'aiSpans' | 'tracing';
  /** The component in the log. */
  readonly component: string;
  /** The instrumentation scope's name. */
  readonly scope: string;
  readonly guard: AddressGuard;
  readonly onResult: (result: SpanResult, count: number) => void;
}

/** Undefined where the configuration names no receiver of spans. */
export function buildSpanExporter(
  { config, version, leadership, logger }: Core,
  { section, component, ...parts }: ExporterParts,
): SpanExporter | undefined {
  const { otlpUrl, ...receiver } = config[section];
  if (otlpUrl === undefined) return undefined;
  return new SpanExporter({
    ...parts,
    section,
    version,
    instance: leadership().identity,
    config: { ...receiver, otlpUrl },
    logger: componentLogger(logger, component),
  });
}
