import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface RevocableCertificate {
  /** With the authorities below the root, if there are any. */
  readonly certificatePem: string;
  readonly keyPem: string;
  /** In hexadecimal. */
  readonly serial: string;
}

export interface CrlContent {
  readonly revoked?: readonly Pick<RevocableCertificate, 'serial'>[];
  /** Default: in a day. */
  readonly ends?: Date;
}

/** An authority that revokes what it has issued. Everything is made by openssl, as its users do. */
export interface RevokingAuthority {
  readonly certificatePem: string;
  readonly serial: string;
  issue(name: string): Promise<RevocableCertificate>;
  /** An authority below this one. */
  authority(name: string): Promise<RevokingAuthority>;
  /** A list of revoked certificates in PEM. */
  crl(content?: CrlContent): Promise<string>;
}

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
const ofAuthority =
  'basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign\nsubjectKeyIdentifier=hash\n';
const ofOthers = 'basicConstraints=CA:FALSE\nextendedKeyUsage=clientAuth,serverAuth\n';
const dayMs = 86_400_000;

/** `onEnd`: called with what removes its files. */
export async function createRevokingAuthority(name: string, onEnd: (end: () => unknown) => void) {
  const directory = await mkdtemp(join(tmpdir(), 'gatewright-authority-'));
  onEnd(() => rm(directory, { recursive: true, force: true }));
  return new Workshop(directory).root(name);
}

class Workshop {
  readonly #directory: string;
  #serial = 4096;

  constructor(directory: string) {
    this.#directory = directory;
  }

  async root(name: string): Promise<RevokingAuthority> {
    const serial = this.#next();
    const extensions = ofAuthority
      .trim()
      .split('\n')
      .flatMap((line) => ['-addext', line]);
    await this.#openssl(
      'req',
      '-x509',
      ...newKey,
      '-keyout',
      `${serial}.key`,
      '-out',
      `${serial}.crt`,
      '-subj',
      `/CN=${name}`,
      '-days',
      '90',
      '-set_serial',
      `0x${serial}`,
      ...extensions,
    );
    return this.#authority(serial, '');
  }

  /** `below`: the authorities between the root and its certificates, in PEM. */
  async #authority(serial: string, below: string): Promise<RevokingAuthority> {
    const certificatePem = await this.#read(`${serial}.crt`);
    return {
      certificatePem,
      serial,
      issue: async (name) => {
        const own = await this.#signed(serial, name, `${ofOthers}subjectAltName=DNS:${name}\n`);
        return {
          certificatePem: (await this.#read(`${own}.crt`)) + below,
          keyPem: await this.#read(`${own}.key`),
          serial: own,
        };
      },
      authority: async (name) => {
        const own = await this.#signed(serial, name, ofAuthority);
        return this.#authority(own, (await this.#read(`${own}.crt`)) + below);
      },
      crl: (content) => this.#crl(serial, content),
    };
  }

  async #signed(issuer: string, name: string, extensions: string): Promise<string> {
    const serial = this.#next();
    await writeFile(join(this.#directory, `${serial}.ext`), extensions);
    await this.#openssl(
      'req',
      '-new',
      ...newKey,
      '-keyout',
      `${serial}.key`,
      '-out',
      `${serial}.csr`,
      '-subj',
      `/CN=${name}`,
    );
    await this.#openssl(
      'x509',
      '-req',
      '-in',
      `${serial}.csr`,
      '-CA',
      `${issuer}.crt`,
      '-CAkey',
      `${issuer}.key`,
      '-set_serial',
      `0x${serial}`,
      '-days',
      '90',
      '-extfile',
      `${serial}.ext`,
      '-out',
      `${serial}.crt`,
    );
    return serial;
  }

  async #crl(issuer: string, { revoked = [], ends = new Date(Date.now() + dayMs) }: CrlContent = {}): Promise<string> {
    const config = `${issuer}.conf`;
    const [then, before] = [timeText(new Date(Date.now() + 90 * dayMs)), timeText(new Date(Date.now() - 2 * dayMs))];
    const lines = revoked.map(({ serial }) => `R\t${then}\t${before}\t${serial}\tunknown\t/CN=revoked\n`);
    await writeFile(join(this.#directory, `${issuer}.index`), lines.join(''));
    await writeFile(
      join(this.#directory, config),
      `[ca]\ndefault_ca = own\n[own]\ndatabase = ${issuer}.index\ndefault_md = sha256\n`,
    );
    await this.#openssl(
      'ca',
      '-config',
      config,
      '-gencrl',
      '-cert',
      `${issuer}.crt`,
      '-keyfile',
      `${issuer}.key`,
      '-crl_lastupdate',
      before,
      '-crl_nextupdate',
      timeText(ends),
      '-out',
      `${issuer}.crl`,
    );
    return this.#read(`${issuer}.crl`);
  }

  /** Even digits, as openssl keeps them. */
  #next(): string {
    this.#serial += 1;
    return this.#serial.toString(16).toUpperCase();
  }

  #openssl(...args: readonly string[]) {
    return run('openssl', args, { cwd: this.#directory });
  }

  #read(file: string): Promise<string> {
    return readFile(join(this.#directory, file), 'utf8');
  }
}

/** As RFC 5280 wants it: from 2050 on with four digits for the year. */
const timeText = (time: Date): string =>
  `${time
    .toISOString()
    .slice(time.getUTCFullYear() < 2050 ? 2 : 0, 19)
    .replace(/[-T:]/g, '')}Z`;
