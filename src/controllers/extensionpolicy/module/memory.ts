/** How much memory a module may have, in each thread of a proxy. */
const mostMemoryMiB = 64;

const pagesPerMiB = 16;
const mostPages = mostMemoryMiB * pagesPerMiB;

const headerBytes = 8;
const memorySection = 5;

/**
 * The module with a bound to its memory, since proxies have none of their own. It must be valid. A text says why it can have no bound.
 * Source: WebAssembly Core Specification 2.0, 5.5.2 and 5.5.8.
 */
export function withMemoryBound(code: Uint8Array): Uint8Array | string {
  for (let at = headerBytes; at < code.length; ) {
    const size = numberAt(code, at + 1);
    const end = size.end + size.value;
    if (code[at] === memorySection) {
      const section = boundedSection(code.subarray(size.end, end));
      return typeof section === 'string' ? section : Buffer.concat([code.subarray(0, at), section, code.subarray(end)]);
    }
    at = end;
  }
  return 'has no memory of its own';
}

/** The section as a whole, with its number and size. */
function boundedSection(content: Uint8Array): Uint8Array | string {
  const count = numberAt(content, 0);
  const flags = content[count.end] ?? 0;
  if (count.value !== 1 || flags > 1) return 'has another sort of memory than one that grows by pages of 64 KiB';
  const least = numberAt(content, count.end + 1);
  const most = flags === 1 ? numberAt(content, least.end).value : mostPages;
  if (least.value > mostPages)
    return `begins with ${least.value / pagesPerMiB} MiB of memory, and a module may have ${mostMemoryMiB} MiB`;
  const bounded = [1, 1, ...numberBytes(least.value), ...numberBytes(Math.min(most, mostPages))];
  return Uint8Array.from([memorySection, ...numberBytes(bounded.length), ...bounded]);
}

/** An unsigned number in LEB128, and where it ends. */
function numberAt(bytes: Uint8Array, start: number): { readonly value: number; readonly end: number } {
  let value = 0;
  for (let at = start, factor = 1; ; at += 1, factor *= 128) {
    const byte = bytes[at] ?? 0;
    value += (byte & 0x7f) * factor;
    if (byte < 0x80) return { value, end: at + 1 };
  }
}

const numberBytes = (value: number): number[] =>
  value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...numberBytes(value >>> 7)];
