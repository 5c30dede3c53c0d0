import loadWabt from 'wabt';

/** Numbers of the Proxy-Wasm ABI 0.2.1. */
const maps = { request: 0, response: 2 } as const;
const pluginConfiguration = 7;
const [goOn, stop] = [0, 1];

/** Functions of proxies that modules of tests call, by how many numbers they take. */
const functions = {
  proxy_add_header_map_value: 5,
  proxy_replace_header_map_value: 5,
  proxy_remove_header_map_value: 3,
  proxy_send_local_response: 8,
  proxy_get_buffer_bytes: 5,
  proxy_set_buffer_bytes: 5,
  proxy_get_property: 4,
  proxy_set_property: 4,
  proxy_http_call: 10,
  proxy_grpc_call: 12,
  proxy_call_foreign_function: 6,
  proxy_define_metric: 4,
  proxy_set_shared_data: 5,
  proxy_register_shared_queue: 3,
} as const;
export type ProxyFunction = keyof typeof functions;

/** What a module does at a call: text of WebAssembly. */
type Act = (write: Writer) => string;

/** What modules of tests do, by Envoy's calls. */
export interface ModuleActs {
  readonly start?: Act;
  readonly configure?: Act;
  readonly create?: Act;
  readonly request?: Act;
  readonly requestBody?: Act;
  readonly response?: Act;
  readonly responseBody?: Act;
  readonly log?: Act;
}

interface ModuleShape {
  /** Of the ABI; default 0_2_1. */
  readonly version?: string;
  /** In pages of 64 KiB; default 2. */
  readonly pages?: number;
  /** Further imports. */
  readonly imports?: string;
}

/** Writes calls, and keeps the texts that they name. */
class Writer {
  readonly #texts = new Map<string, number>();
  #next = 4096;

  /** Where a text is, and its length. */
  text(text: string): string {
    const at = this.#texts.get(text) ?? this.#next;
    if (!this.#texts.has(text)) {
      this.#texts.set(text, at);
      this.#next += Buffer.byteLength(text);
    }
    return `(i32.const ${at}) (i32.const ${Buffer.byteLength(text)})`;
  }

  header(what: 'add' | 'replace', map: keyof typeof maps, name: string, value: string): string {
    return this.#drop(
      `proxy_${what}_header_map_value`,
      `(i32.const ${maps[map]}) ${this.text(name)} ${this.text(value)}`,
    );
  }

  /** The value is what the plugin was configured with. */
  headerOfConfiguration(name: string): string {
    const value = '(global.get $configuration) (global.get $configurationLength)';
    return this.#drop('proxy_add_header_map_value', `(i32.const ${maps.request}) ${this.text(name)} ${value}`);
  }

  remove(map: keyof typeof maps, name: string): string {
    return this.#drop('proxy_remove_header_map_value', `(i32.const ${maps[map]}) ${this.text(name)}`);
  }

  answer(status: number, body: string): string {
    const rest = `${this.text('')} ${this.text(body)} (i32.const 0) (i32.const 0) (i32.const -1)`;
    return `${this.#drop('proxy_send_local_response', `(i32.const ${status}) ${rest}`)} (return (i32.const ${stop}))`;
  }

  /** Replaces the first piece of the first body: 0 of requests, 1 of answers. */
  body(of: 0 | 1, text: string): string {
    const [all, flag] = ['(i32.const 0) (i32.const 1000000)', `(i32.const ${32 + 4 * of})`];
    const replaces = this.#drop('proxy_set_buffer_bytes', `(i32.const ${of}) ${all} ${this.text(text)}`);
    return `(if (i32.eqz (i32.load ${flag})) (then (i32.store ${flag} (i32.const 1)) ${replaces}))`;
  }

  /** Calls it with zeros, and says in a header of the request where that is taken. */
  tries(name: ProxyFunction, header: string): string {
    const zeros = Array.from({ length: functions[name] }, () => '(i32.const 0)').join(' ');
    return `(if (i32.eqz (call $${name} ${zeros})) (then ${this.header('add', 'request', header, name)}))`;
  }

  keepsConfiguration(): string {
    return `
      (drop (call $proxy_get_buffer_bytes (i32.const ${pluginConfiguration}) (i32.const 0) (local.get 1) (i32.const 8) (i32.const 12)))
      (global.set $configuration (i32.load (i32.const 8)))
      (global.set $configurationLength (i32.load (i32.const 12)))`;
  }

  data(): string {
    return [...this.#texts].map(([text, at]) => `(data (i32.const ${at}) ${quoted(text)})`).join('\n');
  }

  #drop(name: ProxyFunction, args: string): string {
    return `(drop (call $${name} ${args}))`;
  }
}

const quoted = (text: string): string =>
  `"${[...Buffer.from(text)].map((byte) => `\\${byte.toString(16).padStart(2, '0')}`).join('')}"`;

const imports = Object.entries(functions)
  .map(
    ([name, count]) =>
      `(import "env" "${name}" (func $${name} (param ${Array(count).fill('i32').join(' ')}) (result i32)))`,
  )
  .join('\n');

/** A module of the Proxy-Wasm ABI as bytes. */
export async function wasmModule(
  acts: ModuleActs,
  { version = '0_2_1', pages = 2, imports: others = '' }: ModuleShape = {},
): Promise<Uint8Array> {
  const write = new Writer();
  const does = (act: Act | undefined): string => act?.(write) ?? '';
  const bodies = `
    (func (export "proxy_on_vm_start") (param i32 i32) (result i32) ${does(acts.start)} (i32.const 1))
    (func (export "proxy_on_configure") (param i32 i32) (result i32) ${write.keepsConfiguration()} ${does(acts.configure)} (i32.const 1))
    (func (export "proxy_on_context_create") (param i32 i32) ${does(acts.create)})
    (func (export "proxy_on_request_headers") (param i32 i32 i32) (result i32) ${does(acts.request)} (i32.const ${goOn}))
    (func (export "proxy_on_request_body") (param i32 i32 i32) (result i32) ${does(acts.requestBody)} (i32.const ${goOn}))
    (func (export "proxy_on_response_headers") (param i32 i32 i32) (result i32) ${does(acts.response)} (i32.const ${goOn}))
    (func (export "proxy_on_response_body") (param i32 i32 i32) (result i32) ${does(acts.responseBody)} (i32.const ${goOn}))
    (func (export "proxy_on_log") (param i32) ${does(acts.log)})`;
  const text = `(module
    ${imports}
    ${others}
    (memory (export "memory") ${pages})
    (global $next (mut i32) (i32.const 65536))
    (global $configuration (mut i32) (i32.const 0))
    (global $configurationLength (mut i32) (i32.const 0))
    (func (export "proxy_abi_version_${version}"))
    (func (export "malloc") (param $size i32) (result i32) (local $at i32)
      (local.set $at (global.get $next))
      (global.set $next (i32.add (global.get $next) (local.get $size)))
      (local.get $at))
    ${bodies}
    ${write.data()})`;
  return await assembled(text);
}

/** Loaded once: each load compiles the whole of it. */
let loading: ReturnType<typeof loadWabt> | undefined;

/** Any text of WebAssembly as bytes. */
export async function assembled(text: string): Promise<Uint8Array> {
  loading ??= loadWabt();
  const wabt = await loading;
  const module = wabt.parseWat('test.wat', text);
  try {
    return Uint8Array.from(module.toBinary({}).buffer);
  } finally {
    module.destroy();
  }
}
