import * as z from 'zod';
import { checkKeyPair, rejectKey } from './key-pair.ts';
import { flag, listenAddress, text } from './leaf.ts';

const path = (of: string) => text(`the path of a PEM file with ${of}`).optional();

/** How the xDS server shows who it is, and whom it believes. */
const tls = z
  .strictObject({
    certFile: path('a certificate').describe(
      'The server’s certificate, in PEM; read again when it changes. Default: a certificate of our own authority.',
    ),
    keyFile: path('a private key').describe('The private key of `certFile`.'),
    caFile: path('certificates of authorities').describe(
      'The authority with which proxies check `certFile`. Each Gateway’s namespace gets a copy.',
    ),
    clientCAFile: path('certificates of authorities').describe(
      'Clients may present a certificate of these authorities, which must sign only for proxies (mutual TLS).',
    ),
    authoritySecret: text('a name such as "gatewright-xds-ca"')
      .default('gatewright-xds-ca')
      .describe('The Secret that stores our own authority. Created if it is missing.'),
    namespace: text('a namespace such as "gatewright-system"')
      .optional()
      .describe('Namespace of that Secret. Default: the pod’s own, or the kubeconfig’s.'),
    audience: text('an audience such as "gatewright-xds"')
      .default('gatewright-xds')
      .describe('Audience of the proxies’ tokens. No other program may use it.'),
  })
  .superRefine(({ certFile, keyFile, caFile }, context) => {
    checkKeyPair({ certFile, keyFile }, context);
    if (certFile === undefined && caFile !== undefined)
      rejectKey(context, 'certFile', 'the certificate that caFile is for beside it');
  })
  .prefault({})
  .describe('Who the xDS server is, and who its clients are. In a cluster all of it has defaults.');

/** The gRPC xDS server. `insecure` allows plain text, which must be written down. */
export const xds = z
  .strictObject({
    listen: listenAddress(':18080').prefault(':18080').describe('Address of the gRPC server.'),
    insecure: flag()
      .prefault(false)
      .describe(
        'Serves plain text, private keys included, to every client that reaches the port. Plain text beyond loopback needs this key.',
      ),
    tls,
  })
  .superRefine(({ insecure, tls: { certFile, clientCAFile } }, context) => {
    if (!insecure || (certFile === undefined && clientCAFile === undefined)) return;
    context.addIssue({ code: 'custom', path: ['insecure'], message: 'false, or no files in tls' });
  })
  .prefault({})
  .describe('The xDS server, from which proxies get their configuration.');
