import { isIP } from 'node:net';
import { type BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { formatAddress } from '../../config/index.ts';
import {
  type FailureReport,
  failureTags,
  passedNamespace,
  trafficLimits,
  withoutQuotes,
} from '../../contracts/index.ts';
import { readFields, readSocketAddress } from '../../envoy/wire/index.ts';
import { flagsOf } from './response-flags.ts';

/** What of an entry of Envoy's access log is read. Its query, headers and bodies are not, and the client's address only where a tag has it. */
interface Entry {
  at: number;
  durationMs: number;
  endpoint: string;
  backend: string;
  clientAddress: string;
  flags: readonly string[];
  transportFailure: string;
  route: string;
  attempts: number;
  listener: string;
  protocol: string;
  method: string;
  host: string;
  path: string;
  originalPath: string;
  requestId: string;
  status: number;
  details: string;
  passed: string[];
}

const methods = ['OTHER', 'GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH'];
const protocols = ['', 'HTTP/1.0', 'HTTP/1.1', 'HTTP/2', 'HTTP/3'];

/** An encoded envoy.data.accesslog.v3.HTTPAccessLogEntry. Read by hand: its descriptors would cost the agent megabytes. Throws when it is none. */
export function readFailure(bytes: Uint8Array): FailureReport {
  const entry: Entry = {
    at: 0,
    durationMs: 0,
    endpoint: '',
    backend: '',
    clientAddress: '',
    flags: [],
    transportFailure: '',
    route: '',
    attempts: 0,
    listener: '',
    protocol: '',
    method: 'OTHER',
    host: '',
    path: '',
    originalPath: '',
    requestId: '',
    status: 0,
    details: '',
    passed: [],
  };
  readInto(bytes, {
    1: (reader) => readInto(reader.bytes(), commonFields(entry)),
    2: (reader) => {
      entry.protocol = protocols[reader.int32()] ?? '';
    },
    3: (reader) => readInto(reader.bytes(), requestFields(entry)),
    4: (reader) => readInto(reader.bytes(), responseFields(entry)),
  });
  const { originalPath, path, ...rest } = entry;
  return {
    ...rest,
    endpoint: cut(entry.endpoint, trafficLimits.text),
    backend: cut(entry.backend, trafficLimits.name),
    route: cut(entry.route, trafficLimits.name),
    transportFailure: cut(entry.transportFailure, trafficLimits.text),
    details: cut(withoutQuotes(entry.details), trafficLimits.text),
    host: cut(entry.host, trafficLimits.host),
    passed: entry.passed.slice(0, trafficLimits.passed),
    path: cut(withoutQuery(originalPath || path), trafficLimits.path),
    requestId: cut(entry.requestId, trafficLimits.text),
  };
}

type Fields = Readonly<Record<number, (reader: BinaryReader) => void>>;

function readInto(bytes: Uint8Array, fields: Fields): void {
  readFields(bytes, (no, wireType, reader) => {
    const read = fields[no];
    if (read === undefined || (wireType !== WireType.LengthDelimited && wireType !== WireType.Varint)) return false;
    read(reader);
    return true;
  });
}

/** envoy.data.accesslog.v3.AccessLogCommon */
const commonFields = (entry: Entry): Fields => ({
  5: (reader) => {
    entry.at = Math.round(readTime(reader.bytes()));
  },
  13: (reader) => {
    const address = readSocketAddress(reader.bytes());
    if (address) entry.endpoint = formatAddress(address);
  },
  16: (reader) => {
    entry.flags = flagsOf(reader.bytes());
  },
  17: (reader) => {
    entry.passed.push(...passedIn(reader.bytes()));
  },
  18: (reader) => {
    entry.transportFailure = reader.string();
  },
  19: (reader) => {
    entry.route = reader.string();
  },
  22: (reader) => {
    const [name, value] = readPair(reader.bytes());
    if (name === failureTags.listener) entry.listener = value;
    if (name === failureTags.backend && value !== '-') entry.backend = value;
    if (name === failureTags.client && isIP(value) !== 0) entry.clientAddress = value;
  },
  23: (reader) => {
    entry.durationMs = Math.round(readTime(reader.bytes()));
  },
  24: (reader) => {
    entry.attempts = reader.uint32();
  },
});

/** envoy.data.accesslog.v3.HTTPRequestProperties */
const requestFields = (entry: Entry): Fields => ({
  1: (reader) => {
    entry.method = methods[reader.int32()] ?? 'OTHER';
  },
  3: (reader) => {
    entry.host = reader.string();
  },
  5: (reader) => {
    entry.path = reader.string();
  },
  9: (reader) => {
    entry.requestId = reader.string();
  },
  10: (reader) => {
    entry.originalPath = reader.string();
  },
});

/** envoy.data.accesslog.v3.HTTPResponseProperties */
const responseFields = (entry: Entry): Fields => ({
  1: (reader) =>
    readInto(reader.bytes(), {
      1: (code) => {
        entry.status = code.uint32();
      },
    }),
  6: (reader) => {
    entry.details = reader.string();
  },
});

/** google.protobuf.Timestamp or Duration, in milliseconds. */
function readTime(bytes: Uint8Array): number {
  let [seconds, nanos] = [0, 0];
  readInto(bytes, {
    1: (reader) => {
      seconds = Number(reader.int64());
    },
    2: (reader) => {
      nanos = reader.int32();
    },
  });
  return seconds * 1000 + nanos / 1e6;
}

/** The keys of one namespace of an envoy.config.core.v3.Metadata. What else is in it, such as claims of tokens, is not read. */
function passedIn(metadata: Uint8Array): string[] {
  const keys: string[] = [];
  eachEntry(metadata, (namespace, struct) => {
    if (namespace === passedNamespace) eachEntry(struct, (key) => keys.push(cut(key, trafficLimits.text)));
  });
  return keys;
}

/** Of a message whose first field is a map. */
function eachEntry(bytes: Uint8Array, take: (key: string, value: Uint8Array) => void): void {
  readInto(bytes, {
    1: (reader) => {
      let [key, value]: [string, Uint8Array] = ['', new Uint8Array()];
      readInto(reader.bytes(), {
        1: (field) => {
          key = field.string();
        },
        2: (field) => {
          value = field.bytes();
        },
      });
      take(key, value);
    },
  });
}

function readPair(bytes: Uint8Array): [name: string, value: string] {
  const pair: [string, string] = ['', ''];
  readInto(bytes, {
    1: (reader) => {
      pair[0] = reader.string();
    },
    2: (reader) => {
      pair[1] = reader.string();
    },
  });
  return pair;
}

const withoutQuery = (path: string): string => path.split(/[?#]/, 1)[0] ?? '';

const cut = (text: string, length: number): string => (text.length > length ? `${text.slice(0, length - 1)}…` : text);
