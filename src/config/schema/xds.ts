import * as z from 'zod';
import { flag, listenAddress, text } from './leaf.ts';

const path = (of: string) => text(`the path of a PEM file with ${of}`).optional();

/** How the xDS server shows who it is, and whom it believes. */
const tls = z
  .strictObject({
    certFile: path('a certificate').describe(
      'The server’s certificate, in PEM; read again when it changes. Without it: one of our own authority.',
    ),
    keyFile: path('a private key').describe('The private key of `certFile`.'),
    caFile: path('certificates of authorities').describe(
      'What proxies check `certFile` against. They are given a copy, in each Gateway’s namespace.',
    ),
    clientCAFile: path('certificates of authorities').describe(
      'Clients may show a certificate of these authorities, which sign for proxies only (mutual TLS).',
    ),
    authoritySecret: text('a name such as "gatewright-xds-ca"')
      .default('gatewright-xds-ca')
      .describe('The Secret that our own authority is kept in. Made when it is missing.'),
    namespace: text('a namespace such as "gatewright-system"')
      .optional()
      .describe('Of that Secret. Without it: the pod’s own, or the kubeconfig’s.'),
    audience: text('an audience such as "gatewright-xds"')
      .default('gatewright-xds')
      .describe('Whom the tokens of proxies are for. No other program may have it.'),
  })
  .superRefine(({ certFile, keyFile, caFile }, context) => {
    const refuse = (key: string, message: string) => context.addIssue({ code: 'custom', path: [key], message });
    if (certFile !== undefined && keyFile === undefined) refuse('keyFile', 'the private key of certFile beside it');
    if (certFile === undefined && keyFile !== undefined) refuse('certFile', 'the certificate of keyFile beside it');
    if (certFile === undefined && caFile !== undefined)
      refuse('certFile', 'the certificate that caFile is for beside it');
  })
  .prefault({})
  .describe('Who the xDS server is, and who its clients are. In a cluster all of it has defaults.');

/** The gRPC xDS server. `insecure` allows plain text, which must be written down. */
export const xds = z
  .strictObject({
    listen: listenAddress(':18080').prefault(':18080').describe('Where the gRPC server listens.'),
    insecure: flag()
      .prefault(false)
      .describe(
        'Serves plain text, private keys included, to every client that reaches the port. Beyond loopback plain text has to be asked for by this key.',
      ),
    tls,
  })
  .superRefine(({ insecure, tls: { certFile, clientCAFile } }, context) => {
    if (!insecure || (certFile === undefined && clientCAFile === undefined)) return;
    context.addIssue({ code: 'custom', path: ['insecure'], message: 'false, or no files in tls' });
  })
  .prefault({})
  .describe('The xDS server, which proxies get their configuration from.');
