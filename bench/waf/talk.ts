import { connect } from 'node:net';

/** How an exchange of bytes ended. */
export interface Talk {
  /** Undefined without an answer. */
  readonly status?: number;
  /** Of the firewall's transaction; undefined where the proxy answered before it. */
  readonly transaction?: string;
}

const patienceMs = 5000;

/** Sends bytes as they are, and reads one answer. */
export function talk(port: number, bytes: Buffer): Promise<Talk> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    let answer = '';
    const end = (): void => {
      socket.destroy();
      resolve(talkOf(answer));
    };
    socket.setTimeout(patienceMs, end);
    socket.once('error', end).once('close', end);
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString('latin1');
      if (isWhole(answer)) end();
    });
  });
}

function talkOf(answer: string): Talk {
  const [head = ''] = answer.split('\r\n\r\n');
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1];
  const transaction = /^x-waf-transaction: *(\S+)/im.exec(head)?.[1];
  return { ...(status && { status: Number(status) }), ...(transaction && { transaction }) };
}

function isWhole(answer: string): boolean {
  const at = answer.indexOf('\r\n\r\n');
  if (at < 0) return false;
  const head = answer.slice(0, at);
  const length = /^content-length: *(\d+)/im.exec(head)?.[1];
  if (length !== undefined) return answer.length >= at + 4 + Number(length);
  return /^transfer-encoding: *chunked/im.test(head) && answer.endsWith('0\r\n\r\n');
}
