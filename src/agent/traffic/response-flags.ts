import { readFields } from '../../envoy/wire/index.ts';

/** Short names of flags, by the number of their field in envoy.data.accesslog.v3.ResponseFlags. */
const names: Readonly<Record<number, string>> = {
  1: 'LH',
  2: 'UH',
  3: 'UT',
  4: 'LR',
  5: 'UR',
  6: 'UF',
  7: 'UC',
  8: 'UO',
  9: 'NR',
  10: 'DI',
  11: 'FI',
  12: 'RL',
  13: 'UAEX',
  14: 'RLSE',
  15: 'DC',
  16: 'URX',
  17: 'SI',
  18: 'IH',
  19: 'DPE',
  20: 'UMSDR',
  21: 'RFCF',
  22: 'NFCF',
  23: 'DT',
  24: 'UPE',
  25: 'NC',
  26: 'OM',
  27: 'DF',
  28: 'DR',
};

/** The flags that are set. Envoy writes none that is not. */
export function flagsOf(bytes: Uint8Array): string[] {
  const flags: string[] = [];
  readFields(bytes, (no) => {
    const name = names[no];
    if (name !== undefined) flags.push(name);
    return false;
  });
  return flags;
}
