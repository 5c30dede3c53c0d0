import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { experimental, Metadata } from '@grpc/grpc-js';
import type { Logger } from '../../telemetry/index.ts';
import { type Access, AccessError } from './access.ts';
import { type Certificates, FileCertificates } from './file-certificates.ts';
import { impatient } from './impatient.ts';

/** Absolute paths, by the keys of `dataplane`. */
export interface AccessFiles {
  readonly caFile: string;
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
  readonly tokenFile?: string | undefined;
  readonly serverName?: string | undefined;
}

/**
 * TLS by what files hold. They are read now, and again before each stream, which is when a change of them counts: a stream
 * that is open stays. While certificates cannot be used those that were read before are; the token is always the file's.
 * Rejects with AccessError when something cannot be used from the start.
 */
export async function openAccess(files: AccessFiles, logger: Logger): Promise<Access> {
  const { caFile, certFile, keyFile, tokenFile, serverName } = files;
  const read = async (): Promise<Certificates> => {
    const certificates = {
      ca: await readAs('dataplane.tls.caFile', caFile),
      ...(certFile !== undefined && { cert: await readAs('dataplane.tls.certFile', certFile) }),
      ...(keyFile !== undefined && { key: await readAs('dataplane.tls.keyFile', keyFile) }),
    };
    check(files, certificates);
    return certificates;
  };
  const certificates = new FileCertificates(await read());
  const token = () => (tokenFile === undefined ? undefined : readToken(tokenFile));
  await token();
  return {
    credentials: impatient(
      experimental.createCertificateProviderChannelCredentials(
        certificates,
        certFile === undefined ? null : certificates,
      ),
    ),
    channelOptions: serverName === undefined ? {} : { 'grpc.ssl_target_name_override': serverName },
    async metadata() {
      try {
        certificates.update(await read());
      } catch (error) {
        logger.warn({ err: error }, 'certificates cannot be read; those read before stay in use');
      }
      const metadata = new Metadata();
      const bearer = await token();
      if (bearer !== undefined) metadata.set('authorization', `Bearer ${bearer}`);
      return metadata;
    },
  };
}

async function readToken(path: string): Promise<string> {
  const text = (await readAs('dataplane.tokenFile', path)).toString('utf8').trim();
  if (/^[\x21-\x7e]+$/.test(text)) return text;
  throw new AccessError(`dataplane.tokenFile: ${path} holds no token; write it into the file`);
}

async function readAs(key: string, path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new AccessError(`${key}: ${path} cannot be read (${code}); create it or correct the path`, { cause });
  }
}

/** The TLS library takes text without a certificate for an empty bundle, which trusts no client. */
function check({ caFile, certFile, keyFile }: AccessFiles, { ca, cert, key }: Certificates): void {
  if (!ca.includes('-----BEGIN CERTIFICATE-----'))
    throw new AccessError(`dataplane.tls.caFile: ${caFile} holds no certificates in PEM; write them into it`);
  try {
    createSecureContext({ ca });
  } catch (cause) {
    throw new AccessError(`dataplane.tls.caFile: ${caFile} cannot be used: ${(cause as Error).message}`, { cause });
  }
  try {
    if (cert && key) createSecureContext({ cert, key });
  } catch (cause) {
    const message = `dataplane.tls.certFile: ${certFile} and ${keyFile} cannot be used: ${(cause as Error).message}`;
    throw new AccessError(message, { cause });
  }
}
