import type { Table, Visit } from '../../kit/table.ts';
import { type Fields, fieldsOf, isFields, listOf, numberOf, textOf } from '../../kit/values.ts';

const counted = 'metrics have names and labels of their own: docs/metrics.md';

/** `telemetry` of an EnvoyProxy: what requests write is of listeners here, so it becomes a ListenerPolicy of each Gateway. */
export const logTable: Table = {
  accessLog: {
    in: {
      disable: {
        by: (value, visit) => {
          if (value === true) visit.set('ListenerPolicy.accessLog.enabled', false);
        },
        knows: [],
      },
      settings: { by: settingsOf, knows: ['[]'] },
    },
  },
  healthCheckLog: { cannot: 'Envoy’s health check log is not written' },
  metrics: {
    in: {
      clusterStatName: { cannot: counted },
      enableGRPCStats: { none: counted },
      enablePerEndpointStats: { cannot: counted },
      enableRequestResponseSizesStats: { cannot: counted },
      enableVirtualHostStats: { none: 'requests are counted by route' },
      matches: { cannot: counted },
      prometheus: { none: 'each proxy’s agent has metrics for Prometheus always' },
      sinks: { decide: 'name the receivers in metrics.sinks of the DataPlane' },
    },
  },
  requestID: { cannot: 'request ids say nothing of tracing' },
  tracing: {
    in: {
      provider: {
        by: providerOf,
        knows: ['type', 'backendRef', 'backendRefs', 'serviceName'],
        loses: ['host', 'port', 'openTelemetry', 'zipkin', 'backendSettings'],
      },
      samplingRate: { to: 'ListenerPolicy.tracing.samplingPercent', as: numberOf },
      samplingFraction: { to: 'ListenerPolicy.tracing.samplingPercent', as: percentOf },
      clientSamplingFraction: { cannot: 'the client’s decision counts always' },
      overallSamplingFraction: { cannot: 'the client’s decision counts always' },
      spanName: { decide: 'write it into tracing.spanName of the ListenerPolicy, in its words' },
      customTags: { to: 'ListenerPolicy.tracing.tags', as: tagsOf },
      tags: {
        to: 'ListenerPolicy.tracing.tags',
        as: (value) => Object.entries(fieldsOf(value)).map(([name, text]) => ({ name, value: textOf(text) })),
      },
    },
  },
};

function percentOf(value: unknown): number {
  const { numerator, denominator = 100 } = fieldsOf(value);
  return Math.round((numberOf(numerator) / numberOf(denominator)) * 100);
}

function settingsOf(value: unknown, visit: Visit): void {
  const all = listOf(value);
  if (all.length > 1) visit.miss('a listener writes one line for a request: the first setting is kept');
  visit.each(all.slice(0, 1), ({ format, matches, sinks = [], type }, at) => {
    if (matches !== undefined) at.at('matches').note('decision', 'write which requests are logged into accessLog.when');
    if (type !== undefined && type !== 'Route') at.at('type').miss('lines are written for requests');
    if (format !== undefined)
      at.at('format').note('decision', 'write the line into accessLog.text or fields: they have words of their own');
    visit.set('ListenerPolicy.accessLog.enabled', true);
    for (const [index, sink] of listOf(sinks).map(fieldsOf).entries()) {
      const place = at.at(`sinks[${index}]`);
      if (sink.type === 'File') continue;
      const word = sink.type === 'ALS' ? 'grpc' : 'otlp';
      const { backendRef, backendRefs, logName, ...other } = fieldsOf(
        sink.type === 'ALS' ? sink.als : sink.openTelemetry,
      );
      for (const field of Object.keys(other)) place.at(field).miss('is not converted');
      if (logName !== undefined) visit.set('ListenerPolicy.accessLog.grpc.logName', textOf(logName));
      const server = receiverOf({ backendRef, backendRefs }, place);
      if (server !== undefined) visit.set(`ListenerPolicy.accessLog.${word}.backendRef`, server);
    }
  });
}

function providerOf(value: unknown, visit: Visit): void {
  const provider = fieldsOf(value);
  const { type = 'OpenTelemetry', serviceName } = provider;
  const word = { OpenTelemetry: 'otlp', Zipkin: 'zipkin', Datadog: 'datadog' }[String(type)];
  if (word === undefined) {
    visit.miss(`spans are not sent to ${String(type)}`);
    return;
  }
  const server = receiverOf(provider, visit);
  if (server === undefined) return;
  visit.set(`ListenerPolicy.tracing.${word}.backendRef`, server);
  if (serviceName !== undefined) visit.set('ListenerPolicy.tracing.serviceName', textOf(serviceName));
}

/** A receiver is a Service of the policy's own namespace. */
function receiverOf(fields: Fields, visit: Visit): Fields | undefined {
  const [first] = [
    ...(isFields(fields.backendRef) ? [fields.backendRef] : []),
    ...listOf(fields.backendRefs ?? []).map(fieldsOf),
  ];
  if (first === undefined || first.namespace !== undefined || (first.kind ?? 'Service') !== 'Service') {
    visit.note('decision', 'a receiver is a Service of the Gateway’s namespace: name one');
    return undefined;
  }
  return { name: textOf(first.name), port: numberOf(first.port) };
}

function tagsOf(value: unknown, visit: Visit): readonly Fields[] {
  return Object.entries(fieldsOf(value)).flatMap<Fields>(([name, tag]) => {
    const { type = 'Literal', literal, requestHeader } = fieldsOf(tag);
    if (type === 'Literal') return [{ name, value: textOf(fieldsOf(literal).value) }];
    if (type === 'RequestHeader') {
      const { name: header, defaultValue } = fieldsOf(requestHeader);
      return [
        { name, requestHeader: textOf(header), ...(defaultValue !== undefined && { default: textOf(defaultValue) }) },
      ];
    }
    visit.at(name).miss('tags are texts and headers of requests');
    return [];
  });
}
