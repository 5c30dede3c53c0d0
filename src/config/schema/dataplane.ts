import * as z from 'zod';
import { dataPlaneAuth } from './data-plane-auth.ts';
import { ipFamilies } from './ip-family.ts';
import { checkKeyPair, rejectKey } from './key-pair.ts';
import { duration, flag, listenAddress, oneOf, targetAddress, text, whole } from './leaf.ts';
import { metricSinks } from './metric-sinks.ts';

const path = (of: string) => text(`the path of a file with ${of}`).optional();

/** TLS to the control plane: on when `caFile` is set. */
const tls = z
  .strictObject({
    caFile: path('certificates in PEM').describe(
      'The authority that checks the control plane’s certificate, in PEM; turns TLS on. Read again before each stream.',
    ),
    certFile: path('a certificate in PEM').describe('The agent’s own certificate, for mutual TLS.'),
    keyFile: path('a private key in PEM').describe('The private key of `certFile`.'),
    serverName: text('a host name')
      .optional()
      .describe('The name that the control plane’s certificate must have. Default: the host of `xdsAddress`.'),
  })
  .superRefine(({ caFile, certFile, keyFile, serverName }, context) => {
    checkKeyPair({ certFile, keyFile }, context);
    if (caFile === undefined && (certFile !== undefined || serverName !== undefined))
      rejectKey(context, 'caFile', 'the authorities of the control plane beside the other keys of tls');
  })
  .prefault({})
  .describe('TLS to the control plane. Without `caFile` it is called in plain text.');

/** The last good configuration on disk: on when `directory` is set. */
const cache = z
  .strictObject({
    directory: text('the path of a folder that no other data plane uses')
      .optional()
      .describe(
        'Directory for the last good configuration, for a start without a control plane. Default: none is stored.',
      ),
    maxAge: duration()
      .optional()
      .describe('Longest time without a control plane after which it is still used. Default: no limit.'),
    keyFile: path('at least 32 random bytes').describe(
      'File with its encryption key (AES-256-GCM). Default: not encrypted.',
    ),
    secrets: flag()
      .default(true)
      .describe('Stores Secrets too. HTTPS listeners need them to serve before a control plane is reachable.'),
  })
  .superRefine(({ directory, ...others }, context) => {
    const orphan = (['maxAge', 'keyFile'] as const).find((key) => others[key] !== undefined);
    if (directory !== undefined || orphan === undefined) return;
    context.addIssue({ code: 'custom', path: ['directory'], message: `the folder of the cache beside ${orphan}` });
  })
  .transform(({ maxAge, ...rest }) => ({ ...rest, maxAgeMs: maxAge }))
  .prefault({})
  .describe('The last good configuration, kept on disk.');

const envoyLogLevels = ['trace', 'debug', 'info', 'warning', 'error', 'critical', 'off'] as const;

/** The data-plane agent and its Envoy. */
export const dataplane = z
  .strictObject({
    /** The contract's place of the node id, which the environment variable SVC_GW_NODE_ID overrules. */
    config: z
      .strictObject({
        nodeId: text('a name that no other data plane has')
          .optional()
          .describe('The node id. The environment variable `SVC_GW_NODE_ID` takes precedence.'),
      })
      .prefault({})
      .describe('What the admin API contract keeps here.'),
    cluster: text('the Gateway to serve, such as "default/edge"')
      .optional()
      .describe(
        '`NAMESPACE/NAME` of the Gateway to serve, or `NAMESPACE/class:NAME` for all of a class that shares its proxies. `GATEWRIGHT_GATEWAY` takes precedence.',
      ),
    zone: text('a zone, as endpoints have it')
      .optional()
      .describe('The zone of the proxy. `GATEWRIGHT_ZONE` takes precedence.'),
    xdsAddress: targetAddress('127.0.0.1:18080')
      .prefault('127.0.0.1:18080')
      .describe('The xDS server of the control plane.'),
    controlPlaneHosts: z
      .array(text('a name or an address'), { error: 'a list of names and addresses' })
      .meta({ title: 'list of names' })
      .optional()
      .describe(
        'Names and addresses of the control plane, which backends’ names must not reach. Default: the host of `xdsAddress`.',
      ),
    nameServers: z
      .array(targetAddress('10.96.0.10:53'), { error: 'a list of addresses such as ["10.96.0.10:53"]' })
      .meta({ title: 'list of addresses `HOST:PORT`' })
      .optional()
      .describe('The DNS servers that resolve backends’ names. Default: those of `/etc/resolv.conf`.'),
    tls,
    tokenFile: path('a token').describe(
      'A ServiceAccount token for the control plane, sent only over TLS. Read again before each stream.',
    ),
    adminListen: listenAddress(':8082').prefault(':8082').describe('Address of the agent’s admin API (Layout 2).'),
    adminAuth: dataPlaneAuth,
    envoyPath: text('the path of an Envoy binary')
      .optional()
      .describe(
        'The Envoy to run. Default: `$ENVOY_PATH`, the one beside the executable, the one that set-up fetched, then `PATH`.',
      ),
    drainTime: duration().prefault('10s').describe('Time for requests in progress after SIGTERM.'),
    minDrainTime: duration().prefault('0s').describe('Minimum time of a drain, even without requests.'),
    reusePort: flag()
      .default(false)
      .describe(
        'Bind TCP ports with `SO_REUSEPORT`: each Envoy worker accepts its own connections. Only if no other proxy uses this network, because two of them would share a port without an error.',
      ),
    ipFamily: oneOf(ipFamilies)
      .default('IPv4')
      .describe(
        'Addresses on which listeners are opened that ask for all of IPv4 (`0.0.0.0`): `IPv4`, `IPv6`, or both with `DualStack`.',
      ),
    concurrency: whole('how many worker threads Envoy has', 1, 256)
      .optional()
      .describe('Number of Envoy’s worker threads. Default: one for each processor.'),
    geoip: z
      .strictObject({
        location: path('places of addresses').describe(
          'Database of cities or countries in MaxMind’s format. Looked at again when it changes.',
        ),
        asn: path('networks of addresses').describe(
          'Database of autonomous systems in MaxMind’s format. Looked at again when it changes.',
        ),
      })
      .optional()
      .describe('Databases by which `spec.geoip` of the DataPlane looks up client addresses.'),
    cache,
    logLevel: oneOf(envoyLogLevels).default('warning').describe('Log level of Envoy.'),
    metrics: metricSinks,
    bootstrap: z
      .record(z.string(), z.unknown(), { error: "parts of Envoy's bootstrap" })
      .optional()
      .describe('Additions to Envoy’s bootstrap, in Envoy’s JSON with names in snake_case.'),
  })
  .superRefine(({ tokenFile, tls: { caFile } }, context) => {
    if (tokenFile === undefined || caFile !== undefined) return;
    context.addIssue({
      code: 'custom',
      path: ['tokenFile'],
      message: 'tls.caFile beside it: a token is sent by TLS only',
    });
  })
  .transform(({ config, drainTime, minDrainTime, ...rest }) => ({
    ...rest,
    nodeId: config.nodeId,
    drainTimeMs: drainTime,
    minDrainTimeMs: minDrainTime,
  }))
  .prefault({})
  .describe('The data-plane agent and its Envoy.');
