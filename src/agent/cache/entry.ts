import { BinaryReader, BinaryWriter, type WireType } from '@bufbuild/protobuf/wire';
import { type Knowledge, type KnownName, readResource, type TypeKnowledge, type WireResource } from '../relay/index.ts';

/** One record of the file: what changed, and when a control plane last stood behind all of it. */
export interface Entry {
  /** `NAMESPACE/NAME` of the Gateway that it is for. */
  readonly gateway: string;
  /** Nothing before this entry counts. */
  readonly whole: boolean;
  readonly confirmedAt: Date;
  readonly knowledge: Knowledge;
}

/*
 * Entry: gateway 1, whole 2, confirmedAt 3 (ms), manifest 4 (Resource), appliedAt 5 (ms), types 6.
 * Type: typeUrl 1, answered 2, names 3. Name: name 1, held 2 (Resource), rejected 3 (Resource), absent 4.
 */

export function encodeEntry({ gateway, whole, confirmedAt, knowledge: { applied, types } }: Entry): Uint8Array {
  const writer = new BinaryWriter();
  writer.tag(1, 2).string(gateway).tag(2, 0).bool(whole).tag(3, 0).uint64(confirmedAt.getTime());
  if (applied) writer.tag(4, 2).bytes(applied.marker.bytes).tag(5, 0).uint64(applied.at.getTime());
  for (const type of types) {
    writer.tag(6, 2).fork().tag(1, 2).string(type.typeUrl).tag(2, 0).bool(type.answered);
    for (const name of type.names) writeName(writer.tag(3, 2).fork(), name).join();
    writer.join();
  }
  return writer.finish();
}

function writeName(writer: BinaryWriter, { name, held, rejected, absent }: KnownName): BinaryWriter {
  writer.tag(1, 2).string(name);
  if (held) writer.tag(2, 2).bytes(held.bytes);
  if (rejected) writer.tag(3, 2).bytes(rejected.bytes);
  return absent ? writer.tag(4, 0).bool(true) : writer;
}

/** Throws when the bytes are no entry. */
export function decodeEntry(bytes: Uint8Array): Entry {
  let [gateway, whole, confirmedMs, appliedMs] = ['', false, 0, 0];
  let marker: WireResource | undefined;
  const types: TypeKnowledge[] = [];
  readFields(bytes, {
    1: (reader) => {
      gateway = reader.string();
    },
    2: (reader) => {
      whole = reader.bool();
    },
    3: (reader) => {
      confirmedMs = Number(reader.uint64());
    },
    4: (reader) => {
      marker = readResource(reader.bytes());
    },
    5: (reader) => {
      appliedMs = Number(reader.uint64());
    },
    6: (reader) => types.push(decodeType(reader.bytes())),
  });
  const applied = marker && { marker, at: new Date(appliedMs) };
  return { gateway, whole, confirmedAt: new Date(confirmedMs), knowledge: { applied, types } };
}

function decodeType(bytes: Uint8Array): TypeKnowledge {
  let [typeUrl, answered] = ['', false];
  const names: KnownName[] = [];
  readFields(bytes, {
    1: (reader) => {
      typeUrl = reader.string();
    },
    2: (reader) => {
      answered = reader.bool();
    },
    3: (reader) => names.push(decodeName(reader.bytes())),
  });
  return { typeUrl, answered, names };
}

function decodeName(bytes: Uint8Array): KnownName {
  let [name, absent] = ['', false];
  let held: WireResource | undefined;
  let rejected: WireResource | undefined;
  readFields(bytes, {
    1: (reader) => {
      name = reader.string();
    },
    2: (reader) => {
      held = readResource(reader.bytes());
    },
    3: (reader) => {
      rejected = readResource(reader.bytes());
    },
    4: (reader) => {
      absent = reader.bool();
    },
  });
  return { name, held, rejected, absent };
}

function readFields(bytes: Uint8Array, fields: Readonly<Record<number, (reader: BinaryReader) => unknown>>): void {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [no, wireType]: [number, WireType] = reader.tag();
    const read = fields[no];
    if (read) read(reader);
    else reader.skip(wireType, no);
  }
}

/** Puts entries one upon the other, the first being a whole one. */
export class EntrySum {
  #last: Entry | undefined;
  readonly #types = new Map<string, { answered: boolean; readonly names: Map<string, KnownName> }>();

  add(entry: Entry): void {
    if (entry.whole) this.#types.clear();
    this.#last = entry;
    for (const { typeUrl, answered, names } of entry.knowledge.types) {
      const type = this.#types.get(typeUrl) ?? { answered, names: new Map<string, KnownName>() };
      this.#types.set(typeUrl, type);
      type.answered = answered;
      for (const known of names) {
        if (known.held || known.rejected || known.absent) type.names.set(known.name, known);
        else type.names.delete(known.name);
      }
    }
  }

  /** Undefined while there is none. */
  get total(): Entry | undefined {
    if (!this.#last) return undefined;
    const types = [...this.#types].map(([typeUrl, { answered, names }]) => {
      return { typeUrl, answered, names: [...names.values()] };
    });
    return { ...this.#last, knowledge: { applied: this.#last.knowledge.applied, types } };
  }
}
