import { create, type JsonObject } from '@bufbuild/protobuf';
import { agentService, aiHeaders, aiLogs } from '../../contracts/index.ts';
import { ApiVersion, HttpGrpcAccessLogConfigSchema, packAny } from '../../envoy/index.ts';
import { type InnerListener, innerListener } from '../inner/index.ts';
import { durationOf, type EnvoyResource } from '../resource/index.ts';

/** How long what was used waits for more of it, so that it travels together. */
const logFlushMs = 200;
const logBytes = 64 * 1024;
interface ReportedListener extends Omit<InnerListener, 'accessLog'> {
  readonly log: string;
  /** What the log says of each request: the object that the listener is for. */
  readonly subject: string;
  /** The pool that requests go to. */
  readonly pool?: string;
}

/** Requests through it are reported to the agent. */
export const reportedListener = ({ log, subject, pool, ...listener }: ReportedListener): EnvoyResource =>
  innerListener({ ...listener, accessLog: [accessLog(log, subject, pool)] });

const literal = (tag: string, value: string) => ({ tag, type: { case: 'literal' as const, value: { value } } });

function accessLog(logName: string, subject: string, pool: string | undefined) {
  const config = create(HttpGrpcAccessLogConfigSchema, {
    commonConfig: {
      logName,
      grpcService: { targetSpecifier: { case: 'envoyGrpc', value: { clusterName: agentService } } },
      transportApiVersion: ApiVersion.V3,
      bufferFlushInterval: durationOf(logFlushMs),
      bufferSizeBytes: logBytes,
      customTags: [
        literal('subject', subject),
        literal('kind', logName === aiLogs.attempt ? 'attempt' : 'request'),
        ...(pool === undefined ? [] : [literal('pool', pool)]),
      ],
    },
    additionalRequestHeadersToLog: [...Object.values(aiHeaders), 'traceparent'],
  });
  return {
    name: 'envoy.access_loggers.http_grpc',
    configType: { case: 'typedConfig' as const, value: packAny(HttpGrpcAccessLogConfigSchema, config) },
  };
}

/** What a route does that the proxy answers itself, in JSON. */
export const jsonAnswer = (status: number, value: JsonObject) => ({
  action: {
    case: 'directResponse' as const,
    value: { status, body: { specifier: { case: 'inlineString' as const, value: JSON.stringify(value) } } },
  },
  responseHeadersToAdd: [{ header: { key: 'content-type', value: 'application/json' }, appendAction: 2 as const }],
});

/** The same, in the words in which OpenAI's API says what is wrong, which its clients show to people. */
export const errorAnswer = (status: number, type: string, code: string, message: string) =>
  jsonAnswer(status, { error: { message, type, param: code === 'model_not_found' ? 'model' : null, code } });

/** For objects that headers identify, or that need no identification. */
export const anyPath = { pathSpecifier: { case: 'prefix' as const, value: '/' } };
