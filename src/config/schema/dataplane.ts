import * as z from 'zod';
import { dataPlaneAuth } from './data-plane-auth.ts';
import { duration, flag, listenAddress, oneOf, targetAddress, text } from './leaf.ts';

const path = (of: string) => text(`the path of a file with ${of}`).optional();

/** TLS to the control plane: on when `caFile` is set. */
const tls = z
  .strictObject({
    caFile: path('certificates in PEM').describe(
      'What the control plane’s certificate is checked against, in PEM; turns TLS on. Read again before each stream.',
    ),
    certFile: path('a certificate in PEM').describe(
      'The agent’s own certificate, where the control plane asks for one.',
    ),
    keyFile: path('a private key in PEM').describe('The private key of `certFile`.'),
    serverName: text('a host name')
      .optional()
      .describe('The name that the control plane’s certificate must have. Without it: the host of `xdsAddress`.'),
  })
  .superRefine(({ caFile, certFile, keyFile, serverName }, context) => {
    const refuse = (key: string, message: string) => context.addIssue({ code: 'custom', path: [key], message });
    if (certFile !== undefined && keyFile === undefined) refuse('keyFile', 'the private key of certFile beside it');
    if (certFile === undefined && keyFile !== undefined) refuse('certFile', 'the certificate of keyFile beside it');
    if (caFile === undefined && (certFile !== undefined || serverName !== undefined))
      refuse('caFile', 'the authorities of the control plane beside the other keys of tls');
  })
  .prefault({})
  .describe('TLS to the control plane. Without `caFile` it is called in plain text.');

/** The last good configuration on disk: on when `directory` is set. */
const cache = z
  .strictObject({
    directory: text('the path of a folder that no other data plane uses')
      .optional()
      .describe(
        'Where the last good configuration is kept, for a start while no control plane can be reached. Without it nothing is kept.',
      ),
    maxAge: duration()
      .optional()
      .describe('It is not used any more when there was no control plane for so long. Without it: it always is.'),
    keyFile: path('at least 32 random bytes').describe(
      'What it is encrypted with (AES-256-GCM). Without it: it is not.',
    ),
    secrets: flag()
      .default(true)
      .describe('Whether Secrets are kept too. HTTPS listeners need theirs to serve before a control plane is there.'),
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
          .describe('The node id, unless the environment variable `SVC_GW_NODE_ID` has one.'),
      })
      .prefault({})
      .describe('What the admin API contract keeps here.'),
    cluster: text('the Gateway to serve, such as "default/edge"')
      .optional()
      .describe(
        '`NAMESPACE/NAME` of the Gateway to serve, or `NAMESPACE/class:NAME` for all of a class that shares its proxies, unless `GATEWRIGHT_GATEWAY` has it.',
      ),
    zone: text('a zone, as endpoints have it')
      .optional()
      .describe('The zone that the proxy is in, unless `GATEWRIGHT_ZONE` has it.'),
    xdsAddress: targetAddress('127.0.0.1:18080')
      .prefault('127.0.0.1:18080')
      .describe('The xDS server of the control plane.'),
    controlPlaneHosts: z
      .array(text('a name or an address'), { error: 'a list of names and addresses' })
      .meta({ title: 'list of names' })
      .optional()
      .describe(
        'Names and addresses of the control plane, which no name of a user is led to. Without it: the host of `xdsAddress`.',
      ),
    nameServers: z
      .array(targetAddress('10.96.0.10:53'), { error: 'a list of addresses such as ["10.96.0.10:53"]' })
      .meta({ title: 'list of addresses `HOST:PORT`' })
      .optional()
      .describe('The DNS servers that backends’ names are resolved by. Without it: those of `/etc/resolv.conf`.'),
    tls,
    tokenFile: path('a token').describe(
      'A ServiceAccount token that the agent shows the control plane, by TLS only. Read again before each stream.',
    ),
    adminListen: listenAddress(':8082').prefault(':8082').describe('Where the agent’s admin API (Layout 2) listens.'),
    adminAuth: dataPlaneAuth,
    envoyPath: text('the path of an Envoy binary')
      .optional()
      .describe('The Envoy to run. Without it: `$ENVOY_PATH`, the one that set-up fetched, then `PATH`.'),
    drainTime: duration().prefault('10s').describe('How long open requests may take after SIGTERM.'),
    minDrainTime: duration().prefault('0s').describe('How long the drain lasts at least, also when nothing is open.'),
    reusePort: flag()
      .default(false)
      .describe(
        'Bind TCP ports with `SO_REUSEPORT`: each of Envoy’s workers takes in connections of its own. Only where no other proxy is on this network: two of them would share a port without a word.',
      ),
    cache,
    logLevel: oneOf(envoyLogLevels).default('warning').describe('Of Envoy itself.'),
    bootstrap: z
      .record(z.string(), z.unknown(), { error: "parts of Envoy's bootstrap" })
      .optional()
      .describe('What is added to Envoy’s bootstrap, in its own JSON with names in snake_case.'),
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
